"""Arrays with one value per pair, reduced or compared within each query.

`offsets` says where the pairs of each query start and end; every query has at least one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.array_types import Bools, Floats, Ints
from assay.pipeline.view_layout import Layout


def any_of(marks: Bools, offsets: Ints) -> Bools:
    """Return whether any pair of each query is marked."""
    return np.asarray(np.logical_or.reduceat(marks, offsets[:-1])) if len(offsets) > 1 else marks[:0]


def highest_of(values: Floats, offsets: Ints) -> Floats:
    """Return the highest value of each query."""
    return np.asarray(np.maximum.reduceat(values, offsets[:-1])) if len(offsets) > 1 else values[:0]


def sum_of(values: Floats, offsets: Ints) -> Floats:
    """Return the sum over the pairs of each query."""
    return np.asarray(np.add.reduceat(values, offsets[:-1])) if len(offsets) > 1 else values[:0]


def mean_of(values: Floats, offsets: Ints) -> Floats:
    """Return the mean over the pairs of each query."""
    return sum_of(values, offsets) / np.diff(offsets)


def varies(values: NDArray[Any], offsets: Ints) -> Bools:
    """Return whether the candidates of each query have different values; NaN equals NaN."""
    first = np.repeat(values[offsets[:-1]], np.diff(offsets), axis=0)
    missing = np.isnan(values)
    other = (values != first) & ~(missing & np.isnan(first))
    return np.asarray(np.logical_or.reduceat(other, offsets[:-1], axis=0)) if len(offsets) > 1 else other


def shifted(values: Floats, offsets: Ints, by: int) -> Floats:
    """Return the value of the candidate `by` positions later in the same query, or NaN."""
    out = np.full_like(values, np.nan)
    query = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    source = np.arange(len(values)) + by
    inside = (source >= 0) & (source < len(values))
    inside[inside] &= query[source[inside]] == query[inside]
    out[inside] = values[source[inside]]
    return out


def order_of(values: Floats, offsets: Ints) -> Ints:
    """Return the pairs of each query from the highest value to the lowest; ties keep their order."""
    sizes, out = np.diff(offsets), np.empty(len(values), dtype=np.int64)
    # Queries of one size are sorted at once: half of the time of sorting all pairs by two keys.
    for size in np.unique(sizes):
        at = offsets[:-1][sizes == size, None] + np.arange(size)
        out[at] = np.take_along_axis(at, np.argsort(-values[at], axis=1, kind="stable"), axis=1)
    return out


def ranks(values: Floats, offsets: Ints) -> Ints:
    """Return the rank of each pair in its query, from 0, by value; ties keep their order."""
    out = np.empty(len(values), dtype=np.int64)
    out[order_of(values, offsets)] = np.arange(len(values)) - np.repeat(offsets[:-1], np.diff(offsets))
    return out


def best_of(values: Floats, offsets: Ints, count: int) -> list[Floats]:
    """Return the best values of each query, one array per rank; NaN beyond its candidates."""
    sizes, ordered = np.diff(offsets), values[order_of(values, offsets)]
    out = []
    for rank in range(count):
        block = np.full(len(sizes), np.nan)
        has = sizes > rank
        block[has] = ordered[offsets[:-1][has] + rank]
        out.append(block)
    return out


def by_sentence(values: Floats, layout: Layout, criteria: Sequence[int]) -> Floats:
    """Return the values of a sentence for each of these criteria; NaN if it is not asked."""
    return _grid(values, layout.pair_sentence, layout.pair_criterion, int(layout.offsets[-1]), criteria)


def by_post(values: Floats, layout: Layout, criteria: Sequence[int]) -> Floats:
    """Return the values of a post's queries for each of these criteria; NaN if it is not asked."""
    return _grid(values, layout.query_post, layout.query_criterion, len(layout.posts), criteria)


def _grid(values: Floats, row: Ints, criterion: Ints, rows: int, criteria: Sequence[int]) -> Floats:
    out = np.full((rows, len(criteria)), np.nan, dtype=np.float32)
    for at, each in enumerate(criteria):
        mine = np.flatnonzero(criterion == each)
        out[row[mine], at] = values[mine]
    return out  # type: ignore[return-value] # half the memory of the declared type


def rivals(values: Floats, layout: Layout) -> Floats:
    """Return the best value of the same sentence in another query of its post, or NaN."""
    if not len(values):
        return values
    sentence = layout.pair_sentence
    order = np.lexsort((-values, sentence))
    first = np.flatnonzero(np.diff(sentence[order], prepend=-1))
    count = np.diff(np.append(first, len(order)))
    best, second = values[order[first]], np.full(len(first), np.nan)
    several = count > 1
    second[several] = values[order[first[several] + 1]]
    group = np.empty(len(order), dtype=np.int64)
    group[order] = np.repeat(np.arange(len(first)), count)
    leads = np.zeros(len(order), dtype=bool)
    leads[order[first]] = True  # of tied pairs the first, whose rival is the other one
    return np.where(leads, second[group], best[group])
