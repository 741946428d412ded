"""A run in chunks of whole queries within a memory budget; scattered queries are gathered on disk."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import chain

import numpy as np
import polars as pl

from assay.array_types import Ints
from assay.data.out_of_core.buckets import RowLimits, bucket_of_each, spill_rows
from assay.data.out_of_core.run_rows import explain_pairs, has_rows, run_rows
from assay.data.out_of_core.spilled_rows import Spill
from assay.data.runs import Chunk, Run, whole_queries
from assay.errors import InputError, shown
from assay.files.memory_budget import MemoryBudget

WHOLE_TIMES = 12
"""Memory of a JSON run as a multiple of its file."""
IN_PARTS = "write the run as Parquet or TREC text, which are read in parts"

SMALLER = "if it is Parquet, write it with smaller row groups"


def bounded_run(run: Run, memory: MemoryBudget) -> Run:
    """Return a run whose chunks stay within the budget; one that is in memory already is left as it is."""
    if run.file is None:
        return run
    if not has_rows(run):
        memory.require_whole(run.file.path, WHOLE_TIMES, "JSON rows that are read as a whole", IN_PARTS)
        return run
    gathered = GatheredRun(run, memory)
    explain = partial(explain_pairs, run, rows=RowLimits.of(memory).frame)
    return replace(run, chunks=gathered.chunks, gathered=gathered.gathered, explain_pairs=explain)


class GatheredRun:
    """A run that is read in parts."""

    def __init__(self, run: Run, memory: MemoryBudget) -> None:
        self.run, self.memory = run, memory
        self._counted: tuple[pl.DataFrame, Ints] | None = None  # queries, and rows of each

    def chunks(self) -> Iterator[Chunk]:
        """Give chunks of whole queries, as far as the rows of a query are together."""
        limits, frames = self._frames()

        def check(query: str, rows: int) -> None:
            if rows > limits.query:
                raise self._refused(query, self._rows_of(query, limits.frame), limits)

        return whole_queries(frames, check)

    def gathered(self) -> Iterator[Chunk]:
        """Give chunks of whole queries in order of first appearance, whatever the order of the rows.

        One pass counts the rows of each query, a second one writes them to the bucket of their query.
        """
        names, counts = self._counts()
        limits, frames = self._frames()
        buckets = bucket_of_each(counts, limits.bucket)
        largest = int(np.argmax(counts))
        if counts[largest] > limits.query:
            raise self._refused(names["query"][largest], int(counts[largest]), limits)
        placed = names.with_columns(pl.Series("bucket", buckets))
        with Spill() as spill:
            for frame in frames:
                found = frame.select("query").join(placed, on="query", how="left", maintain_order="left")
                spill_rows(spill, frame, found["bucket"].to_numpy())
            for bucket in range(int(buckets[-1]) + 1):
                yield Chunk.of(pl.concat(spill.parts(bucket)))

    def _frames(self) -> tuple[RowLimits, Iterator[pl.DataFrame]]:
        """Return how many rows are allowed, as the first of them show, and all rows in frames."""
        rows = RowLimits.of(self.memory).frame
        frames = run_rows(self.run, rows)
        first = next(frames)
        self.memory.check(self.run.source, "the first rows of the file", SMALLER)
        return RowLimits.of(self.memory, first), chain([first], frames)

    def _counts(self) -> tuple[pl.DataFrame, Ints]:
        if self._counted is None:
            counts: dict[str, int] = {}
            for frame in run_rows(self.run, RowLimits.of(self.memory).frame):
                found = frame.group_by("query", maintain_order=True).len()
                for query, many in found.iter_rows():
                    counts[query] = counts.get(query, 0) + many
            names = pl.DataFrame({"query": pl.Series(list(counts), dtype=pl.String)})
            self._counted = names, np.fromiter(counts.values(), dtype=np.int64, count=len(counts))
        return self._counted

    def _rows_of(self, query: str, rows: int) -> int:
        return sum(int((frame["query"] == query).sum()) for frame in run_rows(self.run, rows))

    def _refused(self, query: str, rows: int, limits: RowLimits) -> InputError:
        what = f"the {rows:,} candidates of query {shown(query)}"
        return self.memory.refused(limits.in_use + rows * limits.query_bytes, self.run.source, what)
