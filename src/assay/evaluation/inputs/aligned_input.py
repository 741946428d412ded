"""An input after alignment: cases to score, and the tables that a bundle records."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from assay.data.cases import Cases
from assay.errors import InputError
from assay.files.input_file import InputFile

if TYPE_CHECKING:
    from assay.data.tune_queries import Tune
    from assay.evaluation.baselines.baseline_pool import BaselinePool


@dataclass(frozen=True, slots=True)
class Sources:
    """Tables with the key columns of the queries, `item`, and `score` or `grade`, in input order.

    They are read when a bundle is written, candidates in parts. `files` are the inputs, which know
    the hash of the bytes that were parsed; a second pass over other bytes is refused.
    """

    candidates: Callable[[], Iterator[pl.DataFrame]]
    gold: Callable[[], pl.DataFrame]
    tune: Tune | None = None
    files: tuple[InputFile, ...] = ()
    shared_candidates: bool = False  # of the corpus
    predicted_lists: bool = False  # lists are what the system predicted, and may repeat an item
    pool: Callable[[], BaselinePool] | None = None  # what baselines need of the corpus


@dataclass(frozen=True, slots=True)
class AlignedInput:
    """One system: its cases, its name, TUNE queries where there are any, and the sources."""

    cases: Cases
    name: str
    tune: Tune | None
    sources: Sources


def refuse_budget(memory: object) -> None:
    """Raise where a memory budget is given for an input that is not read in parts."""
    if memory is not None:
        raise InputError.of("`memory`", "has no effect on this kind of input", "only runs are read in parts")


def refuse_corpus(corpus: object) -> None:
    """Raise for a corpus next to an input that brings its own judgements."""
    if corpus is not None:
        problem = "has no effect next to an input that brings its own judgements"
        raise InputError.of("corpus", problem, "pass it with predictions, or leave it out")
