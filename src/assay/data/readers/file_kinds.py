"""The format of a data file, by its ending or its first bytes; and tables of any of them.

Parquet, delimited text (comma, semicolon, tab or bar), JSON and JSON lines. Everything else is left
to the caller: TREC text for judgements and runs, comma-separated text for plain tables.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from assay.data.input_types import is_rows
from assay.data.readers.column_names import GRADE, ITEM, QUERY, SCORE, plain_name
from assay.data.readers.csv_text import BYTE_ORDER_MARK, parse_csv, plain_csv, sniffed_separator
from assay.data.readers.json_toml import RecordParser
from assay.data.readers.limits import JSON_BYTES, TABLE_BYTES
from assay.data.readers.memory_tables import columns_of, frame_of
from assay.data.readers.table_files import Table, read_parquet
from assay.data.readers.text_blocks import check_utf8, head_of, read_all
from assay.errors import Fault, InputError
from assay.files.input_file import InputFile

PARQUET, DELIMITED, JSON, LINES, OTHER = "parquet", "delimited", "json", "jsonl", "other"
ENDINGS = {
    ".parquet": PARQUET,
    ".csv": DELIMITED,
    ".tsv": DELIMITED,
    ".json": JSON,
    ".jsonl": LINES,
    ".ndjson": LINES,
}
JSON_START = re.compile(rb'\s*(\{\s*["}]|\[\s*[\[{\]])')
SEPARATED = re.compile(r"[,;\t|]")
RECOGNISED = [{name for group in names for name in group} for names in (QUERY, ITEM, (*GRADE, *SCORE))]


def kind_by_ending(path: Path) -> str:
    """Return the format that the name of a file declares, or OTHER."""
    name = path.name.lower().removesuffix(".gz")
    return next((kind for ending, kind in ENDINGS.items() if name.endswith(ending)), OTHER)


def kind_of(file: InputFile) -> str:
    """Return the format of a file; a name that declares none leaves it to the first bytes."""
    declared = kind_by_ending(file.path)
    return declared if declared != OTHER else kind_of_bytes(head_of(file))


def kind_of_bytes(head: bytes) -> str:
    """Return the format of a file that begins with these bytes.

    Delimited text is recognised by a header with names for the query, the item and the number, or by
    a first line without blanks: a line of TREC text may have commas and tabs too.
    """
    head = head.removeprefix(BYTE_ORDER_MARK)
    if head.startswith(b"PAR1"):
        return PARQUET
    if JSON_START.match(head):
        return JSON
    first = head.split(b"\n", 1)[0].decode("utf-8", "replace").rstrip()
    names = SEPARATED.split(first)
    if len(names) > 2 and not re.search(r"\s", first):
        return DELIMITED
    found = {plain_name(name.strip().strip('"')) for name in names}
    return DELIMITED if all(known & found for known in RECOGNISED) else OTHER


def read_delimited(file: InputFile, is_header: Callable[[Sequence[str]], bool]) -> Table:
    """Return a text table, whatever separates its fields; without a header columns are 1, 2, 3 …"""
    data = plain_csv(read_all(file), file.name)
    separator, first = sniffed_separator(data, file.name)
    header = is_header(first)
    frame = parse_csv(data, file.name, separator, header=header)
    return Table(frame, file.name, 2 if header else 1, file=file, header=header)


def read_records(file: InputFile, kind: str = JSON) -> tuple[Any, list[int]]:
    """Return the document of a JSON file; that of JSON lines is a list, with the line of each object.

    A file of several lines whose first one is an object is JSON lines, whatever its name.
    """
    limit, expected = (TABLE_BYTES if kind == LINES else JSON_BYTES), "expected a smaller file, or Parquet"
    data = read_all(file, limit, "JSON", expected).removeprefix(BYTE_ORDER_MARK)
    check_utf8(data, 1, file.name)
    text = data.decode()
    if not text.strip():
        raise InputError.of(file.name, "is empty", "expected JSON")
    parser = RecordParser(file.name)
    lines = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    if kind != LINES and (len(lines) == 1 or not _is_object(parser, lines[0][1])):
        return parser.parse(text), []
    rows: list[Any] = []
    faults: list[Fault] = []
    for number, line in lines:
        try:
            row = parser.parse(line, f"line {number}")
        except InputError as error:
            faults += error.faults
            continue
        if not isinstance(row, dict):
            problem = f"is a {type(row).__name__}"
            faults.append(Fault(file.name, f"line {number}", problem, "expected an object per line"))
        rows.append(row)
    if faults:
        raise InputError(faults)
    return rows, [number for number, _ in lines]


def _is_object(parser: RecordParser, line: str) -> bool:
    try:
        return isinstance(parser.parse(line), dict)
    except InputError:
        return False


def records_table(document: Any, lines: Sequence[int], file: InputFile) -> Table:
    """Return the table of a JSON document: rows, or columns."""
    if isinstance(document, dict) and not any(isinstance(each, dict | list) for each in document.values()):
        document = [document] if document else []
    if not (is_rows(document) or columns_of(document)):
        expected = "expected a list of rows as objects, or an object of columns of one length"
        raise InputError.of(file.name, "is not a table", expected)
    rows = pl.Series(lines, dtype=pl.Int64) - 1 if lines else None
    unit = "line" if lines else "row"
    return Table(frame_of(document, file.name), file.name, rows=rows, file=file, unit=unit)


def read_any_table(file: InputFile) -> Table:
    """Return a table with a header from a file of any format; text of no known ending is delimited."""
    kind = kind_of(file)
    if kind == PARQUET:
        return read_parquet(file)
    if kind in (JSON, LINES):
        return records_table(*read_records(file, kind), file)
    return read_delimited(file, lambda _: True)
