"""Small tables of a corpus or of predictions: the driver holds them, wherever they are stored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.data.readers.table_files import Table, read_folder_table, require, table_of
from assay.engines.spark_errors import spark_failures
from assay.engines.spark_qrels import collected
from assay.engines.spark_session import quiet_warnings
from assay.engines.spark_source import is_spark_frame, spark_path
from assay.errors import InputError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def small_table(session: SparkSession, given: Any, name: str, columns: Iterable[str]) -> Table | None:
    """Return a table of a folder or of a dict with at least these columns; None where it has none."""
    if isinstance(given, Mapping):
        held = given.get(name)
        if held is None:
            return None
        return table_of(collected(held, name) if is_spark_frame(held) else held, name, columns)
    if Path(str(given)).is_dir():
        return read_folder_table(Path(str(given)), name, columns)
    frame = remote_table(session, given, name)
    return None if frame is None else require(Table(collected(frame, name), f"{name}.parquet"), columns)


def remote_table(session: SparkSession, folder: Any, name: str) -> DataFrame | None:
    """Return a Parquet table of a folder that only Spark can open; None where it has no such table."""
    path = f"{spark_path(folder).rstrip('/')}/{name}.parquet"
    try:
        with spark_failures(path), quiet_warnings():
            return session.read.parquet(path)
    except InputError as error:
        if error.faults[0].problem == "file not found":
            return None
        raise
