"""Measures as functions of how often each unit counts.

Sums of the queries of each unit, and orders of queries, are made once; what measures have in common
is made once for all of them. All sums under a block of counts are one matrix product.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.array_types import Floats, Ints
from assay.metrics.core.entry import Scored
from assay.metrics.core.ranked_steps import Presorted, Steps, Whole
from assay.metrics.core.reduce import ByClass, Columns, Groups, Quantile, Reduced, Sums, distinct, quotient
from assay.statistics.tiled_product import product

FEW = 256
"""Distinct values, or groups, that get columns of their own in a table of sums."""
AT_ONCE = 1 << 20
"""Largest number of counts in one matrix, where a measure has to see its queries: 8 MB."""


@dataclass(frozen=True, slots=True)
class Block:
    """Rows of counts, and what the measures share under them."""

    counts: Floats  # rows × units
    by_unit: Whole  # units × rows
    most: int  # the largest count
    sums: dict[int, Floats] = field(default_factory=dict)
    steps: dict[bytes, Steps] = field(default_factory=dict)

    @classmethod
    def of(cls, counts: Floats) -> Block:
        """Counts are whole numbers."""
        most = int(counts.max(initial=0))
        narrow = np.int16 if most < 1 << 15 else np.int64
        return cls(counts, np.ascontiguousarray(counts.T.astype(narrow)), most)


Replicate = Callable[[Block], Reduced]
"""The values of a measure under the rows of a block."""
Find = Callable[[Block], Floats]
"""A sum (one number per row), or several (rows × sums)."""


class Place:
    """Queries of some of the units, and the sums over them that measures want, each once."""

    def __init__(self, at: int, members: Ints, unit: Ints, units: int) -> None:
        self.at, self.members, self.unit, self.units = at, members, unit, units
        self.queries = np.isin(unit, members)
        self.columns: list[Floats] = []
        self.known: dict[bytes, int] = {}

    def sum(self, queries: Ints, column: NDArray[Any]) -> Find:
        """Find Σ counts · column over some queries; of a matrix, of each of its columns."""
        unit = self.unit[queries]
        where = np.array(
            [
                self._add(np.bincount(unit, weights=each, minlength=self.units)[self.members])
                for each in np.atleast_2d(column[queries].T)
            ],
            dtype=np.int64,
        )
        if column.ndim == 1:
            return lambda block: self._product(block)[where[0]]
        return lambda block: self._product(block)[where].T

    def sum_of_units(self, sums: Floats) -> Find:
        """Find Σ counts · sums over the units, given the sum of each unit."""
        where = self._add(sums[self.members])
        return lambda block: self._product(block)[where]

    def _add(self, sums: NDArray[Any]) -> int:
        place = self.known.setdefault(digest(sums), len(self.columns))
        if place == len(self.columns):
            self.columns.append(sums)
        return place

    def _product(self, block: Block) -> Floats:
        if self.at not in block.sums:
            whole = len(self.members) == self.units
            counts = block.counts if whole else block.counts[:, self.members]
            block.sums[self.at] = product(np.array(self.columns), counts.T)
        return block.sums[self.at]


def replicate(scored: Scored, place: Place, orders: dict[bytes, Presorted]) -> Replicate:
    """Return a measure on the queries of a place; `orders` keeps those that other measures made."""
    queries = np.flatnonzero(scored.inside & place.queries)
    reduce, columns = scored.metric.reduce, scored.columns
    counted = place.sum(queries, np.ones(len(scored.inside)))
    found: Replicate | None = None
    if isinstance(reduce, Sums):
        found = _of_sums(reduce, columns, place, queries, counted)
    elif isinstance(reduce, ByClass):
        found = _of_steps(reduce, columns, place, queries, orders)
    elif isinstance(reduce, Quantile):
        found = _of_values(reduce, columns, place, queries)
    elif isinstance(reduce, Groups):
        found = _of_groups(reduce, columns, place, queries)
    if found is None:
        return lambda block: _of_queries(scored, place, queries, block)
    return lambda block: scored.settled(found(block), counted(block) == 0)


def _of_sums(reduce: Sums, columns: Columns, place: Place, queries: Ints, counted: Find) -> Replicate:
    finds = [counted, *(place.sum(queries, columns[name]) for name in reduce.names)]
    return lambda block: reduce.function(*(find(block) for find in finds))


def _of_steps(
    reduce: ByClass, columns: Columns, place: Place, queries: Ints, orders: dict[bytes, Presorted]
) -> Replicate:
    """Return the measure from steps that all measures with the same values and marks share."""
    rows, unit = queries, place.unit[queries]
    if "owner" in columns.arrays:
        inside = np.zeros(len(place.unit), dtype=bool)
        inside[queries] = True
        rows = np.flatnonzero(inside[columns["owner"]])
        unit = place.unit[columns["owner"][rows]]
    values, mark = columns[reduce.by][rows], columns[reduce.mark][rows]
    key = digest(values, mark, unit)
    if key not in orders:
        orders[key] = Presorted.of(values, mark).through(unit)

    def found(block: Block) -> Reduced:
        if key not in block.steps:
            block.steps[key] = orders[key].steps(block.by_unit, block.most)
        return reduce.of(block.steps[key])

    return found


def _of_values(reduce: Quantile, columns: Columns, place: Place, queries: Ints) -> Replicate | None:
    values, code = distinct(columns[reduce.by][queries])
    if len(values) > FEW:
        return None
    sizes = place.sum(queries, _spread(queries, code, len(values), len(place.unit)))
    return lambda block: reduce.of(values, sizes(block).T)


def _of_groups(reduce: Groups, columns: Columns, place: Place, queries: Ints) -> Replicate | None:
    """Few groups have their own sums. A group that is drawn as a whole has the same value each time."""
    labels, code = distinct(columns[reduce.by][queries])
    named = [np.ones(len(place.unit)), *(columns[name] for name in reduce.names)]
    if not reduce.repeats and len(labels) <= FEW:
        into = _spread(queries, code, len(labels), len(place.unit))
        finds = [place.sum(queries, into * each[:, None]) for each in named]
        return lambda block: reduce.mean(finds[0](block), *(find(block) for find in finds))
    unit = np.zeros(len(labels), dtype=np.int64)
    unit[code] = place.unit[queries]
    if (unit[code] != place.unit[queries]).any():
        return None
    sums = [np.bincount(code, each[queries], len(labels))[None, :] for each in named]
    values, weights = reduce.function(*sums)
    grows = reduce.repeats
    if not grows:  # criteria asked of one post: drawn twice, they may weigh as much or twice as much
        same, twice = reduce.function(*(2 * each for each in sums))
        grows = not np.array_equal(twice, weights)
        if not np.array_equal(same, values) or (grows and not np.array_equal(twice, 2 * weights)):
            return None
    both: Floats = np.array([np.bincount(unit, each[0], place.units) for each in (values * weights, weights)])
    if grows:
        tops, bottoms = map(place.sum_of_units, both)
        return lambda block: quotient(tops(block), bottoms(block))
    return lambda block: quotient(*product(both, (block.counts > 0).astype(np.float64).T))


def _of_queries(scored: Scored, place: Place, queries: Ints, block: Block) -> Reduced:
    """Return the measure from the counts of its queries, some rows at a time."""
    step = max(1, AT_ONCE // max(1, len(place.unit)))
    parts = []
    for first in range(0, len(block.counts), step):
        rows = block.counts[first : first + step]
        drawn = np.zeros((len(rows), len(place.unit)))
        drawn[:, queries] = rows[:, place.unit[queries]]
        parts.append(scored.reduce(drawn))
    return Reduced(
        np.concatenate([part.values for part in parts]), np.concatenate([part.codes for part in parts])
    )


def _spread(queries: Ints, code: Ints, codes: int, size: int) -> Floats:
    """Return one row per query, with a one in the column of its code."""
    into = np.zeros((size, codes))
    into[queries, code] = 1.0
    return into


def digest(*arrays: NDArray[Any]) -> bytes:
    """Return a key that is equal for equal contents."""
    found = blake2b(digest_size=16)
    for each in arrays:
        found.update(each.tobytes())
        found.update(b"|")
    return found.digest()
