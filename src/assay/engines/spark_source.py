"""What Spark reads: Parquet and TREC text on any path, data frames, and tables by name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.data.input_types import Columns
from assay.data.readers import file_kinds
from assay.data.readers.column_names import RUN, chosen_columns, is_ranked, named_columns
from assay.data.trec.trec_text import RUN as RUN_LINES
from assay.data.trec.trec_text import looks_plain
from assay.engines.executor.spark_rows import FILE, FRAME, TABLE, TEXT, RowLayout
from assay.engines.executor.spark_text import BLOCK, POSITION
from assay.engines.spark_errors import plain_path, spark_failures
from assay.engines.spark_session import quiet_warnings
from assay.errors import Fault, InputError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

TABLE_PREFIX = "table:"
ACCEPTED = "Spark reads a run from Parquet, TREC text, a data frame or table:NAME"
NESTED = ("array", "map", "struct", "binary", "variant")
HEAD_LINES = 50


@dataclass(frozen=True, slots=True)
class SparkSource:
    """An input that Spark reads: its rows as `RowLayout` describes them, and where they are from."""

    name: str
    frame: DataFrame
    layout: RowLayout
    files: tuple[str, ...] = ()  # in name order, which is the order of the rows

    def file_name(self, part: int) -> str:
        """Return what messages call a file: its name, with its folder where there are several."""
        path = Path(plain_path(self.files[part]))
        return path.name if len(self.files) == 1 else f"{path.parent.name}/{path.name}"


def is_spark_frame(value: object) -> bool:
    """Return whether a value is a data frame of Spark, of a session or of Spark Connect."""
    return hasattr(value, "mapInArrow")


def run_source(session: SparkSession, given: Any, name: str | None, columns: Columns | None) -> SparkSource:
    """Return the source of a run: a path, `table:NAME` or a data frame of Spark."""
    named = named_columns(columns, RUN)
    if is_ranked(RUN, named):
        raise InputError.of("`run_columns`", "names ranks", "expected scores with Spark, such as 1 / rank")
    if is_spark_frame(given):
        frame, title = given, name or "run"
    elif str(given).startswith(TABLE_PREFIX):
        title = str(given).removeprefix(TABLE_PREFIX)
        with spark_failures(title), quiet_warnings():
            frame = session.table(title)
    else:
        return _path_source(session, given, name, named)
    query, item, score = chosen_columns(frame.columns, title, RUN, named)
    return frame_source(frame, title, RowLayout(FRAME, (query,), item, score))


def frame_source(frame: DataFrame, name: str, layout: RowLayout) -> SparkSource:
    """Return the source of a data frame, whose rows are in the order of its partitions."""
    wanted = list(dict.fromkeys((*layout.keys, layout.item, layout.score)))
    _refuse_nested(frame, name, wanted)
    return SparkSource(name, frame.select(*map(_quoted, wanted)), layout)


def _path_source(session: SparkSession, given: Any, name: str | None, named: dict[str, str]) -> SparkSource:
    path, title = spark_path(given), name or Path(str(given)).name
    with spark_failures(str(given)), quiet_warnings():
        lines = session.read.text(path, lineSep="\n")
        files = ordered_files(lines)
        kind = _kind(lines, files)
    if not files:
        raise InputError.of(str(given), "has no file", ACCEPTED)
    if kind == file_kinds.PARQUET:
        with spark_failures(str(given)), quiet_warnings():
            frame = session.read.parquet(path)
        query, item, score = chosen_columns(frame.columns, title, RUN, named)
        return parquet_source(session, frame, title, RowLayout(TABLE, (query,), item, score))
    if kind != file_kinds.OTHER:
        raise InputError.of(title, f"is a {kind} file", f"{ACCEPTED}; convert it, or read it with Spark")
    if named:
        problem = f"has no effect on {title}, which is TREC text"
        raise InputError.of("`run_columns`", problem, "leave it out")
    return _text_source(session, lines, title, files)


def parquet_source(session: SparkSession, frame: DataFrame, name: str, layout: RowLayout) -> SparkSource:
    """Return the source of Parquet files, whose rows have a file and a number."""
    from pyspark.sql import functions

    wanted = list(dict.fromkeys((*layout.keys, layout.item, layout.score)))
    _refuse_nested(frame, name, wanted)
    with spark_failures(name), quiet_warnings():
        files = ordered_files(frame)
        file, hashes = _file_column(session, files)
        position = functions.col("_metadata.row_index").alias(POSITION)
        rows = frame.select(*map(_quoted, wanted), file.alias(FILE), position)
    return SparkSource(name, rows, replace(layout, kind=TABLE, files=hashes), files)


def _text_source(session: SparkSession, lines: DataFrame, name: str, files: tuple[str, ...]) -> SparkSource:
    from pyspark.sql import functions

    with spark_failures(name), quiet_warnings():
        file, hashes = _file_column(session, files)
        value = functions.col("value").cast("binary")
        block = functions.col("_metadata.file_block_start").alias(BLOCK)
        rows = lines.select(value, file.alias(FILE), block)
    return SparkSource(name, rows, RowLayout(TEXT, files=hashes), files)


def _file_column(session: SparkSession, files: Sequence[str]) -> tuple[Any, tuple[tuple[int, int], ...]]:
    """Return a number that tells files apart: paths in every row would be most of the bytes."""
    from pyspark.sql import functions

    if len(files) == 1:
        return functions.lit(0).cast("bigint"), ((0, 0),)
    # Spark spells the path of a local file in two ways.
    spelled = [(path, at) for at, path in enumerate(files)]
    spelled += [(path.replace("file:///", "file:/", 1), at) for path, at in spelled]
    rows = session.createDataFrame(spelled, "path string, number bigint")
    hashed = rows.select(functions.xxhash64("path"), "number").collect()
    return functions.xxhash64("_metadata.file_path"), tuple((key, at) for key, at in hashed)


def ordered_files(frame: DataFrame) -> tuple[str, ...]:
    """Return the files of a data frame by name, as the parts of a run are numbered."""
    return tuple(sorted(set(frame.inputFiles()), key=plain_path))


def spark_path(given: Any) -> str:
    """Return a path as Spark takes it: a local file by its whole path, anything else as it is.

    >>> spark_path("s3a:/bucket/run.parquet")
    's3a://bucket/run.parquet'
    """
    text = str(given)
    if Path(text).exists():
        escaped = re.sub(r"([\\*?\[\]{}])", r"\\\1", str(Path(text).absolute()))
        return f"file:{escaped}"
    return re.sub(r"^([a-z][a-z0-9]+):/(?!/)", r"\1://", text)  # pathlib joins the two slashes


def _kind(lines: DataFrame, files: Sequence[str]) -> str:
    """Return the format of files by their endings, or by the first lines where these tell nothing."""
    kinds = {file_kinds.kind_by_ending(Path(plain_path(path))) for path in files}
    if kinds != {file_kinds.OTHER}:
        return kinds.pop() if len(kinds) == 1 else file_kinds.PARQUET
    from pyspark.sql import functions

    found = lines.select(functions.col("value").cast("binary")).head(HEAD_LINES)
    head = b"\n".join(bytes(value) for (value,) in found) + b"\n"
    return file_kinds.OTHER if looks_plain(head, RUN_LINES) else file_kinds.kind_of_bytes(head)


def _refuse_nested(frame: DataFrame, name: str, wanted: Sequence[str]) -> None:
    types = dict(frame.dtypes)
    faults = [
        Fault(name, "", f"column {column} is of type {types[column]}", "expected text or numbers")
        for column in wanted
        if types[column].startswith(NESTED)
    ]
    if faults:
        raise InputError(faults)


def _quoted(name: str) -> str:
    """Return a column name that Spark does not take apart at dots."""
    return f"`{name.replace('`', '``')}`"
