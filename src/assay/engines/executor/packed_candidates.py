"""On an executor: candidates as packed values, which the driver reads in input order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

import polars as pl

from assay.engines.executor.spark_lists import piece_starts
from assay.engines.executor.spark_rows import PLACE, RowLayout, read_rows
from assay.engines.executor.spark_text import Faults

ORDER, PACKED = "__order", "__packed"
KEYS = ", ".join(f"{name} bigint" for name in (ORDER, *PLACE))
PACKED_SCHEMA = f"{KEYS}, {PACKED} binary"
ORDERED_SCHEMA = f"{KEYS}, query string, item string, score double"


@dataclass(frozen=True, slots=True)
class CandidatePlan:
    """How to read the candidates, and where each query goes if its rows must be brought together."""

    layout: RowLayout
    order: Mapping[str, int] = field(default_factory=dict)


def packed_rows(batches: Iterable[Any], plan: CandidatePlan, partition: int) -> Iterator[Any]:
    """Give pieces of consecutive rows, each packed as one value with the place of its first row."""
    for frame in read_rows(batches, plan.layout, partition, Faults()):
        starts = piece_starts(frame).tolist() if len(frame) else []
        for first, end in zip(starts, [*starts[1:], len(frame)], strict=True):
            yield _packed(frame[first:end], (0, *frame.select(PLACE).row(first)))


def ordered_rows(batches: Iterable[Any], plan: CandidatePlan, partition: int) -> Iterator[Any]:
    """Give rows with the place of their query, for Spark to sort."""
    for frame in read_rows(batches, plan.layout, partition, Faults()):
        order = pl.col("query").replace_strict(plan.order, return_dtype=pl.Int64).alias(ORDER)
        rows = frame.select(order, *PLACE, "query", "item", "score")
        yield from rows.to_arrow(compat_level=pl.CompatLevel.oldest()).to_batches()


def packed_order(batches: Iterable[Any]) -> Iterator[Any]:
    """Give sorted rows as packed values."""
    for batch in batches:
        if batch.num_rows:
            yield _packed(pl.DataFrame(pl.from_arrow(batch)), (0, 0, 0, 0))


def _packed(frame: pl.DataFrame, place: tuple[int, ...]) -> Any:
    import pyarrow as pa

    packed = BytesIO()
    frame.select("query", "item", "score").write_ipc_stream(packed, compression="lz4")
    values = [pa.array([value], pa.int64()) for value in place]
    columns = [*values, pa.array([packed.getvalue()], pa.binary())]
    return pa.RecordBatch.from_arrays(columns, names=[ORDER, *PLACE, PACKED])
