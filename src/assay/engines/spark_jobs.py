"""On the driver: start the jobs that rank, and collect one row per query.

The first job needs no shuffle: each task ranks the queries that it sees. Where Spark cut a query in
two, or its rows are in several files, a second job brings the rows of these queries together.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import polars as pl

from assay.engines.executor.list_rows import LIST_SCHEMA, SCATTERED
from assay.engines.executor.spark_lists import RankPlan
from assay.engines.executor.spark_rows import FILE, PLACE, ROW_SCHEMA, TEXT
from assay.engines.executor.spark_task import spark_task
from assay.engines.executor.spark_text import BLOCK
from assay.engines.executor.step_names import BUCKET, RANK, ROWS
from assay.engines.spark_errors import spark_failures
from assay.engines.spark_session import quiet_warnings
from assay.engines.spark_source import SparkSource
from assay.errors import Fault, InputError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

BUCKET_ROWS = 1_000_000


@dataclass(frozen=True, slots=True)
class RankedLists:
    """One row per query (`list_rows.TYPES`), in the order in which queries first appear."""

    frame: pl.DataFrame
    scattered: bool  # rows of a query are not together, so that its candidates are regrouped


def ranked_lists(source: SparkSource, plan: RankPlan) -> RankedLists:
    """Return every list of an input; raise all faults that the tasks found."""
    found = _collected(source, _mapped(source.frame, RANK, plan, LIST_SCHEMA))
    if (found["fault"] == SCATTERED).any():
        return RankedLists(_shuffled(source, plan, int(found["rows"].sum())), scattered=True)
    found = found.sort(PLACE)
    repeated = found["query"].is_duplicated()
    if not repeated.any():
        return RankedLists(found, scattered=False)
    split = found.filter(repeated)
    only = replace(plan, only=frozenset(split["query"].to_list()))
    joined = _shuffled(source, only, int(split["rows"].sum()))
    runs = int((found["query"] != found["query"].shift(1)).fill_null(True).sum())
    whole = pl.concat([found.filter(~repeated), joined]).sort(PLACE)
    return RankedLists(whole, scattered=runs > len(whole))


def _shuffled(source: SparkSource, plan: RankPlan, rows: int) -> pl.DataFrame:
    """Return the lists of rows that were brought together by query, some million in a bucket."""
    raw = _mapped(source.frame, ROWS, plan, ROW_SCHEMA)
    buckets = raw.repartition(-(-rows // BUCKET_ROWS) or 1, "query")
    return _collected(source, _mapped(buckets, BUCKET, plan, LIST_SCHEMA)).sort(PLACE)


def _mapped(frame: DataFrame, step: str, plan: object, schema: str) -> DataFrame:
    with quiet_warnings():
        return frame.mapInArrow(spark_task(step, plan), schema)


def _collected(source: SparkSource, lists: DataFrame) -> pl.DataFrame:
    """Return the rows of all tasks; their faults are raised together."""
    with spark_failures(source.name), quiet_warnings():
        found = pl.DataFrame(pl.from_arrow(lists.toArrow()))
    faulty = found.filter(pl.col("fault").is_not_null() & (pl.col("fault") != SCATTERED))
    if len(faulty):
        raise InputError(_faults(source, faulty))
    return found


def _faults(source: SparkSource, faulty: pl.DataFrame) -> list[Fault]:
    """Return the faults with the names of their files, and lines counted from the start of the file."""
    before = _lines_before(source) if source.layout.kind == TEXT else {}
    faults = []
    for part, block, position, text in faulty.select(*PLACE, "fault").iter_rows():
        problem, expected = json.loads(text)
        if not source.files:
            faults.append(Fault(source.name, f"partition {part} row {position + 1}", problem, expected))
            continue
        unit = "line" if source.layout.kind == TEXT else "row"
        number = position + before.get((part, block), 0) + 1
        faults.append(Fault(source.file_name(part), f"{unit} {number}", problem, expected))
    return faults


def _lines_before(source: SparkSource) -> dict[tuple[int, int], int]:
    """Return the number of lines before each block of each file: a block knows only its own."""
    with spark_failures(source.name), quiet_warnings():
        counted = source.frame.groupBy(FILE, BLOCK).count().collect()
    numbers = dict(source.layout.files)
    blocks = sorted((numbers[file], block, count) for file, block, count in counted)
    before: dict[tuple[int, int], int] = {}
    lines: dict[int, int] = {}
    for part, block, count in blocks:
        before[part, block] = lines.get(part, 0)
        lines[part] = lines.get(part, 0) + count
    return before
