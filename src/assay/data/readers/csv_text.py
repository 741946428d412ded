"""CSV: every field as text, so that a wrong value can be shown verbatim."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from itertools import islice

import polars as pl

from assay.data.readers.column_names import KNOWN
from assay.data.readers.limits import COLUMNS
from assay.data.readers.polars_panics import quiet
from assay.data.readers.text_blocks import check_utf8
from assay.errors import Fault, InputError

csv.field_size_limit(1 << 30)  # a sentence may be long
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
EXCEL_SEPARATOR = re.compile(rb"\A\"?sep=[,;\t|]\"?\r?\n", re.IGNORECASE)
"""A first line that tells Excel the separator; it is no row of the spreadsheet."""
SEPARATORS = ",;\t|"
SAMPLE = 1 << 16
SAMPLED_ROWS = 20


def plain_csv(data: bytes, source: str) -> bytes:
    """Return the bytes of a CSV file without mark and trailing blanks; refuse what cannot be CSV."""
    data = EXCEL_SEPARATOR.sub(b"", data.removeprefix(BYTE_ORDER_MARK), count=1)
    data = _without_empty_rows(data.rstrip(b" \r\n\f\v"))
    check_utf8(data, 1, source)
    if not data.strip():
        raise InputError.of(source, "is empty", "expected a header and rows")
    if b"\n" not in data and b"\r" in data:
        problem = "has lines that end in CR alone"
        raise InputError.of(source, problem, "expected lines that end in LF or CRLF")
    return data


def _without_empty_rows(data: bytes) -> bytes:
    """Return a table without rows of separators alone at its end, which spreadsheets write.

    They stay where nothing else is below the header.
    """
    end = data.find(b"\n", len(data.rstrip(b" \r\n\f\v,;\t|")))
    return data if end < 0 or b"\n" not in data[:end] else data[:end].rstrip(b"\r")


def parse_csv(data: bytes, source: str, separator: str = ",", *, header: bool = True) -> pl.DataFrame:
    """Return a CSV file as a frame of text columns; without a header they are called 1, 2, 3 …

    Its faults are raised with their rows; the header is row 1, as in a spreadsheet.
    """
    return parse_plain_csv(plain_csv(data, source), source, separator, header=header)


def parse_plain_csv(data: bytes, source: str, separator: str, *, header: bool) -> pl.DataFrame:
    """Return what `plain_csv` has returned, or a part of it, as a frame."""
    names = _header(data, source, separator)
    try:
        with quiet():
            frame = pl.read_csv(data, infer_schema=False, separator=separator, has_header=header)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        frame = pl.DataFrame()
    if frame.width != len(names):
        faults = _csv_faults(data.decode(), source, separator)
        unclear = Fault(source, "", "is not CSV", "expected fields in quotes to be closed")
        raise InputError(faults or [unclear])
    faults = _csv_faults(data.decode(), source, separator) if _ragged(frame) else []
    if faults:
        raise InputError(faults)
    return _named(frame, names if header else [str(column + 1) for column in range(len(names))])


def sniffed_separator(data: bytes, source: str) -> tuple[str, list[str]]:
    """Return what separates the fields of a text table, and the fields of its first row.

    It is the one of comma, semicolon, tab and bar that gives the first rows the same number of
    fields; of several, the one with the most.
    """
    sample = data[:SAMPLE].decode("utf-8", "ignore")
    found: list[tuple[bool, int, str, list[str]]] = []
    for separator in SEPARATORS:
        reader = csv.reader(io.StringIO(sample, newline=""), delimiter=separator)
        try:
            rows = list(islice(reader, SAMPLED_ROWS))
        except csv.Error:
            continue
        if len(data) > SAMPLE and 1 < len(rows) < SAMPLED_ROWS:
            rows.pop()  # the sample ends within it
        if rows and len(rows[0]) > 1:
            found.append((len({len(row) for row in rows}) == 1, len(rows[0]), separator, rows[0]))
    if not found:
        return ",", _header(data, source, ",")
    _, _, separator, row = max(found, key=lambda each: each[:2])
    return separator, [field.strip() for field in row]


def _header(data: bytes, source: str, separator: str) -> list[str]:
    """Return the fields of the first row; a known name that stands twice is a fault."""
    lines = (line.decode() for line in io.BytesIO(data))
    try:
        header = [name.strip() for name in next(csv.reader(lines, delimiter=separator), [])]
    except csv.Error as error:
        raise InputError.of(source, f"is not CSV ({error})", "expected a header", "row 1") from None
    if not header:
        raise InputError.of(source, "is empty", "expected a header", "row 1")
    if len(header) > COLUMNS:
        problem = f"has {len(header):,} columns"
        raise InputError.of(source, problem, f"expected at most {COLUMNS:,}", "row 1")
    twice = sorted(name for name, count in Counter(header).items() if count > 1 and name in KNOWN)
    if twice:
        raise InputError.of(source, f"has two columns {twice[0]}", "expected each name once")
    return header


def _named(frame: pl.DataFrame, header: list[str]) -> pl.DataFrame:
    """Return the frame under the names of the file; those of repeats end in the number of their column.

    That is so for the first of them too: whoever asks for the name learns that there are several.
    """
    names: dict[str, None] = {}
    often = Counter(header)
    for column, name in enumerate(header, start=1):
        while name in names or (name and often[name] > 1):
            name = f"{name}_{column}"  # noqa: PLW2901
        names[name] = None
    frame.columns = list(names)
    return frame


def _ragged(frame: pl.DataFrame) -> bool:
    """Return whether a row may end early: the last column has a null."""
    return bool(frame[frame.columns[-1]].null_count())


def _csv_faults(text: str, source: str, separator: str) -> list[Fault]:
    """Return rows with another number of fields than the first; else what is not CSV at all."""
    faults: list[Fault] = []
    for strict in (False, True):
        reader = csv.reader(io.StringIO(text, newline=""), strict=strict, delimiter=separator)
        width = number = 0
        widths = Counter[int]()
        try:
            for number, row in enumerate(reader, start=1):
                width = width if number > 1 else len(row)
                widths[len(row)] += number > 1
                if len(row) != width:
                    problem = f"has {len(row)} fields" if row else "is empty"
                    expected = f"expected {width}, as in the header"
                    faults.append(Fault(source, f"row {number}", problem, expected))
        except csv.Error as error:
            problem = f"is not CSV ({error})"
            faults.append(Fault(source, f"row {number + 1}", problem, "expected closed quotes"))
        if len(faults) > 1 and widths[width + 1] == number - 1:
            problem = f"has {width} fields, and every other row {width + 1}"
            expected = "expected a name for the first column too; R leaves it out with row.names = FALSE"
            return [Fault(source, "row 1", problem, expected)]
        if faults:
            return faults
    return []
