"""One measure on one set of cases: value, spread, folds, groups, conventions and ties."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from assay.array_types import Bools, Floats, Ints
from assay.data.cases import Cases, Grouping
from assay.errors import InternalError
from assay.evaluation.result import Folds, GroupValue, Spread, Value
from assay.metrics.core.entry import REASONS, Kind, Metric
from assay.metrics.core.rankings import Convention
from assay.metrics.core.reduce import Columns, Reduced

AT_ONCE = 1 << 24
"""Largest number of counts in one matrix: 128 MB."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A measure with its columns and population on some cases: ready to be reduced."""

    metric: Metric
    columns: Columns
    inside: Bools

    @classmethod
    def of(cls, metric: Metric, cases: Cases) -> Scored:
        """Compute the columns once."""
        return cls(metric, metric.columns(cases), metric.population.mask(cases))

    def reduce(self, counts: Floats) -> Reduced:
        """Return values of rows of counts over all queries; outside the population they count nothing."""
        counted = counts * self.inside
        empty: Bools = np.logical_not(counted.any(axis=1))
        return self.settled(self.metric.reduce(self.columns, counted), empty)

    def settled(self, reduced: Reduced, empty: Bools) -> Reduced:
        """Return values in the measure's range, 0 by convention where the population is empty."""
        values = np.where(empty, 0.0, reduced.values)
        codes = np.where(empty, np.uint8(Convention.EMPTY_POPULATION), reduced.codes)
        return _in_range(self.metric, Reduced(values, codes))

    @property
    def per_query(self) -> Floats | None:
        """The value of each query, where the measure is a mean of them."""
        return self.columns.arrays.get("value")

    @property
    def listed(self) -> Floats | None:
        """What the table of queries shows: the value of a mean, or what a total counts."""
        return self.columns.arrays.get("value", self.columns.arrays.get("count"))


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
    values: dict[str, GroupValue] = {}
    sizes = np.bincount(grouping.codes[scored.inside], minlength=len(grouping.labels))
    for first, masks in _mask_blocks(grouping):
        reduced = scored.reduce(masks)
        for at, (value, code) in enumerate(zip(reduced.values, reduced.codes, strict=True), first):
            values[grouping.labels[at]] = GroupValue(float(value), int(sizes[at]), reason(code))
    return values


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
    reduced = scored.reduce(grouping.masks())
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
    ordered = np.sort(values)
    p25, median, p75 = (_quantile(ordered, share) for share in (0.25, 0.5, 0.75))
    std = float(values.std(ddof=1)) if len(values) > 1 else None
    return Spread(std, median, p25, p75)


def _quantile(ordered: Floats, share: float) -> float:
    """Return a quantile of sorted values by linear interpolation.

    `np.quantile` rounds differently for shares above one half, and its import of numpy.ma costs
    8 ms of CPU (medians of 20 processes: 110 ms with NumPy alone, 118 ms after a first call).
    """
    position = (len(ordered) - 1) * share
    low = int(position)
    high = min(low + 1, len(ordered) - 1)
    return float(ordered[low] + (ordered[high] - ordered[low]) * (position - low))


def _by_convention(scored: Scored) -> Mapping[str, int]:
    if scored.columns.codes is None:
        return {}
    counts = np.bincount(scored.columns.codes[scored.inside], minlength=len(Convention))
    return {REASONS[code]: int(counts[code]) for code in Convention if code and counts[code]}


def _mask_blocks(grouping: Grouping) -> Iterator[tuple[int, Floats]]:
    step = max(1, AT_ONCE // max(1, len(grouping.codes)))
    for first in range(0, len(grouping.labels), step):
        labels = np.arange(first, min(first + step, len(grouping.labels)))
        yield first, (labels[:, None] == grouping.codes[None, :]).astype(np.float64)


def _in_range(metric: Metric, reduced: Reduced) -> Reduced:
    """Return the value after checking it against the range of its measure."""
    low, high = metric.range
    if not ((reduced.values >= low - 1e-12) & (reduced.values <= high + 1e-12)).all():
        worst = reduced.values[np.argmax(np.abs(reduced.values - np.clip(reduced.values, low, high)))]
        raise InternalError(f"{metric.id} came out as {worst}, outside [{low}, {high}]: a fault of assay")
    return Reduced(np.clip(reduced.values, low, high), reduced.codes)
