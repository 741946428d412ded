"""Checks that tables share. Each gives the faults it finds; nothing stops at the first."""

from __future__ import annotations

import math
from collections.abc import Callable

import polars as pl

from assay.data.readers.table_files import Table
from assay.errors import Fault, shown

LABELS = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}
"""Words for the labels 1 and 0, in small letters."""


def filled(table: Table, *columns: str) -> list[Fault]:
    """Return a fault for every empty id."""
    faults = []
    for column in columns:
        values = table.frame[column]
        empty = (values.is_null() | (values == "")).fill_null(True).arg_true()
        faults += [table.fault(row, f"{column} is empty", "expected an id") for row in empty]
    return faults


def unique(table: Table, *columns: str) -> list[Fault]:
    """Return a fault for every row that repeats a key."""
    repeated = ~table.frame.select(pl.struct(columns).is_first_distinct()).to_series()
    return [
        table.fault(row, f"{_key(table, columns, row)} is there already", "expected each of them once")
        for row in repeated.arg_true()
    ]


def known(table: Table, other: Table, what: str, *columns: str) -> list[Fault]:
    """Keys must exist in another table."""
    rows = unknown_rows(table, other.frame, *columns)
    expected = f"{what} must be in {other.source}"
    return [table.fault(row, f"{_key(table, columns, row)} is unknown", expected) for row in rows]


def unknown_rows(table: Table, other: pl.DataFrame, *columns: str) -> list[int]:
    """Return rows whose key does not exist in another frame."""
    keys = table.frame.select(columns).with_row_index("__row")
    missing = keys.join(other.select(columns).unique(), on=columns, how="anti")
    return sorted(missing["__row"].to_list())


def numbers(
    table: Table, column: str, holds: Callable[[pl.Series], pl.Series] | None, expected: str
) -> tuple[pl.Series, list[Fault]]:
    """Return a column as numbers, and a fault per value that is not finite or breaks a rule."""
    values = table.frame[column]
    if values.dtype.is_numeric() or values.dtype == pl.Boolean:
        parsed = values.cast(pl.Float64)
    else:
        parsed = values.cast(pl.String).str.strip_chars().cast(pl.Float64, strict=False)
    # A finite sum has finite terms only, and is cheaper than a look at each of them.
    finite_sum = not parsed.null_count() and math.isfinite(parsed.sum())
    if finite_sum and (holds is None or holds(parsed).all()):
        return parsed, []
    finite = parsed.is_finite().fill_null(False)
    right = finite if holds is None else finite & holds(parsed).fill_null(False)
    faults = []
    for row in (~right).arg_true():
        value, number = values[row], parsed[row]
        if number is None:
            rule = f"{column} must be a number"
        else:
            rule = expected if finite[row] else f"{column}s must be finite"
        text = "empty" if value is None or value == "" else shown(str(value)).strip("'")
        faults.append(table.fault(row, f"{column} is {text}", rule))
    return parsed, faults


def labels(table: Table, column: str) -> tuple[pl.Series, list[Fault]]:
    """Return a column of labels as 0 and 1, and a fault per value that is neither.

    Also accepted are true and false, yes and no, in any case, and numbers such as 1.0.
    """
    values = table.frame[column]
    if values.dtype.is_numeric() or values.dtype == pl.Boolean:
        parsed = values.cast(pl.Float64)
    else:
        text = values.cast(pl.String).str.strip_chars().str.to_lowercase()
        word = text.replace_strict(LABELS, default=None, return_dtype=pl.Float64)
        parsed = text.cast(pl.Float64, strict=False).fill_null(word)
    right = parsed.is_in([0.0, 1.0]).fill_null(False)
    faults = []
    for row in (~right).arg_true():
        value = values[row]
        given = "empty" if value is None or value == "" else shown(str(value)).strip("'")
        faults.append(table.fault(row, f"{column} is {given}", "expected 0 or 1, true or false, yes or no"))
    return parsed, faults


def _key(table: Table, columns: tuple[str, ...], row: int) -> str:
    return " ".join(f"{column} {shown(table.frame[column][row])}" for column in columns)
