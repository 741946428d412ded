"""Tables that are in memory already: data frames, lists of rows, mappings of columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from assay.data.input_types import described, frame_columns, is_frame, is_rows
from assay.data.readers.limits import COLUMNS
from assay.errors import InputError, shown
from assay.forked import refuse_forked

TABLES = "a data frame (pandas, polars, pyarrow), a list of rows as dicts, or a dict of columns"
NESTED_VALUES = (list, tuple, dict, set, bytes)


def frame_of(data: Any, source: str) -> pl.DataFrame:
    """Return a Polars frame of a table in memory."""
    refuse_forked()
    if isinstance(data, pl.DataFrame):
        return data
    if isinstance(data, pl.LazyFrame):
        return data.collect()
    columns = columns_of(data)
    if columns is not None:
        return columns_frame(columns, source)
    if is_rows(data):
        return rows_frame(data, source)
    if is_frame(data):
        return _foreign_frame(data, source)
    raise InputError.of(source, f"is {described(data)}", f"expected {TABLES}, or a path")


def _foreign_frame(data: Any, source: str) -> pl.DataFrame:
    """Return the frame of another library, by the Arrow interface or column by column.

    pandas needs pyarrow for the interface, and pyarrow refuses columns of several types: then the
    values themselves are taken, so that a message can show them.
    """
    if hasattr(data, "__arrow_c_stream__"):
        try:
            return pl.DataFrame(data)
        except Exception:  # any library may be behind the interface
            if not hasattr(data, "__getitem__"):
                raise InputError.of(source, f"is {described(data)}", "expected columns of one type") from None
    names = frame_columns(data)
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError.of(source, f"has two columns {twice}", "expected each name once")
    return columns_frame({name: list(data[key]) for name, key in _keys(data, names)}, source)


def _keys(data: Any, names: Sequence[str]) -> Iterable[tuple[str, Any]]:
    keys = names if hasattr(data, "column_names") else data.columns
    return zip(names, keys, strict=True)


def columns_of(data: Any) -> dict[str, Any] | None:
    """Return columns of one length by name; None where a value holds no such thing.

    A column is a list, an array or a Series; or a dict by row, as `to_dict()` of pandas gives it.
    """
    if not isinstance(data, Mapping) or not data or not all(isinstance(name, str) for name in data):
        return None
    values = list(data.values())
    if all(isinstance(each, Mapping) and each.keys() == values[0].keys() for each in values):
        return {name: list(each.values()) for name, each in data.items()}
    if not all(map(_is_column, values)) or len({len(each) for each in values}) > 1:
        return None
    return dict(data)


def _is_column(value: Any) -> bool:
    if isinstance(value, str | bytes | Mapping | set | frozenset):
        return False
    return hasattr(value, "__len__") and hasattr(value, "__iter__")


def columns_frame(columns: Mapping[str, Any], source: str) -> pl.DataFrame:
    """Return the frame of columns of one length; a column with nested values keeps them as objects."""
    _refuse_many(len(columns), source)
    _refuse_other_order(columns, source)
    return pl.DataFrame([series_of(name, values) for name, values in columns.items()])


def _refuse_other_order(columns: Mapping[str, Any], source: str) -> None:
    """Raise for Series of pandas whose rows have the same labels in another order.

    Rows are matched by position; whoever shuffled one of the columns means another row.
    """
    indexed = {name: each.index for name, each in columns.items() if hasattr(each, "reindex")}
    first, *others = indexed or [""]
    for name in others:
        one, other = indexed[first], indexed[name]
        if not one.equals(other) and set(one) == set(other):
            problem = f"{first} and {name} have the same index in another order"
            raise InputError.of(source, problem, "reindex one of them, or pass `.to_numpy()` of both")


def rows_frame(rows: Sequence[Mapping[Any, Any]], source: str) -> pl.DataFrame:
    """Return the frame of rows; what a row lacks is empty."""
    names = dict.fromkeys(name for row in rows for name in row)
    _refuse_many(len(names), source)
    return pl.DataFrame([series_of(str(name), [row.get(name) for row in rows]) for name in names])


def _refuse_many(columns: int, source: str) -> None:
    if columns > COLUMNS:
        raise InputError.of(source, f"has {columns:,} columns", f"expected at most {COLUMNS:,}")


def series_of(name: str, values: Any) -> pl.Series:
    """Return a column of one type: text where its values are of several, with numbers as written.

    Nested values make a column of objects, which readers leave out or refuse.
    """
    if isinstance(values, pl.Series):
        return values.alias(name)
    if isinstance(values, np.ma.MaskedArray):
        values = values.tolist()  # what is masked is empty
    if isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind in "biuf":
        return pl.Series(name, np.ascontiguousarray(values))
    plain = [_plain(value) for value in values]
    kinds = {type(value) for value in plain if value is not None}
    if any(issubclass(kind, NESTED_VALUES) for kind in kinds):
        return pl.Series(name, plain, dtype=pl.Object)
    small = kinds == {int} and all(value is None or -(2**63) <= value < 2**63 for value in plain)
    if small or kinds <= {bool} or kinds == {float}:
        return pl.Series(
            name, plain, dtype=pl.Int64 if small else pl.Float64 if float in kinds else pl.Boolean
        )
    return pl.Series(name, [_text(value) for value in plain], dtype=pl.String)


def _plain(value: Any) -> Any:
    """Return a value of Python for one of NumPy, pyarrow or pandas; a text that is no text is none."""
    if value is None or type(value) in (str, float, int, bool):
        return value
    if isinstance(value, np.ndarray) and value.ndim:
        return value.tolist()
    for name in ("item", "as_py"):
        if hasattr(value, name):
            try:
                value = getattr(value, name)()
            except (TypeError, ValueError):
                return None
    if type(value).__name__ in ("NAType", "NaTType"):  # how pandas marks an empty cell
        return None
    return value


def _text(value: Any) -> str | None:
    """Return a value as text; a NaN among texts is an empty cell, as pandas marks it."""
    if value is None or value != value:  # noqa: PLR0124
        return None
    try:
        return value if type(value) is str else str(value)
    except ValueError:  # more digits than Python writes
        return shown(f"{value:#x}")
