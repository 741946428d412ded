"""A bundle as the report reads it: its numbers, its tables, and the verdict of its gate."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assay.data.model import STATES, Bools, Cases, Floats, Grouping, Ints
from assay.errors import AssayError, InputError, MeasureError
from assay.evaluation.bundle.checked import check_tables
from assay.evaluation.bundle.hashes import sha256
from assay.evaluation.bundle.read import (
    GATE,
    MANIFEST,
    MASTER,
    check_hashes,
    listed_files,
    read_json,
    read_table,
    result_of,
)
from assay.evaluation.bundle.snapshot import unchanged
from assay.evaluation.curves import Curves, curves_of
from assay.evaluation.intervals import Bootstrap
from assay.evaluation.result import Result, Value
from assay.report.taus import Taus, given_taus, implied_taus

T = TypeVar("T", bound=np.generic)
TAUS = ("tau_neg", "tau_pos")
BANDS = 2000
"""Resamples of the bands of curves, at the most: their quantiles move by less than a line."""


@dataclass(frozen=True, eq=False)
class Bundle:
    """One system's bundle. Every file was compared with the manifest before anything was read.

    Tables are read when somebody asks for them, and must still have the hashes of that moment.
    """

    folder: Path
    document: dict[str, Any]
    result: Result
    hashes: dict[str, str]
    manifest_hash: str  # what a report says it was derived from
    gate: dict[str, Any] | None = None  # the verdict of `gate.json`, where the gate was run

    @property
    def name(self) -> str:
        """What the system is called."""
        return Path(self.result.system).name or self.result.system

    @cached_property
    def queries(self) -> pl.DataFrame:
        """One row a query."""
        return self.result.per_query

    @cached_property
    def candidates(self) -> pl.DataFrame:
        """One row a candidate, in input order."""
        name = "candidates.csv.gz"
        return read_table(self.folder / name, self.hashes[name])

    @cached_property
    def gold(self) -> pl.DataFrame:
        """One row a judgement."""
        return read_table(self.folder / "gold.csv", self.hashes["gold.csv"])

    @cached_property
    def label(self) -> Bools:
        """Which queries have evidence."""
        return np.asarray(self.queries["has_evidence"].to_numpy() == 1)

    @cached_property
    def prob(self) -> Floats:
        """The probability of each query."""
        return self._column("prob", "the system gave no probabilities", np.float64)

    @cached_property
    def state(self) -> Ints:
        """The place of each query's state among NEG, UNCERTAIN and POS."""
        self._column("state", "the system gave no states", np.object_)
        places = {name: at for at, name in enumerate(STATES)}
        return np.array([places[name] for name in self.queries["state"]], dtype=np.int64)

    @cached_property
    def selected_k(self) -> Ints:
        """How many sentences each query returns."""
        return self._column("selected_k", "the system selected no K", np.int64)

    def has(self, column: str) -> bool:
        """Whether the queries have a column."""
        return column in self.queries.columns

    def _column(self, name: str, otherwise: str, kind: type[T]) -> NDArray[T]:
        if not self.has(name):
            raise MeasureError(f"{name} is absent: {otherwise}")
        return self.queries[name].to_numpy().astype(kind)

    def grouping(self, column: str) -> Grouping | None:
        """A column as codes, labels in the order in which they first stand."""
        if not self.has(column):
            return None
        names = self.queries[column].cast(pl.String).to_list()
        places = {name: at for at, name in enumerate(dict.fromkeys(names))}
        return Grouping(np.array([places[name] for name in names]), tuple(map(str, places)))

    @cached_property
    def taus(self) -> Taus | None:
        """The thresholds behind the states, where there are states: as given, else as implied."""
        if not (self.has("state") and self.has("prob")):
            return None
        folds = self.grouping("fold")
        if self.has("tau_neg") and self.has("tau_pos"):
            neg, pos = (self.queries[name].cast(pl.Float64).to_numpy() for name in TAUS)
            given = given_taus(neg, pos, folds)
            if given is not None:
                return given
        return implied_taus(self.prob, self.state, folds)

    @cached_property
    def curves(self) -> Curves:
        """ROC and PR with their bands, computed once: the draws are the dear part."""
        try:
            return curves_of(self.cases, self.bands)
        except MeasureError:
            raise
        except AssayError as error:
            raise MeasureError(str(error)) from None

    @cached_property
    def cases(self) -> Cases:
        """The gate's side of the cases: labels, probabilities and who belongs together."""
        size = len(self.queries)
        none, no_number = np.zeros(0, dtype=np.int64), np.zeros(0)
        positives = np.flatnonzero(self.label)
        zeros = np.zeros(size, dtype=np.int64)
        groupings = {name: self.grouping(name) for name in ("post_id", "criterion_id", "fold")}
        return Cases(
            keys=self.queries.select(self.result.keys), answered=np.ones(size, dtype=bool),
            n=zeros, judged=zeros, hit_query=none, hit_rank=none, hit_grade=no_number,
            hit_first=none, hit_last=none, gold_query=positives, gold_grade=np.ones(len(positives)),
            ranked=False, prob=self.prob, counts=self.result.counts,
            groupings={name: each for name, each in groupings.items() if each is not None},
        )  # fmt: skip

    @property
    def bands(self) -> Bootstrap | None:
        """How bands of curves are drawn: as the intervals were, with no more than BANDS draws."""
        plan = self.result.bootstrap
        if plan is None:
            return None
        resamples = min(plan.resamples, BANDS)
        return Bootstrap(resamples, plan.seed, plan.unit, "percentile", plan.level)

    def value(self, name: str) -> Value | None:
        """The value of a public name, or nothing."""
        return next((value for value in self.result.values if value.name == name), None)


def open_bundle(folder: str | Path | Bundle, gate: dict[str, Any] | None = None) -> Bundle:
    """Read a bundle. Hashes are compared first: from changed data nothing is derived.

    A verdict of the `gate` is taken in place of the one in its folder.
    """
    if isinstance(folder, Bundle):
        return folder
    path = Path(folder)
    with unchanged(path):
        names = listed_files(path)
        faults = check_hashes(path, names)
        if faults:
            raise InputError(faults)
        document = read_json(path / MASTER, names[MASTER])
        result = result_of(document, path, names)
        check_tables(result, path)
        listed = sha256(path / MANIFEST)
    return Bundle(path, document, result, names, listed, gate or _verdict(path / GATE))


def _verdict(path: Path) -> dict[str, Any] | None:
    """`gate.json` next to the data, where the gate was run."""
    found = read_json(path) if path.is_file() else None
    return found if isinstance(found, dict) else None
