"""Tables of CSV or Parquet in parts, so that only one part is in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from assay.data.readers.csv_records import first_record, whole_records
from assay.data.readers.csv_text import BYTE_ORDER_MARK, parse_plain_csv
from assay.data.readers.table_files import Table, parquet_columns, read_slices, require
from assay.data.readers.text_blocks import BLOCK, blocks, check_utf8
from assay.errors import Fault, InputError
from assay.files.input_file import InputFile
from assay.forked import refuse_forked

BLANKS = b" \r\n\f\v"
ROW_BYTES = 32
"""Bytes of a short row of text."""


def table_parts(file: InputFile, columns: Sequence[str], rows: int) -> Iterator[Table]:
    """Give these columns of a table with a header, in parts of about so many rows, at least one."""
    refuse_forked()
    if file.path.suffix == ".parquet":
        yield from parquet_parts(file, columns, rows)
        return
    for table in csv_parts(file, rows):
        yield _selected(table, columns)


def parquet_parts(file: InputFile, columns: Sequence[str], rows: int) -> Iterator[Table]:
    """Give these columns of a Parquet file in parts."""
    with file.mapped() as handle:
        has = parquet_columns(handle, file.name)
        present = [name for name in columns if name in has]
        for table in read_slices(handle, file.name, present, rows):
            yield _selected(replace(table, file=file), columns)


def csv_parts(file: InputFile, rows: int, separator: str = ",", *, header: bool = True) -> Iterator[Table]:
    """Yield a CSV file in parts, with faults and row numbers of the full file."""
    records = whole_records(blocks(file, min(BLOCK, rows * ROW_BYTES)), file.name)
    head, rest = first_record(records)
    head = head.removeprefix(BYTE_ORDER_MARK)
    if not header:
        head, rest = b"", head + rest
    row, line = 0, 1 + head.count(b"\n")
    check_utf8(head, 1, file.name)
    for block in _without_blank_end(chain([rest], records)):
        check_utf8(block, line, file.name)
        if not row and not (head + block).strip():
            raise InputError.of(file.name, "is empty", "expected a header and rows")
        try:
            frame = parse_plain_csv(head + block, file.name, separator, header=header)
        except InputError as error:
            raise InputError(_moved(fault, row) for fault in error.faults) from None
        yield Table(frame, file.name, row + (2 if header else 1), file=file, header=header)
        row, line = row + frame.height, line + block.count(b"\n")


def _without_blank_end(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Give blocks, at least one, without the blanks at the end of the last: they are no rows."""
    held, ready = b"", None
    for block in blocks:
        data = held + block
        end = data.find(b"\n", len(data.rstrip(BLANKS))) + 1 or len(data)
        if not data.strip(BLANKS):
            held = data
            continue
        if ready is not None:
            yield ready
        ready, held = data[:end], data[end:]
    yield (ready or b"").rstrip(BLANKS)


def _selected(table: Table, columns: Sequence[str]) -> Table:
    checked = require(table, columns)
    return replace(checked, frame=checked.frame.select(dict.fromkeys(columns)))


def _moved(fault: Fault, rows: int) -> Fault:
    """Return a fault of a part with its row in the whole file; the header is row 1 of both."""
    if not fault.place.startswith("row ") or fault.row == 1:
        return fault
    return replace(fault, place=f"row {fault.row + rows}")
