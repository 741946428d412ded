"""Counts-weighted kernels of query-level decisions: ranked scores, quantiles, calibration.

`counts` are whole numbers, one column a resample: how often each row counts in it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.kernels.layout import Bools, Floats, Ints

Pair = tuple[Floats, Floats]
Whole = NDArray[Any]
"""Whole numbers, as narrow as they fit: (rows × resamples), so that a row is one stretch of memory.
"""
AT_ONCE = 1 << 22
"""Running sums in memory at once: 8 MB where they are narrow."""


@dataclass(frozen=True, slots=True)
class Steps:
    """What stands at each distinct value of a marked row, highest first: (values × resamples)."""

    gained: Whole  # marked rows at the value
    hits: Whole  # marked rows at it or above
    above: Whole  # other rows above it
    alarms: Whole  # other rows at it or above
    positives: Whole  # marked rows in all, one number a resample
    negatives: Whole  # other rows in all


@dataclass(frozen=True, slots=True)
class Presorted:
    """Marked and other rows, each by value, highest first: sorted once for all resamples.

    Between the values of marked rows only the number of others grows, so the steps at those values
    are all that a ranked measure needs; and of ten queries nine are not marked.
    """

    marked: Ints
    others: Ints
    ends: Ints  # for each distinct value of a marked row: marked rows at it or above
    first: Ints  # other rows above it
    last: Ints  # other rows at it or above

    @classmethod
    def of(cls, values: Floats, mark: Floats) -> Presorted:
        """`mark` is 1 for marked rows: positives, or errors."""
        marked, high = _descending(values, mark == 1)
        others, low = _descending(values, mark != 1)
        ends = np.flatnonzero(np.diff(high, append=-np.inf)) + 1
        sides = (np.searchsorted(-low, -high[ends - 1], side=side) for side in ("left", "right"))
        return cls(marked, others, ends, *sides)

    def through(self, owner: Ints) -> Presorted:
        """The same order, where a row counts as often as its owner."""
        return replace(self, marked=owner[self.marked], others=owner[self.others])

    def steps(self, counts: Whole) -> Steps:
        """The steps of each resample."""
        hits, positives = running(counts, self.marked, self.ends)
        above, alarms, negatives = running(counts, self.others, self.first, self.last)
        gained = hits.copy()
        gained[1:] -= hits[:-1]
        return Steps(gained, hits, above, alarms, positives[0], negatives[0])


def _descending(values: Floats, chosen: Bools) -> tuple[Ints, Floats]:
    rows = np.flatnonzero(chosen)
    order = rows[np.argsort(-values[rows], kind="stable")]
    return order, values[order]


def running(counts: Whole, rows: Ints, *places: Ints) -> list[Whole]:
    """Σ counts[rows[:place]] at each place, for each array of places, and last for all rows."""
    reads = [*places, np.array([len(rows)])]
    most = int(counts.max(initial=0))
    wide = np.int32 if most * len(rows) < 1 << 30 else np.int64
    found = [np.zeros((len(each), counts.shape[1]), dtype=wide) for each in reads]
    if not len(rows):
        return found
    narrow = counts.astype(np.int16 if most * isqrt(len(rows)) < 1 << 15 else wide, copy=False)
    step = max(1, AT_ONCE // len(rows))
    for first in range(0, counts.shape[1], step):
        some = slice(first, first + step)
        _run(np.ascontiguousarray(narrow[:, some]), rows, reads, [each[:, some] for each in found])
    return found


def _run(counts: Whole, rows: Ints, places: list[Ints], found: list[Whole]) -> None:
    """The rows are cut into about √n stretches; one addition does the same step of all stretches in
    all resamples. That is some ten times as fast as a running sum along each resample.
    """
    resamples = counts.shape[1]
    length = isqrt(len(rows))
    stretches = -(-len(rows) // length)
    padded = np.zeros(stretches * length, dtype=np.int64)
    padded[: len(rows)] = rows
    within = np.empty((length, stretches, resamples), dtype=counts.dtype)
    for step, chosen in enumerate(padded.reshape(stretches, length).T):
        np.take(counts, chosen, axis=0, out=within[step], mode="clip")
        if step:
            within[step] += within[step - 1]
    before = np.zeros((stretches + 1, resamples), dtype=found[0].dtype)
    for stretch in range(stretches):
        np.add(before[stretch], within[-1, stretch], out=before[stretch + 1])
    flat = within.reshape(length * stretches, resamples)
    for place, sums in zip(places, found, strict=True):
        which, at = np.divmod(np.maximum(place - 1, 0), length)
        np.add(before[which], flat[at * stretches + which], out=sums)
        sums[place == 0] = 0


def auroc(steps: Steps) -> Pair:
    """Mann–Whitney with ties counted half, and the product positives × negatives it divides by."""
    passed = 2 * steps.negatives - steps.above - steps.alarms  # twice those below, ties half
    wins = _total(steps.gained, passed) / 2
    return wins, steps.positives.astype(np.float64) * steps.negatives


def average_precision(steps: Steps) -> Pair:
    """Σ over values of positives × precision at the value, and the positives it divides by."""
    listed = np.maximum(steps.hits + steps.alarms, 1)
    return _total(steps.gained, steps.hits / listed), steps.positives.astype(np.float64)


def _total(left: Whole, right: Whole) -> Floats:
    """Σ over values of a product that would not fit into narrow numbers."""
    found: Floats = np.einsum("ij,ij->j", left, right, dtype=np.float64, casting="unsafe")
    return found


def most_within_budget(steps: Steps, budget: Fraction) -> Floats:
    """Most positives at or above a threshold whose negatives stay within the budget."""
    totals = steps.negatives.tolist()  # whole numbers of any size: no budget overflows
    limit = np.array([budget.numerator * each // budget.denominator for each in totals])
    allowed = np.count_nonzero(steps.alarms <= limit.astype(steps.alarms.dtype), axis=0)
    return _read(steps.hits, allowed - 1)


def fewest_alarms(steps: Steps, hits: Floats) -> Floats:
    """Negatives at or above the largest threshold that has as many hits; 0 for none."""
    short = np.count_nonzero(steps.hits < hits.astype(steps.hits.dtype), axis=0)
    return np.where(hits > 0, _read(steps.alarms, np.minimum(short, len(steps.hits) - 1)), 0.0)


def _read(table: Whole, place: Ints) -> Floats:
    """The number at a place of each resample; 0 at place −1."""
    if not len(table):
        return np.zeros(table.shape[1])
    return np.where(place < 0, 0.0, table[place, np.arange(table.shape[1])])


def quantile(values: Floats, sizes: Floats, q: float) -> Pair:
    """Quantile by linear interpolation of ascending values, and how many there are.

    `sizes` (values × resamples) says how often each value is there.
    """
    cumulative = np.cumsum(sizes, axis=0)
    total = cumulative[-1] if len(values) else np.zeros(sizes.shape[1])
    position = np.maximum(total - 1.0, 0.0) * q
    last = max(len(values) - 1, 0)
    ends = [
        np.minimum(np.count_nonzero(cumulative <= place, axis=0), last)
        for place in (np.floor(position), np.ceil(position))
    ]
    if not len(values):
        return total, total
    lower, upper = values[ends[0]], values[ends[1]]
    return lower + (upper - lower) * (position - np.floor(position)), total


def risk_area(steps: Steps) -> tuple[Floats, Floats, Floats]:
    """Σ over coverages of the error rate among the most confident; its least value; and how many.

    Marked are the errors, by confidence. Those of equal confidence are spread evenly over it.
    With H the harmonic numbers, E errors before a value of size s and e errors, that begins after
    b rows, it adds e + (E − b·e/s)·(H(b + s) − H(b)); the right rows before it add E·(H(b) − H(…)).
    """
    total = (steps.positives + steps.negatives).astype(np.int64)
    harmonic = np.concatenate(([0.0], np.cumsum(1.0 / np.arange(1, total.max(initial=0) + 1))))
    errors_before = steps.hits - steps.gained
    before, through = errors_before + steps.above, steps.hits + steps.alarms
    at_before, at_through = harmonic[before], harmonic[through]
    rate = steps.gained / np.maximum(through - before, 1)
    area = _total(np.ones_like(rate), steps.gained + (errors_before - rate * before)
                  * (at_through - at_before))  # fmt: skip
    # after the last rows of one value, up to the first of the next: only right ones
    area += _total(errors_before[1:], at_before[1:] - at_through[:-1])
    wrongs = steps.positives.astype(np.float64)
    if len(steps.hits):
        area += wrongs * (harmonic[total] - at_through[-1])
    best = wrongs - steps.negatives * (harmonic[total] - harmonic[steps.negatives])
    return area, best, total.astype(np.float64)
