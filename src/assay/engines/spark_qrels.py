"""Judgements next to a run that Spark ranks: they are small, and the driver holds them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from assay.data.input_types import Columns
from assay.data.readers import file_kinds
from assay.data.readers.qrels_and_runs import read_qrels
from assay.data.runs import Qrels
from assay.data.trec.checked_lines import checked_lines
from assay.data.trec.trec_text import QRELS
from assay.engines.spark_errors import spark_failures
from assay.engines.spark_session import quiet_warnings
from assay.engines.spark_source import TABLE_PREFIX, is_spark_frame, ordered_files, spark_path
from assay.errors import InputError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def spark_qrels(session: SparkSession, given: Any, split: str | None, columns: Columns | None) -> Qrels:
    """Return judgements of any shape; those that this process cannot open are read by Spark."""
    if is_spark_frame(given):
        return read_qrels(collected(given, "qrels"), split, columns)
    text = str(given)
    if isinstance(given, str | Path) and text.startswith(TABLE_PREFIX):
        name = text.removeprefix(TABLE_PREFIX)
        with spark_failures(name), quiet_warnings():
            frame = session.table(name)
        return replace(read_qrels(collected(frame, name), split, columns), source=name)
    if not isinstance(given, str | Path) or Path(text).exists() or text == "-":
        return read_qrels(given, split, columns)
    name = Path(text).name
    with spark_failures(text), quiet_warnings():
        lines = session.read.text(spark_path(given), lineSep="\n")
        files = ordered_files(lines)
    kinds = {file_kinds.kind_by_ending(Path(path)) for path in files}
    if kinds == {file_kinds.PARQUET}:
        with spark_failures(text), quiet_warnings():
            frame = session.read.parquet(spark_path(given))
        return replace(read_qrels(collected(frame, name), split, columns), source=name)
    if kinds != {file_kinds.OTHER} or split is not None or columns is not None:
        raise InputError.of(name, "cannot be read by Spark", "expected TREC text or Parquet judgements")
    return _text_qrels(lines, name, len(files))


def _text_qrels(lines: DataFrame, name: str, files: int) -> Qrels:
    if files != 1:
        raise InputError.of(name, f"are {files} files", "expected one file of judgements")
    from pyspark.sql import functions

    with spark_failures(name), quiet_warnings():
        block = functions.col("_metadata.file_block_start")
        ordered = lines.select("value", block.alias("block"), functions.monotonically_increasing_id())
        found = ordered.sort(*ordered.columns[1:]).collect()
    rows, faults = checked_lines("\n".join(value for value, *_ in found), name, QRELS)
    if faults:
        raise InputError(faults)
    if not rows:
        raise InputError.of(name, "has no line", f"expected lines of {' '.join(QRELS.fields)}")
    schema = {"query": pl.String(), "document": pl.String(), "grade": pl.Float64()}
    frame = pl.DataFrame([row[1:] for row in rows], schema=schema, orient="row")
    return Qrels.of(frame, name, lambda: None)


def collected(frame: DataFrame, name: str) -> pl.DataFrame:
    """Return a small data frame of Spark as one of Polars."""
    with spark_failures(name), quiet_warnings():
        return pl.DataFrame(pl.from_arrow(frame.toArrow()))
