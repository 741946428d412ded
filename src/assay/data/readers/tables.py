"""Tables of a folder, as CSV or Parquet; and any data frame with the Arrow interface.

Everything is read as text first, so that a wrong value can be shown as it stands in the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from io import SEEK_END, BytesIO
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import polars as pl
from polars.exceptions import PanicException

from assay.data.readers.csv_text import KNOWN, parse_csv
from assay.data.readers.limits import CELLS, PARQUET_BYTES, ROWS_AT_LEAST, ROWS_PER_BYTE
from assay.data.readers.panics import quiet
from assay.data.readers.text import read_all, refuse_large, regular_file
from assay.errors import Fault, InputError, shown
from assay.files.source import InputFile
from assay.forked import refuse_forked

T = TypeVar("T")
SLICE = 1 << 19
ENDINGS = (".csv", ".csv.gz", ".parquet")
EXPECTED = "expected text or numbers"
NESTED = (pl.Binary, pl.List, pl.Array, pl.Struct, pl.Object, pl.Duration)
"""Columns of these types hold no ids, numbers or labels: they are left out."""


@dataclass(frozen=True, slots=True)
class Table:
    """A frame, what to call it in messages, and the row number of its first row there.

    In a CSV file the header is row 1, as in a spreadsheet. Where the frame is a part of a file,
    `rows` are the places (from 0) of its rows in it.
    """

    frame: pl.DataFrame
    source: str
    first_row: int = 1
    rows: pl.Series | None = None
    file: InputFile | None = None  # where it was read from one

    def fault(self, row: int, problem: str, expected: str) -> Fault:
        """A fault in a row of the frame (from 0)."""
        place = row if self.rows is None else self.rows[row]
        return Fault(self.source, f"row {place + self.first_row}", problem, expected)

    def part(self, chosen: pl.Series) -> Table:
        """Some of the rows, which keep their numbers in messages."""
        rows = chosen.fill_null(False).arg_true()
        return replace(self, frame=self.frame.filter(chosen.fill_null(False)), rows=rows)

    def with_columns(self, *columns: pl.Series) -> Table:
        """The table with these columns, new or in place of others."""
        return replace(self, frame=self.frame.with_columns(columns))


def find_table(folder: Path, name: str) -> Path | None:
    """The file of a table; two of them are an error, because nobody can say which one counts."""
    found = [path for ending in ENDINGS if (path := folder / (name + ending)).exists()]
    if len(found) > 1:
        names = " and ".join(path.name for path in found)
        raise InputError.of(folder.name, f"has {names}", f"expected one file of the table {name}")
    return regular_file(found[0]) if found else None


def read_folder_table(folder: Path, name: str, columns: Iterable[str]) -> Table | None:
    """A table of a folder with at least these columns, or None where there is no such file."""
    path = find_table(folder, name)
    return None if path is None else read_table(path, columns)


def read_table(source: Path | InputFile, columns: Iterable[str]) -> Table:
    """A CSV or Parquet file with at least these columns."""
    refuse_forked()
    file = source if isinstance(source, InputFile) else InputFile(source)
    table = _read_parquet(file) if file.path.suffix == ".parquet" else _read_csv(file)
    return replace(require(table, columns), file=file)


def table_of(data: Any, source: str, columns: Iterable[str] = ()) -> Table:
    """A table from a data frame (polars, pandas, pyarrow, anything with the Arrow interface)."""
    return require(Table(frame_of(data, source), source), columns)


def frame_of(data: Any, source: str) -> pl.DataFrame:
    """A Polars frame of a data frame."""
    refuse_forked()
    if isinstance(data, pl.DataFrame):
        return data
    try:
        if hasattr(data, "__arrow_c_stream__"):
            return pl.DataFrame(data)
    except ImportError:  # pandas offers the interface but needs pyarrow to serve it
        pass
    if hasattr(data, "columns") and hasattr(data, "__getitem__"):
        return pl.DataFrame({str(name): list(data[name]) for name in data.columns})
    raise InputError.of(
        source,
        f"is a {type(data).__name__}",
        "expected a data frame (pandas, polars, pyarrow) or a path",
    )


def require(table: Table, columns: Iterable[str]) -> Table:
    """The table, when it has the columns and at least one row."""
    wanted = list(columns)
    table = without_nested(table, wanted)
    missing = [name for name in wanted if name not in table.frame.columns]
    if missing:
        known = [name for name in table.frame.columns if name in KNOWN]
        rest = len(table.frame.columns) - len(known)
        has = ", ".join([*known, f"{rest} other" + "s" * (rest != 1)] if rest else known)
        problem = f"has no column {' or '.join(missing)} (it has {has})"
        raise InputError.of(table.source, problem, f"expected columns {', '.join(wanted)}")
    if table.frame.is_empty():
        raise InputError.of(table.source, "has no row", "expected at least one row")
    return table


def without_nested(table: Table, wanted: Iterable[str]) -> Table:
    """Return the table without columns of lists, structs or bytes; a wanted one is a fault."""
    types = table.frame.schema
    nested = [name for name, kind in types.items() if isinstance(kind, NESTED)]
    faults = [
        Fault(table.source, "", f"column {name} is of type {types[name].base_type()}", EXPECTED)
        for name in wanted
        if name in nested
    ]
    if faults:
        raise InputError(faults)
    return replace(table, frame=table.frame.drop(nested)) if nested else table


def parquet_columns(handle: BinaryIO, name: str) -> list[str]:
    """Names of the columns of a Parquet file."""
    return _parquet(name, lambda: pl.scan_parquet(handle).collect_schema().names())


def parquet_rows(handle: BinaryIO, name: str) -> int:
    """Number of rows of a Parquet file; one that declares more than its bytes can hold is refused.

    Repeats are packed well, so that a few bytes could stand for hours of work.
    """
    size = handle.seek(0, SEEK_END)
    handle.seek(0)
    rows: int = _parquet(name, lambda: pl.scan_parquet(handle).select(pl.len()).collect().item())
    if rows > ROWS_AT_LEAST + ROWS_PER_BYTE * size:
        problem = f"declares {rows:,} rows in {size:,} bytes"
        raise InputError.of(name, problem, "expected rows that differ")
    return rows


def read_slices(handle: BinaryIO, name: str, columns: Sequence[str]) -> Iterator[Table]:
    """Columns of a Parquet file in tables of some SLICE rows, with a fraction of the memory of one.

    A file without rows is one empty table. Polars gets the open file: a path would be a pattern.
    """
    total = parquet_rows(handle, name)
    first, size = 0, SLICE
    while True:
        lazy = pl.scan_parquet(handle, low_memory=True, use_statistics=False).select(columns)
        frame = _parquet(name, lazy.slice(first, size).collect)
        yield Table(frame, name, first + 1)
        first += frame.height
        if first >= total or frame.is_empty():
            return
        size = _next_slice(frame.to_series().chunk_lengths())


def _next_slice(chunks: list[int]) -> int:
    """How many rows to read next, so that the slice ends with a row group.

    A row group that two slices share is unpacked twice. Polars makes a chunk of each, and most are
    of one length: a wrong guess costs time only.
    """
    group = max(chunks[1:-1] or chunks)  # a chunk between others is a whole row group
    rest = (group - chunks[-1]) % group
    return rest + max(1, (SLICE - rest) // group) * group


def _read_parquet(file: InputFile) -> Table:
    refuse_large(file.path, PARQUET_BYTES, "a Parquet table", "expected a smaller file")
    data = file.read()
    columns = len(parquet_columns(BytesIO(data), file.name))
    rows = parquet_rows(BytesIO(data), file.name)
    if rows * columns > CELLS:
        problem = f"has {rows:,} rows of {columns} columns: more than {CELLS:,} cells"
        raise InputError.of(file.name, problem, "expected a smaller table")
    return Table(_parquet(file.name, lambda: pl.read_parquet(data)), file.name)


def _parquet(name: str, read: Callable[[], T]) -> T:
    try:
        with quiet():
            return read()
    except (pl.exceptions.PolarsError, OSError) as error:
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        problem = f"cannot be read ({shown(first)})"
    except PanicException:  # Polars meets what its format forbids
        problem = "is damaged"
    raise InputError.of(name, problem, "expected a complete Parquet file") from None


def _read_csv(file: InputFile) -> Table:
    return Table(parse_csv(read_all(file), file.name), file.name, 2)


def texts(table: Table, *names: str) -> Table:
    """The table with these columns as text, as ids are compared."""
    columns = [pl.col(name).cast(pl.String) for name in names]
    return replace(table, frame=table.frame.with_columns(columns))
