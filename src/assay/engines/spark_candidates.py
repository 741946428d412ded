"""Every candidate of a run in input order, for the table of a bundle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from io import BytesIO
from typing import TYPE_CHECKING

import polars as pl

from assay.engines.executor.packed_candidates import (
    ORDER,
    ORDERED_SCHEMA,
    PACKED,
    PACKED_SCHEMA,
    CandidatePlan,
)
from assay.engines.executor.spark_rows import PLACE
from assay.engines.executor.spark_task import spark_task
from assay.engines.executor.step_names import CANDIDATES, ORDERED, PACK
from assay.engines.spark_errors import spark_failures
from assay.engines.spark_session import quiet_warnings

if TYPE_CHECKING:
    from assay.engines.spark_source import SparkSource

PART_ROWS = 1_000_000
"""Rows that the driver fetches at a time, about."""


def candidate_frames(
    source: SparkSource, rows: int, order: Mapping[str, int] | None
) -> Iterator[pl.DataFrame]:
    """Give query, item and score of every candidate; with `order`, queries are brought together by it."""
    keys, parts = [ORDER, *PLACE], max(1, rows // PART_ROWS)
    plan = CandidatePlan(source.layout, order or {})
    with spark_failures(source.name), quiet_warnings():
        if order is None:
            packed = source.frame.mapInArrow(spark_task(CANDIDATES, plan), PACKED_SCHEMA)
            packed = packed.repartitionByRange(parts, *keys).sortWithinPartitions(*keys)
        else:
            sort = source.frame.mapInArrow(spark_task(ORDERED, plan), ORDERED_SCHEMA)
            sort = sort.repartitionByRange(parts, *keys).sortWithinPartitions(*keys)
            packed = sort.mapInArrow(spark_task(PACK, plan), PACKED_SCHEMA)
        for row in packed.select(PACKED).toLocalIterator():
            yield pl.read_ipc_stream(BytesIO(bytes(row[PACKED])))
