"""Explain the EVAL queries of a fold with the fitted copies of each stage."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.array_types import Ints
from assay.errors import UnknownTreesError
from assay.pipeline.custom.stage_calls import explained, parts_for
from assay.pipeline.explanations.explanation import ABOUT, WORD, ExplainsWords
from assay.pipeline.explanations.strongest import (
    Strongest,
    joined_strongest,
    strongest_features,
    strongest_from,
    strongest_words,
)
from assay.pipeline.protocol.nested_fold import Work
from assay.pipeline.protocol.stage_cache import Cache, digest_array
from assay.pipeline.query_arrays import order_of
from assay.pipeline.stage import Stage
from assay.pipeline.views import Unlabelled


@dataclass(frozen=True, slots=True, eq=False)
class StageExplanation:
    """What a stage says about all queries: `about` is gate, ranking or word.

    `top` is the pair of each query that ranking and words are about.
    """

    stage: str
    about: str
    words_of: str
    top: Ints
    strongest: Strongest


def explain_stage(work: Work, evaluated: Unlabelled, cache: Cache) -> list[StageExplanation]:
    """Return what a stage says about the EVAL queries.

    A stage explains the sentence that is ranked first after it: what later stages do with the
    ranking changes nothing here, so the result is cached with the stage.
    """
    top = top_pairs(evaluated)
    facts = {"explained": work.facts, "top": digest_array(top)}
    found = cache.get(facts, partial(_explained, work, top, cache))
    words_of = work.stage.words_of if isinstance(work.stage, ExplainsWords) else ""
    return [
        StageExplanation(work.stage.name, about, words_of, top, strongest_from(found, about))
        for about in (*ABOUT, WORD)
        if f"{about}.query" in found
    ]


def top_pairs(view: Unlabelled) -> Ints:
    """Return the pair of each query that is ranked first; ties keep their order."""
    score = view.column(view.ranked_by)
    if "candidate" in view.columns:
        score = np.where(view.column("candidate") > 0, score, -np.inf)
    return order_of(score, view.layout.pair_offsets)[view.layout.pair_offsets[:-1]]


def _explained(work: Work, top: Ints, cache: Cache) -> dict[str, NDArray[Any]]:
    """Return the strongest features and words by the mean of the fitted stages, as plain arrays."""
    found: dict[str, list[tuple[int, Strongest]]] = {}
    stages = work.copies()
    try:
        for view, first in parts_for(work.stage, work.evaluated):
            pair = int(work.evaluated.layout.pair_offsets[first])
            for about, each in _strongest(stages, view, top[first : first + view.queries] - pair):
                found.setdefault(about, []).append((first, each))
    except UnknownTreesError as error:
        cache.say(f"assay: stage {work.stage.name!r} is not explained: {error}")
        return {}
    out: dict[str, NDArray[Any]] = {}
    for about, parts in found.items():
        out |= joined_strongest(parts).arrays(about)
    return out


def _strongest(stages: list[Stage], view: Unlabelled, top: Ints) -> Iterator[tuple[str, Strongest]]:
    """Yield what is explained, and the strongest features and words of each query of a view."""
    made = [each for stage in stages for each in explained(stage, view, top)]
    for about in ABOUT:
        chosen = [each for each in made if each.about == about]
        if chosen:
            yield about, strongest_features(chosen, len(stages))
    needed = view.only(stages[0].needs)
    parts = [each.explain_words(needed, top) for each in stages if isinstance(each, ExplainsWords)]
    words = [each for each in parts if each is not None]
    if words:
        yield WORD, strongest_words(words, len(stages))
