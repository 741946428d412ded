"""Running counts over rows sorted by value, in many resamples at once; and weighted quantiles.

`counts` are whole numbers, one column per resample: how often each row counts in it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.array_types import Bools, Floats, Ints

Pair = tuple[Floats, Floats]
Whole = NDArray[Any]
"""Whole numbers in the narrowest type that fits: (rows × resamples), a row is contiguous."""
AT_ONCE = 1 << 22
"""Running sums in memory at once: 8 MB where they are narrow."""


@dataclass(frozen=True, slots=True)
class Steps:
    """Counts at each distinct value of a marked row, highest first: (values × resamples)."""

    gained: Whole  # marked rows at the value
    hits: Whole  # marked rows at it or above
    above: Whole  # other rows above it
    alarms: Whole  # other rows at it or above
    positives: Whole  # all marked rows, one number per resample
    negatives: Whole  # all other rows


@dataclass(frozen=True, slots=True)
class Presorted:
    """Marked and other rows, each sorted by value, highest first: once for all resamples.

    Between the values of marked rows only the number of other rows grows, so a ranked measure needs
    the counts at those values only; and nine queries in ten are not marked.
    """

    marked: Ints
    others: Ints
    ends: Ints  # for each distinct value of a marked row: marked rows at it or above
    first: Ints  # other rows above it
    last: Ints  # other rows at it or above

    @classmethod
    def of(cls, values: Floats, mark: Floats) -> Presorted:
        """Sort; `mark` is 1 for marked rows (positives, or errors)."""
        marked, high = _descending(values, mark == 1)
        others, low = _descending(values, mark != 1)
        ends = np.flatnonzero(np.diff(high, append=-np.inf)) + 1
        sides = (np.searchsorted(-low, -high[ends - 1], side=side) for side in ("left", "right"))
        return cls(marked, others, ends, *sides)

    def through(self, owner: Ints) -> Presorted:
        """Return the same order with each row counted as often as its owner."""
        return replace(self, marked=owner[self.marked], others=owner[self.others])

    def steps(self, counts: Whole, most: int | None = None) -> Steps:
        """Count the rows at each step, in each resample; `most` is the largest count, if it is known."""
        most = int(counts.max(initial=0)) if most is None else most
        hits, positives = running(counts, most, self.marked, self.ends)
        above, alarms, negatives = running(counts, most, self.others, self.first, self.last)
        gained = hits.copy()
        gained[1:] -= hits[:-1]
        return Steps(gained, hits, above, alarms, positives[0], negatives[0])


def _descending(values: Floats, chosen: Bools) -> tuple[Ints, Floats]:
    rows = np.flatnonzero(chosen)
    order = rows[np.argsort(-values[rows], kind="stable")]
    return order, values[order]


def running(counts: Whole, most: int, rows: Ints, *places: Ints) -> list[Whole]:
    """Return Σ counts[rows[:place]] for each array of places, and last for all rows.

    `most` is the largest count.
    """
    reads = [*places, np.array([len(rows)])]
    wide = np.int32 if most * len(rows) < 1 << 30 else np.int64
    make = np.empty if len(rows) else np.zeros
    found = [make((len(each), counts.shape[1]), dtype=wide) for each in reads]
    if not len(rows):
        return found
    narrow = counts.astype(np.int16 if most * isqrt(len(rows)) < 1 << 15 else wide, copy=False)
    step = max(1, AT_ONCE // len(rows))
    for first in range(0, counts.shape[1], step):
        some = slice(first, first + step)
        _run(np.ascontiguousarray(narrow[:, some]), rows, reads, [each[:, some] for each in found])
    return found


def _run(counts: Whole, rows: Ints, places: list[Ints], found: list[Whole]) -> None:
    """Write the running sums into `found`.

    The rows are cut into about √n stretches, and one addition does the same step of all stretches
    in all resamples: about ten times as fast as a running sum along each resample.
    """
    resamples = counts.shape[1]
    length = isqrt(len(rows))
    stretches = -(-len(rows) // length)
    padded = np.zeros(stretches * length, dtype=np.int64)
    padded[: len(rows)] = rows
    within = np.empty((length, stretches, resamples), dtype=counts.dtype)
    counts.take(padded.reshape(stretches, length).T, axis=0, out=within, mode="clip")
    for previous, here in pairwise(within):
        np.add(previous, here, out=here)
    before = np.zeros((stretches + 1, resamples), dtype=found[0].dtype)
    np.add.accumulate(within[-1], axis=0, dtype=before.dtype, out=before[1:])
    flat = within.reshape(length * stretches, resamples)
    for place, sums in zip(places, found, strict=True):
        which, at = np.divmod(np.maximum(place - 1, 0), length)
        np.add(before[which], flat[at * stretches + which], out=sums)
        if len(place) and place[0] == 0:  # places ascend
            sums[place == 0] = 0


def sum_products(left: Whole, right: Whole) -> Floats:
    """Sum a product over values, in floats: it would not fit into narrow whole numbers."""
    found: Floats = np.einsum("ij,ij->j", left, right, dtype=np.float64, casting="unsafe")
    return found


def at_step(table: Whole, place: Ints) -> Floats:
    """Return the entry at one place per resample; 0 at place −1."""
    if not len(table):
        return np.zeros(table.shape[1])
    return np.where(place < 0, 0.0, table[place, np.arange(table.shape[1])])


def quantile(values: Floats, sizes: Floats, q: float) -> Pair:
    """Return the quantile of ascending values by linear interpolation, and the number of values.

    `sizes` (values × resamples) counts the occurrences of each value.
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
