"""Checks that tables share. Each gives the faults it finds; nothing stops at the first."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import polars as pl

from assay.data.readers.table_files import Table
from assay.errors import Fault, shown

LABELS = {"true": 1.0, "yes": 1.0, "t": 1.0, "y": 1.0, "false": 0.0, "no": 0.0, "f": 0.0, "n": 0.0}
"""Words for the labels 1 and 0, in small letters."""
PROBABILITY = "expected a number in [0, 1]"
SHOWN_CLASSES = 5
PART = 1 << 18
"""Rows that are looked up at a time."""


def filled(table: Table, *columns: str) -> list[Fault]:
    """Return a fault for every empty id."""
    faults = []
    for column in columns:
        values = table.frame[column]
        if not has_empty(values):
            continue
        empty = (values.is_null() | (values == "")).fill_null(True).arg_true()
        faults += [table.fault(row, f"{column} is empty", "expected an id") for row in empty]
    return faults


def has_empty(values: pl.Series) -> bool:
    """Return whether a column of texts has an empty one: 7 million take 7 ms of CPU, and 11 ms by rows."""
    return bool(values.null_count()) or bool((values == "").any())


def unique(table: Table, *columns: str) -> list[Fault]:
    """Return a fault for every row that repeats a key."""
    return [
        table.fault(row, f"{_key(table, columns, row)} is already listed", "expected each of them once")
        for row in repeated_rows(table.frame.select(columns))
    ]


def repeated_rows(keys: pl.DataFrame) -> list[int]:
    """Return the rows that occur before, ascending.

    Only rows whose hashes repeat are compared. A million keys of three ids take 26 MB and 0.07 CPU s;
    `is_first_distinct` of all of them takes 237 MB and 0.21 CPU s.
    """
    hashes = keys.hash_rows(seed=0).to_numpy()
    ordered = np.sort(hashes)
    twice = ordered[1:][ordered[1:] == ordered[:-1]]
    if not len(twice):
        return []
    suspects = np.flatnonzero(np.isin(hashes, twice, kind="sort"))  # NumPy 2.0 overflows otherwise
    later = ~keys[suspects].select(pl.struct(keys.columns).is_first_distinct()).to_series()
    rows: list[int] = suspects[later.arg_true().to_numpy()].tolist()
    return rows


def known(table: Table, other: Table, what: str, *columns: str) -> list[Fault]:
    """Keys must exist in another table."""
    rows = unknown_rows(table, other.frame, *columns)
    expected = f"{what} must be in {other.source}"
    return [table.fault(row, f"{_key(table, columns, row)} is unknown", expected) for row in rows]


def unknown_rows(table: Table, other: pl.DataFrame, *columns: str) -> list[int]:
    """Return rows whose key does not exist in another frame.

    They are looked up part by part, because a join holds a multiple of its rows.
    """
    keys, known = table.frame.select(columns), other.select(columns).unique()
    rows: list[int] = []
    step = max(PART, known.height)  # each part costs a table of what is known
    for first in range(0, keys.height, step):
        part = keys[first : first + step].with_row_index("__row", offset=first)
        rows += part.join(known, on=columns, how="anti")["__row"].to_list()
    return sorted(rows)


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


def probabilities(
    table: Table, column: str, *, percent: bool = False, how: str = ""
) -> tuple[pl.Series, list[Fault]]:
    """Return a column of probabilities, also written as `12.5%` or `0,125`, and a fault per other value.

    With `percent`, the numbers without a sign are percentages too; `how` says how a caller can do that.
    """
    values = table.frame[column]
    if values.dtype.is_numeric() or values.dtype == pl.Boolean:
        parsed = values.cast(pl.Float64)
    else:
        text = values.cast(pl.String).str.strip_chars()
        plain = text.str.replace(r"^(.*[0-9.])\s*%$", "${1}").str.replace(r"^([0-9]*),([0-9]+)$", "${1}.${2}")
        parsed = plain.cast(pl.Float64, strict=False)
        signed = text.str.ends_with("%").fill_null(False)
        if signed.any() and not percent:  # a number without the sign may be a percentage or not
            parsed = pl.select(pl.when(signed).then(parsed / 100).alias(column)).to_series()
    parsed = parsed / 100 if percent else parsed
    right = parsed.is_between(0, 1).fill_null(False) & parsed.is_not_nan().fill_null(False)
    above = parsed.filter(~right)
    if (
        how
        and 2 * len(above) > len(right) > 1
        and not percent
        and above.is_between(1, 100).fill_null(False).all()
    ):
        problem = f"{column} has {len(above):,} values above 1, up to {float(above.to_numpy().max()):g}"
        in_percent = f"{PROBABILITY}; if it is in percent, {how}"
        return parsed, [Fault(table.source, "", problem, in_percent)]
    expected = "expected a number in [0, 100]" if percent else PROBABILITY
    return parsed, [_wrong(table, column, row, expected) for row in (~right).arg_true()]


def _wrong(table: Table, column: str, row: int, expected: str) -> Fault:
    value = table.frame[column][row]
    given = "empty" if value is None or value == "" else shown(str(value)).strip("'")
    return table.fault(row, f"{column} is {given}", expected)


def labels(table: Table, column: str) -> tuple[pl.Series, list[Fault]]:
    """Return a column of labels as 0 and 1, and a fault per value that is neither.

    Also accepted are true and false, yes and no, their first letters, and numbers such as 1.0.
    """
    values = table.frame[column]
    if values.dtype.is_numeric() or values.dtype == pl.Boolean:
        parsed = values.cast(pl.Float64)
    else:
        text = values.cast(pl.String).str.strip_chars().str.to_lowercase()
        word = text.replace_strict(LABELS, default=None, return_dtype=pl.Float64)
        parsed = text.cast(pl.Float64, strict=False).fill_null(word)
    right = parsed.is_in([0.0, 1.0]).fill_null(False)
    expected = "expected 0 or 1, true or false, yes or no"
    return parsed, [_wrong(table, column, row, expected) for row in (~right).arg_true()]


def is_label(word: str) -> bool:
    """Return whether a text is a label, 0 or 1 in any of their forms."""
    return word.lower() in LABELS or word in ("0", "1", "0.0", "1.0")


def classes(table: Table, column: str) -> list[str]:
    """Return the different values of a column as text, without empty ones."""
    values = table.frame[column].cast(pl.String).str.strip_chars().unique().drop_nulls()
    return sorted(values.filter(values != "").to_list())


def labels_of_class(
    table: Table, column: str, positive: str, found: list[str]
) -> tuple[pl.Series, list[Fault]]:
    """Return 1 where a column has the positive one of its two values, and a fault per empty one.

    `found` are the values of the whole table, of which this one can be a part.
    """
    values = table.frame[column].cast(pl.String).str.strip_chars()
    listed = ", ".join(map(shown, found[:SHOWN_CLASSES])) + (", …" if len(found) > SHOWN_CLASSES else "")
    if positive not in found:
        problem = f"{column} is nowhere {shown(positive)}"
        return values, [Fault(table.source, "", problem, f"expected one of {listed}")]
    if len(found) > 2:
        problem = f"{column} has {len(found):,} different values: {listed}"
        return values, [Fault(table.source, "", problem, "expected two, one of them positive")]
    empty = (values.is_null() | (values == "")).fill_null(True)
    faults = [_wrong(table, column, row, f"expected {listed}") for row in empty.arg_true()]
    return (values == positive).cast(pl.Float64), faults


def _key(table: Table, columns: tuple[str, ...], row: int) -> str:
    return " ".join(f"{column} {shown(table.frame[column][row])}" for column in columns)
