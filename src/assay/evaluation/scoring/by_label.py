"""A measure on the queries of each fold or group alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np

from assay.array_types import Ints
from assay.data.cases import Grouping
from assay.metrics.core.entry import Scored
from assay.metrics.core.reduce import MANY, Columns, Reduced, Sums

AT_ONCE = 1 << 24
"""Largest number of counts in one matrix: 128 MB."""
FEW = 1 << 21
"""Largest number of counts in one matrix whose rows are summed one by one: 16 MB."""
ONE_BY_ONE = 1 << 14
"""With more queries than this, no measure treats rows of counts together."""
DENSE = 1 << 27
"""Largest number of labels × queries; beyond it, each label sees its own queries only."""


def reduce_by_label(scored: Scored, grouping: Grouping, *, folds: bool = False) -> Reduced:
    """Return the measure on the queries of each label, in the order of the labels.

    A label is a row of zeros and ones over all queries, like any other counts. With thousands of
    labels these rows would take most of the time and memory, so that each label sees only its own
    queries. The sums differ from those of whole rows in their last bit at most.
    """
    labels, queries = len(grouping.labels), len(grouping.codes)
    if labels * queries > DENSE:
        return _sparse(scored, grouping)
    parts = [
        scored.reduce((np.arange(first, last)[:, None] == grouping.codes[None, :]).astype(np.float64))
        for first, last in pairwise(_edges(labels, queries, folds=folds))
    ]
    return Reduced(
        np.concatenate([np.zeros(0), *(part.values for part in parts)]),
        np.concatenate([np.zeros(0, dtype=np.uint8), *(part.codes for part in parts)]),
    )


def _edges(labels: int, queries: int, *, folds: bool) -> list[int]:
    """Return where blocks of labels begin and end.

    Bits depend on the blocks: sums of MANY rows or more are matrix products, of fewer rows loops.
    Folds are one block, groups are blocks of AT_ONCE counts. Smaller parts of a block give the same
    bits as long as those of a product are multiples of MANY.
    """
    whole = labels if folds else max(1, AT_ONCE // max(1, queries))
    edges = [0]
    while edges[-1] < labels:
        end = min(edges[-1] + whole, labels)
        edges += [*_inner(edges[-1], end, queries), end]
    return edges


def _inner(first: int, end: int, queries: int) -> Iterator[int]:
    """Give the places where a block of labels is cut to save memory."""
    if end - first >= MANY:
        step, least = max(1, AT_ONCE // max(1, queries) // MANY) * MANY, MANY
    elif queries > ONE_BY_ONE:
        step, least = max(2, FEW // queries), 2  # a single row would be summed in another order
    else:
        return
    while end - first >= step + least:
        first += step
        yield first


def _sparse(scored: Scored, grouping: Grouping) -> Reduced:
    """Return the measure of each label from its own queries."""
    if isinstance(scored.metric.reduce, Sums):
        return _sums(scored, grouping)
    columns, size = scored.columns, len(grouping.codes)
    owner = columns["owner"] if "owner" in columns.arrays else np.arange(size)
    labels = len(grouping.labels)
    queries, query_ends = _by_code(grouping.codes, labels)
    rows, row_ends = _by_code(grouping.codes[owner], labels)
    place = np.zeros(size, dtype=np.int64)
    values, codes = np.zeros(labels), np.zeros(labels, dtype=np.uint8)
    for label in range(labels):
        mine = queries[query_ends[label] : query_ends[label + 1]]
        own = rows[row_ends[label] : row_ends[label + 1]]
        arrays = {name: each[own] for name, each in columns.arrays.items()}
        if "owner" in arrays:
            place[mine] = np.arange(len(mine))
            arrays["owner"] = place[arrays["owner"]]
        part = replace(scored, columns=Columns(arrays, None, len(mine)), inside=scored.inside[mine])
        reduced = part.reduce(np.ones((1, len(mine))))
        values[label], codes[label] = reduced.values[0], reduced.codes[0]
    return Reduced(values, codes)


def _sums(scored: Scored, grouping: Grouping) -> Reduced:
    reduce = scored.metric.reduce
    assert isinstance(reduce, Sums), "the caller has looked"
    mine, labels = grouping.codes[scored.inside], len(grouping.labels)
    n = np.bincount(mine, minlength=labels).astype(np.float64)
    sums = []
    for name in reduce.names:
        column = np.asarray(scored.columns[name][scored.inside], dtype=np.float64)
        each = [np.bincount(mine, weights, labels) for weights in np.atleast_2d(column.T)]
        sums.append(each[0] if column.ndim == 1 else np.column_stack(each))
    return scored.settled(reduce.function(n, *sums), n == 0)


def _by_code(codes: Ints, labels: int) -> tuple[Ints, Ints]:
    """Return the rows sorted by code, and where the rows of each code begin and end."""
    order = np.argsort(codes, kind="stable")
    ends = np.concatenate(([0], np.cumsum(np.bincount(codes, minlength=labels))))
    return order, ends
