"""Some columns of a result's table of queries, without the memory of the others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, runtime_checkable

import polars as pl

from assay.evaluation.result import Result


@runtime_checkable
class InColumns(Protocol):
    """Rows of queries of which some columns can be had."""

    @property
    def columns(self) -> list[str]:
        """Return the names of the columns."""

    def select(self, names: list[str]) -> pl.DataFrame:
        """Return some columns of all rows."""


def query_names(result: Result) -> list[str]:
    """Return the columns of the table of queries."""
    return list(_rows(result).columns)


def query_columns(result: Result, names: Iterable[str]) -> pl.DataFrame:
    """Return some columns of the table of queries."""
    return _rows(result).select(list(names))


def _rows(result: Result) -> InColumns | pl.DataFrame:
    rows: object = result.queries
    parsed = "query_table" in vars(result)
    if parsed or isinstance(rows, type) or not isinstance(rows, InColumns):
        return result.query_table
    return rows
