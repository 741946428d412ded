"""CSV: every field as text, so that a wrong value can be shown as it stands in the file."""

from __future__ import annotations

import csv
import io
from collections import Counter

import polars as pl
from polars.exceptions import PanicException

from assay.data.readers.limits import COLUMNS
from assay.data.readers.panics import quiet
from assay.data.readers.text import check_utf8
from assay.errors import Fault, InputError

csv.field_size_limit(1 << 30)  # a sentence may be long
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
KNOWN = frozenset(
    (
        "post_id", "criterion_id", "sent_uid", "position", "text", "name", "grade", "fold", "score",
        "prob", "selected_k", "state", "tau_neg", "tau_pos", "query_id", "q_id", "doc_id", "split",
        "role", "label",
    )
)  # fmt: skip
"""Names that a message may repeat: in a file without a header, any other could be a sentence."""


def parse_csv(data: bytes, source: str) -> pl.DataFrame:
    """Return a CSV file as a frame of text columns.

    Its faults are raised with their rows; the header is row 1, as in a spreadsheet.
    """
    data = data.removeprefix(BYTE_ORDER_MARK).rstrip()
    check_utf8(data, 1, source)
    if not data:
        raise InputError.of(source, "is empty", "expected a header and rows")
    if b"\n" not in data and b"\r" in data:
        problem = "has lines that end in CR alone"
        raise InputError.of(source, problem, "expected lines that end in LF or CRLF")
    header = _header(data, source)
    try:
        with quiet():
            frame = pl.read_csv(data, infer_schema=False)
    except (pl.exceptions.PolarsError, PanicException):
        frame = pl.DataFrame()
    if frame.width != len(header):
        faults = _csv_faults(data.decode(), source)
        unclear = Fault(source, "", "is not CSV", "expected fields in quotes to be closed")
        raise InputError(faults or [unclear])
    faults = _csv_faults(data.decode(), source) if _ragged(frame) else []
    if faults:
        raise InputError(faults)
    return _named(frame, header)


def _header(data: bytes, source: str) -> list[str]:
    """Return the names of the columns; a known name that stands twice is a fault."""
    lines = (line.decode() for line in io.BytesIO(data))
    try:
        header = [name.strip() for name in next(csv.reader(lines), [])]
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
    """Return the frame under the names of the file; a repeat is numbered by its column."""
    names: dict[str, None] = {}
    for column, name in enumerate(header, start=1):
        while name in names:
            name = f"{name}_{column}"  # noqa: PLW2901
        names[name] = None
    frame.columns = list(names)
    return frame


def _ragged(frame: pl.DataFrame) -> bool:
    """A null in the last column may be a row that ends early."""
    return bool(frame[frame.columns[-1]].null_count())


def _csv_faults(text: str, source: str) -> list[Fault]:
    """Rows with another number of fields than the header; else what is not CSV at all."""
    faults: list[Fault] = []
    for strict in (False, True):
        reader = csv.reader(io.StringIO(text, newline=""), strict=strict)
        width = number = 0
        try:
            for number, row in enumerate(reader, start=1):
                width = width if number > 1 else len(row)
                if len(row) != width:
                    problem = f"has {len(row)} fields" if row else "is empty"
                    expected = f"expected {width}, as in the header"
                    faults.append(Fault(source, f"row {number}", problem, expected))
        except csv.Error as error:
            problem = f"is not CSV ({error})"
            faults.append(Fault(source, f"row {number + 1}", problem, "expected closed quotes"))
        if faults:
            return faults
    return []
