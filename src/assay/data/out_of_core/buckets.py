"""How rows are divided so that each part fits into memory: by consecutive queries."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from assay.array_types import Ints
from assay.data.out_of_core.spilled_rows import Spill
from assay.files.memory_budget import MemoryBudget, resident

GATHERED_BYTES = 250
"""Memory per row of several queries that are grouped, joined and ranked, with ids of up to SHORT bytes."""
QUERY_BYTES = 130
"""Memory per row of one query that is joined and ranked, likewise."""
SHORT, COPIES = 12, 3
"""Longer ids are stored apart, in so many copies at most."""
FEWEST, MOST = 1 << 16, 1 << 19
"""Rows of a frame that is read at a time. A row group of Parquet is unpacked for every frame of it."""
LARGEST = 1 << 22
"""Rows of a bucket: more would save nothing."""


@dataclass(frozen=True, slots=True)
class RowLimits:
    """How many rows a budget allows: in a frame that is read, in a bucket, and of one query."""

    frame: int
    bucket: int
    query: int
    query_bytes: int  # memory per row of one query
    in_use: int  # bytes, before any row was read

    @classmethod
    def of(cls, memory: MemoryBudget, sample: pl.DataFrame | None = None) -> RowLimits:
        """Return the limits under what is free now, with ids as long as those of a sample of rows."""
        free, extra = memory.free, 0 if sample is None else COPIES * _stored_apart(sample)
        frame = min(MOST, max(FEWEST, free // (4 * (GATHERED_BYTES + extra))))
        bucket = min(LARGEST, max(frame, free // (GATHERED_BYTES + extra)))
        one = QUERY_BYTES + extra
        return cls(frame, bucket, max(frame, free // one), one, resident())


def _stored_apart(sample: pl.DataFrame) -> int:
    """Return the mean number of bytes per row of texts that are longer than SHORT."""
    lengths = sample.select(pl.selectors.string().str.len_bytes())
    longer = lengths.select(pl.when(pl.all() > SHORT).then(pl.all()).otherwise(0).mean())
    return int(sum(value or 0 for value in longer.row(0))) if longer.width else 0


def bucket_of_each(counts: Ints, most: int) -> Ints:
    """Return the bucket of each query: consecutive ones with at most so many rows, or one query alone.

    >>> bucket_of_each(np.array([3, 3, 9, 1, 1]), 6).tolist()
    [0, 0, 1, 2, 2]
    """
    ends = np.cumsum(counts)
    buckets = np.zeros(len(counts), dtype=np.int64)
    first = bucket = 0
    while first < len(counts):
        before = ends[first - 1] if first else 0
        last = max(first + 1, int(np.searchsorted(ends, before + most, side="right")))
        buckets[first:last] = bucket
        first, bucket = last, bucket + 1
    return buckets


def spill_rows(spill: Spill, frame: pl.DataFrame, bucket: Ints) -> None:
    """Add rows to their buckets, in their order."""
    order = np.argsort(bucket, kind="stable")
    ordered, bucket = frame[order], bucket[order]
    starts = np.flatnonzero(np.diff(bucket, prepend=-1))
    for first, last in zip(starts.tolist(), [*starts[1:].tolist(), len(bucket)], strict=True):
        spill.add(int(bucket[first]), ordered[first:last])
