"""One measure on one set of cases: value, spread, folds, groups, conventions, ties; the table of queries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assay.array_types import Bools, Floats, Ints
from assay.data.cases import STATES, Cases, Grouping
from assay.evaluation.result import Folds, GroupValue, Spread, TieRange, Value
from assay.evaluation.scoring.by_label import reduce_by_label
from assay.metrics.core.entry import REASONS, Kind, Metric, Scored
from assay.metrics.core.rankings import Convention
from assay.metrics.core.registry import DECIDED, THRESHOLD

Column: TypeAlias = "Callable[[int, int], pl.Series]"
"""Makes the rows of a column from one row to another."""

PART = 1 << 16
"""Rows of a part."""


def score(
    scored: Scored, name: str, folds: Grouping | None, aggregate: str, ties: int | None, role: str | None
) -> Value:
    """Everything about one measure."""
    metric = scored.metric
    pooled = scored.reduce(np.ones((1, len(scored.inside))))
    by_fold = None if folds is None else _folds(scored, folds)
    averaged = by_fold is not None and metric.kind is not Kind.TOTAL  # a total has no mean
    headline = "fold_mean" if averaged and aggregate == "fold_mean" else "pooled"
    value = float(pooled.values[0])
    return Value(
        name=name,
        definition=metric.id,
        title=metric.title,
        value=by_fold.mean if by_fold is not None and headline == "fold_mean" else value,
        aggregate=headline,
        pooled=value,
        population=str(metric.population),
        n=int(scored.inside.sum()),
        better=metric.better,
        by_convention=_by_convention(scored),
        convention=reason(pooled.codes[0]),
        spread=_spread(scored),
        folds=by_fold,
        tie_sensitive=ties,
        k_role=role,
    )


def group(scored: Scored, grouping: Grouping) -> dict[str, GroupValue]:
    """Return the measure on the queries of each label alone."""
    sizes = np.bincount(grouping.codes[scored.inside], minlength=len(grouping.labels)).tolist()
    reduced = reduce_by_label(scored, grouping)
    rows = zip(grouping.labels, reduced.values.tolist(), sizes, reduced.codes.tolist(), strict=True)
    return {label: GroupValue(value, size, reason(code)) for label, value, size, code in rows}


def tie_range(
    scored: Scored, folds: Grouping | None, aggregate: str, tied: Ints, orders: Sequence[Cases]
) -> TieRange | None:
    """Return the headline with gold last and with gold first in each tie group.

    None without these orders, where these are not the extremes, and for measures that see no order.
    """
    metric = scored.metric
    if (
        not orders
        or not metric.extremes
        or metric.kind not in (Kind.RANKING, Kind.CUT_RANKING, Kind.SELECTION)
    ):
        return None
    ends = [
        score(
            replace(scored, columns=scored.columns.patched(tied, metric.columns(order))),
            "",
            folds,
            aggregate,
            None,
            None,
        ).value
        for order in orders
    ]
    return TieRange(min(ends), max(ends))


def tie_sensitive(metric: Metric, whole: Scored, tied: Ints, best: Cases, worst: Cases) -> int | None:
    """Return queries of the population whose value changes when tied candidates change places.

    Compared are the given order, gold first and gold last in each tie group; for measures where a
    swap up never hurts these are the extremes, for the others a lower bound.
    """
    given = whole.per_query
    if given is None:
        return None
    if not len(tied):
        return 0
    changed = np.zeros(len(tied), dtype=bool)
    for order in (best, worst):
        changed |= np.abs(metric.columns(order)["value"] - given[tied]) > 1e-12
    return int((changed & whole.inside[tied]).sum())


def reason(code: np.uint8 | int) -> str | None:
    """Return the words behind a convention code."""
    return REASONS[Convention(int(code))] if code else None


def _folds(scored: Scored, grouping: Grouping) -> Folds:
    reduced = reduce_by_label(scored, grouping, folds=True)
    values = reduced.values
    return Folds(
        values=dict(zip(grouping.labels, map(float, values), strict=True)),
        mean=float(values.mean()),
        std=float(values.std(ddof=1)) if len(values) > 1 else None,
        by_convention=int(np.count_nonzero(reduced.codes)),
    )


def _spread(scored: Scored) -> Spread | None:
    if scored.per_query is None:
        return None
    values = scored.per_query[scored.inside]
    if not len(values):
        return Spread(None, None, None, None)
    p25, median, p75 = _quantiles(values, (0.25, 0.5, 0.75))
    std = float(values.std(ddof=1)) if len(values) > 1 else None
    return Spread(std, median, p25, p75)


def _quantiles(values: Floats, shares: tuple[float, ...]) -> list[float]:
    """Return quantiles by linear interpolation.

    `np.quantile` rounds differently for shares above one half, and its import of numpy.ma costs
    8 ms of CPU (medians of 20 processes: 110 ms with NumPy alone, 118 ms after a first call). A sort of
    14,770 values takes 11 to 40 µs, a partition at six places 80 to 170 µs, of 7,000 values both 3 to 17.
    """
    positions = [(len(values) - 1) * share for share in shares]
    places = [(int(position), min(int(position) + 1, len(values) - 1)) for position in positions]
    ordered = np.sort(values)
    return [
        float(ordered[low] + (ordered[high] - ordered[low]) * (position - low))
        for position, (low, high) in zip(positions, places, strict=True)
    ]


def _by_convention(scored: Scored) -> Mapping[str, int]:
    if scored.columns.codes is None or not scored.columns.codes.any():
        return {}
    counts = np.bincount(scored.columns.codes[scored.inside], minlength=len(Convention))
    return {REASONS[code]: int(counts[code]) for code in Convention if code and counts[code]}


@dataclass(frozen=True, slots=True)
class QueryValues:
    """The values of a measure, of the queries of its population only."""

    inside: Bools
    values: Floats

    @classmethod
    def of(cls, inside: Bools, values: Floats) -> QueryValues:
        """Leave out what is outside of the population; that is nine queries in ten of most measures."""
        return cls(inside, values if inside.all() else values[inside])

    def part(self, first: int, last: int) -> Floats:
        """Return some rows, NaN outside of the population."""
        inside = self.inside[first:last]
        begin = int(np.count_nonzero(self.inside[:first]))
        found = np.full(len(inside), np.nan)
        found[inside] = self.values[begin : begin + int(np.count_nonzero(inside))]
        return found


@dataclass(frozen=True, slots=True)
class QueryRows:
    """One row per query, built on first use: as a whole, or in parts that need less memory.

    A value outside of a measure's population is null.
    """

    cases: Cases
    values: Mapping[str, QueryValues]
    by: tuple[str, ...] = ()

    def __call__(self) -> pl.DataFrame:
        """Return the whole table."""
        return self._part(0, len(self.cases), None)

    @property
    def columns(self) -> list[str]:
        """Return the names of the columns."""
        return self._part(0, 0, None).columns

    def select(self, names: Iterable[str]) -> pl.DataFrame:
        """Return some columns of all rows."""
        wanted = list(names)
        return self._part(0, len(self.cases), frozenset(wanted)).select(wanted)

    def parts(self) -> Iterator[pl.DataFrame]:
        """Give the rows in parts, at least one."""
        for first in range(0, max(1, len(self.cases)), PART):
            yield self._part(first, first + PART, None)

    def _part(self, first: int, last: int, only: frozenset[str] | None) -> pl.DataFrame:
        made = [
            column(first, last) for name, column in self._columns().items() if only is None or name in only
        ]
        return self.cases.keys[first:last].with_columns(made)

    def _columns(self) -> dict[str, Column]:
        """Return how to make each column other than the keys."""
        cases = self.cases
        made: dict[str, Column] = {}
        for name in dict.fromkeys(("post_id", "fold", *self.by)):
            if name in cases.groupings and name not in (*cases.key_names, *DECIDED):
                made[name] = _labels(name, cases.groupings[name])
        gold = np.bincount(cases.gold_query[cases.gold_grade >= 1], minlength=len(cases))
        facts: dict[str, NDArray[Any] | None] = {
            "answered": cases.answered,
            "n": cases.n,
            "gold": gold,
            "has_evidence": gold > 0,
            "prob": cases.prob,
            "selected_k": cases.selected_k,
        }
        made |= {name: _values(name, each) for name, each in facts.items() if each is not None}
        made |= {name: _values(name, each) for name, each in cases.facts.items()}
        if cases.state is not None:
            made["state"] = _labels("state", Grouping(cases.state, STATES))
        limits = {f"{THRESHOLD}{rule}": each for rule, each in cases.thresholds.items()}
        made |= {name: _values(name, each) for name, each in {**cases.taus, **limits}.items()}
        return made | {name: _measured(name, values) for name, values in self.values.items()}


def _labels(name: str, grouping: Grouping) -> Column:
    labels = pl.Series(name, grouping.labels, dtype=pl.String)
    return lambda first, last: labels.gather(grouping.codes[first:last])


def _values(name: str, values: NDArray[Any]) -> Column:
    return lambda first, last: pl.Series(name, values[first:last])


def _measured(name: str, values: QueryValues) -> Column:
    return lambda first, last: pl.Series(name, values.part(first, last)).fill_nan(None)
