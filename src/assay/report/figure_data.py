"""What figures are drawn from: a result and its queries as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assay.array_types import Bools, Floats, Ints
from assay.data.cases import STATES, Cases, Grouping
from assay.errors import AssayError, MeasureError
from assay.evaluation.bundle.load import load
from assay.evaluation.intervals.bootstrap_plan import Bootstrap
from assay.evaluation.intervals.curve_bands import Curves, curves_of
from assay.evaluation.query_columns import query_columns, query_names
from assay.evaluation.result import Result, Value
from assay.metrics.core.registry import DECIDED
from assay.report.deployed_thresholds import Taus, given_taus, implied_taus

T = TypeVar("T", bound=np.generic)
TAUS = ("tau_neg", "tau_pos")
BANDS = 2000
"""Largest number of resamples for bands: more would move them by less than a line's width."""


@dataclass(frozen=True, eq=False)
class FigureData:
    """A result, from `evaluate` or from a bundle, with the columns of its queries."""

    result: Result

    @cached_property
    def queries(self) -> pl.DataFrame:
        """Return one row per query, without the values of measures."""
        measured = {value.name for value in self.result.measures} - {*DECIDED, *self.result.query_keys}
        return query_columns(self.result, [name for name in self.columns if name not in measured])

    @cached_property
    def columns(self) -> list[str]:
        """Return the columns of the table of queries, with those of measures."""
        return query_names(self.result)

    @cached_property
    def label(self) -> Bools:
        """Return which queries have evidence."""
        return np.asarray(self.queries["has_evidence"].to_numpy() == 1)

    @cached_property
    def prob(self) -> Floats:
        """Return the probability of each query."""
        return self._column("prob", "the system gave no probabilities", np.float64)

    @cached_property
    def state(self) -> Ints:
        """Return each query's state as 0 (NEG), 1 (UNCERTAIN) or 2 (POS)."""
        self._column("state", "the system gave no states", np.object_)
        places = {name: at for at, name in enumerate(STATES)}
        return np.array([places[name] for name in self.queries["state"]], dtype=np.int64)

    @cached_property
    def selected_k(self) -> Ints:
        """Return how many sentences each query returns."""
        return self._column("selected_k", "the system selected no K", np.int64)

    def has(self, column: str) -> bool:
        """Return whether the queries have a column."""
        return column in self.columns

    def _column(self, name: str, otherwise: str, kind: type[T]) -> NDArray[T]:
        if not self.has(name):
            raise MeasureError(f"{name} is absent: {otherwise}")
        return self.queries[name].to_numpy().astype(kind)

    def grouping(self, column: str) -> Grouping | None:
        """Return a column as codes, with labels in order of first appearance."""
        if not self.has(column):
            return None
        names = self.queries[column].cast(pl.String).to_list()
        places = {name: at for at, name in enumerate(dict.fromkeys(names))}
        return Grouping(np.array([places[name] for name in names]), tuple(map(str, places)))

    @cached_property
    def taus(self) -> Taus | None:
        """Return the thresholds behind the states: as given, or as the states imply."""
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
    def figures(self) -> dict[str, Any]:
        """Return what was computed of each figure, which starts empty."""
        return {}

    @cached_property
    def curves(self) -> Curves:
        """Return ROC and PR curves with bands; cached, because resampling is expensive."""
        try:
            return curves_of(self.cases, self.bands)
        except MeasureError:
            raise
        except AssayError as error:
            raise MeasureError(str(error)) from None

    @cached_property
    def cases(self) -> Cases:
        """Return labels, probabilities and groups as cases without rankings."""
        size = len(self.queries)
        none, no_number = np.zeros(0, dtype=np.int64), np.zeros(0)
        positives = np.flatnonzero(self.label)
        zeros = np.zeros(size, dtype=np.int64)
        groupings = {name: self.grouping(name) for name in ("post_id", "criterion_id", "fold")}
        return Cases(
            given_keys=self.queries.select(self.result.query_keys),
            answered=np.ones(size, dtype=bool),
            n=zeros,
            judged=zeros,
            hit_query=none,
            hit_rank=none,
            hit_grade=no_number,
            hit_first=none,
            hit_last=none,
            gold_query=positives,
            gold_grade=np.ones(len(positives)),
            ranked=False,
            prob=self.prob,
            counts=self.result.counts,
            groupings={name: each for name, each in groupings.items() if each is not None},
        )

    @property
    def bands(self) -> Bootstrap | None:
        """Return how bands are resampled: like the intervals, with at most BANDS resamples."""
        plan = self.result.bootstrap
        if plan is None:
            return None
        resamples = min(plan.resamples, BANDS)
        return Bootstrap(resamples, plan.seed, plan.unit, "percentile", plan.level)

    def value(self, name: str) -> Value | None:
        """Return the value of a public name, or None."""
        return self.result.get(name)


Source = Result | FigureData | str | Path
"""What a figure is made of: a result, or the folder of a bundle."""


def figure_data(source: Source) -> FigureData:
    """Return the data of a result, or of the bundle in a folder."""
    if isinstance(source, FigureData):
        return source
    return FigureData(source if isinstance(source, Result) else load(source))
