"""Logs that are tables or are in memory: CSV and Parquet files, data frames, lists of dicts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from assay.data.input_types import as_rows, frame_columns, is_frame, is_rows
from assay.data.logs.log_fields import ROLES, in_percent, squeezed
from assay.data.logs.log_records import Record, Records, by_fields
from assay.data.logs.per_query_table import cell_list, id_separator, printed_list, split_ids, table_rows
from assay.data.readers.file_kinds import DELIMITED, PARQUET, kind_by_ending, read_any_table
from assay.errors import InputError
from assay.files.input_file import InputFile

LISTS = {role: {squeezed(name) for name in ROLES[role][1].split()} for role in ("retrieved", "gold")}


def is_table_file(path: object) -> bool:
    """Return whether a path has the ending of a table: CSV, TSV or Parquet."""
    return isinstance(path, str | Path) and kind_by_ending(Path(path)) in (DELIMITED, PARQUET)


def holds_log(given: object) -> bool:
    """Return whether a table has columns with the names of retrieved chunks and of gold."""
    names: Iterable[Any] = ()
    if is_table_file(given):
        path = Path(str(given))
        names = read_any_table(InputFile(path)).frame.columns if path.is_file() else ()
    elif is_frame(given):
        names = frame_columns(given)
    elif isinstance(given, Mapping):
        names = given
    elif is_rows(given):
        names = {name for row in given for name in row}  # type: ignore[attr-defined]
    found = {squeezed(str(name)) for name in names}
    return all(found & known for known in LISTS.values())


def read_rows(given: Any, named: Mapping[str, str], chosen: str) -> Records:
    """Return the records of a log that is a table; its cells may have lists as JSON, or joined ids.

    `named`: the fields that the caller names, by role; `chosen`: the format, or "auto".
    """
    source, rows, file = table_rows(as_rows(given))
    if not rows:
        raise InputError.of(source, "has no record", "expected at least one question")
    joined = _joined(rows, named) if is_table_file(given) else {}
    separator = id_separator(rows, joined)
    read = [Record(row.place, _read(row.fields, joined, separator)) for row in rows]
    kind = by_fields(row.fields for row in read) if chosen == "auto" else chosen
    return Records(source, kind, read, file)


def _joined(rows: list[Record], named: Mapping[str, str]) -> dict[str, str]:
    """Return the columns of the retrieved and the gold ids, as the separator of ids needs them."""
    columns = {squeezed(name): name for name in rows[0].fields}
    found: dict[str, str] = {}
    for role, what in (("retrieved", "ranked"), ("gold", "gold")):
        usual = (columns[squeezed(name)] for name in ROLES[role][1].split() if squeezed(name) in columns)
        name = in_percent(named.get(role, ""))[0] or next(usual, None)
        if name is not None:
            found[what] = name
    return found


def _read(fields: Mapping[str, Any], joined: Mapping[str, str], separator: str | None) -> dict[str, Any]:
    """Return the values of a row: lists and objects that are written as text, nothing where empty."""
    made: dict[str, Any] = {}
    for name, value in fields.items():
        sets = name != joined.get("ranked")  # a set has no order
        text = printed_list(value.strip(), sets=sets) if isinstance(value, str) else ""
        if value is None or value != value or value == "":  # noqa: PLR0124 (a NaN)
            made[name] = None
        elif text.startswith("["):
            listed = cell_list(text)
            made[name] = value if listed is None else listed
        elif text.startswith("{"):
            made[name] = _object(text)
        else:
            made[name] = split_ids(text, separator) if name in joined.values() and text else value
    return made


def _object(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
