"""What callers may pass: the types that annotations name, and how a message describes a value.

A *table* is a data frame, a list of rows or a mapping of columns; *rankings* are a table or a
mapping from queries to items with a number each. A path is that of a file with either of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from pathlib import Path
from typing import Any, Protocol, SupportsFloat, TypeAlias

from assay.errors import InputError, shown

SHOWN_NAMES = 12
TRIPLE = ("query_id", "doc_id", "score")
"""What a row without names holds; `score` is recognised as a grade too."""


class ArrowTable(Protocol):
    """A data frame with the Arrow interface: polars, pyarrow, pandas, DuckDB and others."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...


class ColumnTable(Protocol):
    """A data frame whose columns are taken by name, such as one of pandas."""

    @property
    def columns(self) -> Any:
        """Names of the columns."""

    def __getitem__(self, name: Any, /) -> Any: ...


class Values(Protocol):
    """One value per row: a list, a NumPy array, a Series of pandas or polars."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Any]: ...


Frame: TypeAlias = ArrowTable | ColumnTable
TableLike: TypeAlias = Frame | Iterable[Mapping[str, Any]] | Mapping[str, Any]
"""A data frame, rows, or columns by name. Any: a dict of columns of several types has no closer one."""
RankingsByQuery: TypeAlias = Mapping[Any, Mapping[Any, SupportsFloat]] | Mapping[Any, Iterable[Any]]
"""`{query: {item: number}}`, or a list of pairs or rows per query."""
Triples: TypeAlias = Iterable[tuple[Any, Any, SupportsFloat]]
"""Rows of query, item and number, without names."""
Rankings: TypeAlias = TableLike | RankingsByQuery | Triples | str | Path
"""A run or judgements: `{query: {item: number}}`, rows, a data frame, or a file."""
Columns: TypeAlias = Mapping[str, str] | str
"""Names of columns by what they hold: `{"query": "q", "item": "d"}` or `"query=q,item=d"`."""


def is_frame(value: object) -> bool:
    """Return whether a value is a data frame of any library."""
    if isinstance(value, Mapping | str | bytes | type):
        return False
    kind = type(value)  # of the value itself, a lazy frame would have to be computed
    by_name = hasattr(kind, "columns") and hasattr(kind, "__getitem__")
    return by_name or (hasattr(value, "__arrow_c_stream__") and not _is_series(value))


def is_rows(value: object) -> bool:
    """Return whether a value is a list of rows, each a mapping; an empty list is one."""
    return isinstance(value, list | tuple) and all(isinstance(row, Mapping) for row in value)


def as_rows(value: Any) -> Any:
    """Return rows that come one by one, tuples, named ones (`ScoredDoc`) too, or in an index as a table.

    Qrels and runs of ranx are dicts by query. Anything else is returned as it is.
    """
    if type(value).__module__.partition(".")[0] == "ranx" and hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, Iterator) or _gives_rows(value):
        value = list(value)
    if isinstance(value, list | tuple) and value and all(hasattr(each, "_asdict") for each in value):
        return [each._asdict() for each in value]
    if isinstance(value, list | tuple) and value and all(map(_is_triple, value)):
        return [dict(zip(TRIPLE, each, strict=True)) for each in value]
    names = getattr(getattr(value, "index", None), "names", ())  # as set_index of pandas makes it
    if any(names) and {*frame_columns(value), getattr(value, "name", None)}.isdisjoint(names):
        return value.reset_index()
    return value


def _gives_rows(value: Any) -> bool:
    """Return whether a value that is no list gives rows one by one, as a Dataset of Hugging Face does."""
    if isinstance(value, list | tuple | Mapping) or is_frame(value) or not isinstance(value, Sized):
        return False
    return isinstance(value, Iterable) and isinstance(next(iter(value), None), Mapping)


def _is_triple(value: object) -> bool:
    """Return whether a value is (query, item, number), with ids that are text or whole numbers."""
    if not isinstance(value, list | tuple) or len(value) != len(TRIPLE):
        return False
    ids = all(isinstance(each, str | int) and not isinstance(each, bool) for each in value[:2])
    return ids and not isinstance(value[2], str | bytes) and hasattr(value[2], "__float__")


def _is_series(value: object) -> bool:
    """Return whether a value is one column: those of other libraries have the Arrow interface too."""
    return hasattr(value, "to_numpy") and (hasattr(value, "dtype") or hasattr(value, "type"))


def described(value: object) -> str:
    """Return what a value is, for a message: its type, and its keys, columns, shape or length.

    >>> described({"q1": {}, "q2": {}})
    "a dict with the keys 'q1', 'q2'"
    >>> described([0, 1])
    'a list of 2 values'
    """
    kind = type(value).__name__
    named = f"{'an' if kind[:1] in 'aeiouAEIOU' else 'a'} {kind}"
    shape = getattr(value, "shape", None)
    if value is None:
        found = "None"
    elif isinstance(value, str | Path):
        found = f"the {'text' if isinstance(value, str) else 'path'} {shown(str(value))}"
    elif isinstance(value, Mapping):
        keys = ", ".join(shown(key) for key in list(value)[:SHOWN_NAMES])
        found = f"{named} with the keys {keys}{_rest(len(value))}" if value else f"an empty {kind}"
    elif is_frame(value):
        found = f"{named} with the columns {listed(frame_columns(value))}"
    elif isinstance(shape, tuple) and len(shape) > 1:
        found = f"{named} of shape {shape}"
    elif isinstance(value, Sized) and shape != ():
        found = f"{named} of {count_of_values(len(value))}"
    else:
        found = f"{named} ({shown(value)})" if isinstance(value, bool | int | float) else named
    return found


def frame_columns(frame: Any) -> list[str]:
    """Return the names of a data frame's columns."""
    where = "column_names" if hasattr(frame, "column_names") else "columns"  # pyarrow's columns are data
    return [str(name) for name in getattr(frame, where, ())]


def listed(names: Sequence[str]) -> str:
    """Return the first of some names for a message, and how many more there are."""
    return ", ".join(map(str, names[:SHOWN_NAMES])) + _rest(len(names))


def _rest(many: int) -> str:
    return f" and {many - SHOWN_NAMES} more" if many > SHOWN_NAMES else ""


def count_of_values(many: int) -> str:
    """Return a number of values in words."""
    return f"{many:,} value{'s' * (many != 1)}"


def wrong_type(parameter: str, value: object, accepted: str) -> InputError:
    """Return the error of a value of the wrong type: the parameter, what was given, what is accepted."""
    return InputError.of(f"`{parameter}`", f"is {described(value)}", f"expected {accepted}")
