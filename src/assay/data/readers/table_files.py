"""Tables of a folder, as CSV or Parquet; and any data frame with the Arrow interface.

Everything is read as text first, so that a wrong value can be shown verbatim.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from io import SEEK_END, BytesIO
from itertools import accumulate
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import polars as pl

from assay.data.readers.column_names import column_list
from assay.data.readers.csv_text import parse_csv
from assay.data.readers.limits import CELLS, PARQUET_BYTES, ROWS_AT_LEAST, ROWS_PER_BYTE
from assay.data.readers.memory_tables import NESTED_VALUES, frame_of
from assay.data.readers.polars_panics import quiet
from assay.data.readers.text_blocks import read_all, refuse_large, regular_file
from assay.errors import Fault, InputError, shown
from assay.files.input_file import InputFile
from assay.forked import refuse_forked

T = TypeVar("T")
SLICE = 1 << 20
"""Rows of Parquet that are read together. CPU of reading 49 million rows in groups of a million (lower of
two): 0.80 s in slices of a million, 0.88 s of half a million, 1.21 s of a quarter."""
ENDINGS = (".csv", ".csv.gz", ".parquet")
EXPECTED = "expected text or numbers"


@dataclass(frozen=True, slots=True, repr=False)
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
    header: bool = False  # whether the names of its columns are a row of text
    unit: str = "row"  # what messages count: rows or lines

    def __repr__(self) -> str:
        """Return its name, size and columns; never its cells, which may be texts of patients."""
        return f"Table({self.source!r}, {self.frame.height:,} rows, {self.columns!r})"

    def fault(self, row: int, problem: str, expected: str) -> Fault:
        """Return a fault in a row of the frame (from 0)."""
        place = row if self.rows is None else self.rows[row]
        return Fault(self.source, f"{self.unit} {place + self.first_row}", problem, expected)

    @property
    def columns(self) -> str:
        """What a message says about a column that is not there: the columns that are."""
        return column_list(self.frame.columns, header=self.header)

    def part(self, chosen: pl.Series) -> Table:
        """Some of the rows, which keep their numbers in messages."""
        rows = chosen.fill_null(False).arg_true()
        rows = rows if self.rows is None else self.rows.gather(rows)
        return replace(self, frame=self.frame.filter(chosen.fill_null(False)), rows=rows)

    def with_columns(self, *columns: pl.Series) -> Table:
        """Return the table with these columns, new or in place of others."""
        return replace(self, frame=self.frame.with_columns(columns))


def find_table(folder: Path, name: str) -> Path | None:
    """Return the file of a table; two files are an error, because either could be meant."""
    found = [path for ending in ENDINGS if (path := folder / (name + ending)).exists()]
    if len(found) > 1:
        names = " and ".join(path.name for path in found)
        raise InputError.of(folder.name, f"has {names}", f"expected one file of the table {name}")
    return regular_file(found[0]) if found else None


def read_folder_table(folder: Path, name: str, columns: Iterable[str]) -> Table | None:
    """Return a table of a folder with at least these columns, or None where there is no such file."""
    path = find_table(folder, name)
    return None if path is None else read_table(path, columns)


def read_table(source: Path | InputFile, columns: Iterable[str]) -> Table:
    """Return a CSV or Parquet file with at least these columns."""
    refuse_forked()
    file = source if isinstance(source, InputFile) else InputFile(source)
    table = read_parquet(file) if file.path.suffix == ".parquet" else _read_csv(file)
    return require(table, columns)


def table_of(data: Any, source: str, columns: Iterable[str] = ()) -> Table:
    """Return a table that is in memory: a data frame, rows or columns."""
    return require(Table(frame_of(data, source), source), columns)


def require(table: Table, columns: Iterable[str]) -> Table:
    """Return the table, when it has the columns and at least one row."""
    wanted = list(columns)
    table = without_nested(table, wanted)
    missing = [name for name in wanted if name not in table.frame.columns]
    if missing:
        problem = f"has no column {' or '.join(missing)} ({table.columns})"
        raise InputError.of(table.source, problem, f"expected columns {', '.join(wanted)}")
    if table.frame.is_empty():
        raise InputError.of(table.source, "has no row", "expected at least one row")
    return table


def without_nested(table: Table, wanted: Iterable[str]) -> Table:
    """Return the table without columns of lists, structs or bytes; a wanted one is a fault."""
    types = table.frame.schema
    # Columns of these types hold no ids, numbers or labels: they are left out.
    kinds = (pl.Binary, pl.List, pl.Array, pl.Struct, pl.Object, pl.Duration)
    nested = [name for name, kind in types.items() if isinstance(kind, kinds)]
    if not nested:
        return table
    objects = [name for name in dict.fromkeys(wanted) if types.get(name) == pl.Object]
    faults = [fault for name in objects for fault in _nested_values(table, name)]
    faults += [
        Fault(table.source, "", f"column {name} is of type {types[name].base_type()}", EXPECTED)
        for name in wanted
        if name in nested and name not in objects
    ]
    if faults:
        raise InputError(faults)
    return replace(table, frame=table.frame.drop(nested))


def _nested_values(table: Table, name: str) -> list[Fault]:
    """Return a fault for each value of a column of objects that is no text or number."""
    values = enumerate(table.frame[name].to_list())
    return [
        table.fault(row, f"{name} is a {type(value).__name__}", EXPECTED)
        for row, value in values
        if isinstance(value, NESTED_VALUES)
    ]


def parquet_columns(handle: BinaryIO, name: str) -> list[str]:
    """Return the column names of a Parquet file."""
    return _parquet(name, lambda: pl.scan_parquet(handle).collect_schema().names())


def parquet_rows(handle: BinaryIO, name: str) -> int:
    """Return the number of rows of a Parquet file; one that declares more than its bytes can hold is refused.

    Repeats are packed well, so that a few bytes could mean hours of work.
    """
    size = handle.seek(0, SEEK_END)
    handle.seek(0)
    rows: int = _parquet(name, lambda: pl.scan_parquet(handle).select(pl.len()).collect().item())
    if rows > ROWS_AT_LEAST + ROWS_PER_BYTE * size:
        problem = f"declares {rows:,} rows in {size:,} bytes"
        raise InputError.of(name, problem, "expected rows that differ")
    return rows


def read_slices(
    handle: BinaryIO, name: str, columns: Sequence[str], rows: int | None = None
) -> Iterator[Table]:
    """Columns of a Parquet file in tables of about so many rows, with a fraction of its memory.

    A file without rows is one empty table. Polars gets the open file: a path would be a pattern.
    """
    total = parquet_rows(handle, name)
    first, size, groups = 0, rows or SLICE, _RowGroups(rows or SLICE)
    lazy = pl.scan_parquet(handle, low_memory=True, use_statistics=False).select(columns)
    while True:
        frame = _parquet(name, lazy.slice(first, size).collect)
        yield Table(frame, name, first + 1)
        groups.see(first, frame.to_series().chunk_lengths())
        first += frame.height
        if first >= total or frame.is_empty():
            return
        size = groups.next_slice(first)


class _RowGroups:
    """Where row groups seem to end, so that slices end there: Polars makes a chunk of each.

    Most are of one length, and a wrong guess costs time only. CPU of 10 million rows in groups of a
    million, in slices of about 2^19 rows (the lower of two runs): 0.24 s and 165 MB where no slice has
    parts of two groups, else 0.29 s and 240 MB.
    """

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self.border, self.length = 0, 0  # the last end that was seen, and rows of a group (0: not known)

    def see(self, first: int, chunks: list[int]) -> None:
        """Note the ends inside a slice that begins at this row."""
        ends = [first + end for end in accumulate(chunks[:-1])]
        if ends:
            is_border = self.length and (first - self.border) % self.length == 0
            before = [first if is_border else self.border, *ends]
            self.border, self.length = before[-1], before[-1] - before[-2]

    def next_slice(self, first: int) -> int:
        """Return how many rows to read from this one: whole groups, or an even part of a long one."""
        if not self.length:
            return self.rows
        rest = -(first - self.border) % self.length
        if self.length <= self.rows:
            return rest + max(1, (self.rows - rest) // self.length) * self.length
        left = rest or self.length
        return -(-left // -(-left // self.rows))


def read_parquet(file: InputFile) -> Table:
    """Return a Parquet file as a whole, with its columns of lists."""
    refuse_large(file.path, PARQUET_BYTES, "a Parquet table", "expected a smaller file")
    data = file.read()
    columns = len(parquet_columns(BytesIO(data), file.name))
    rows = parquet_rows(BytesIO(data), file.name)
    if rows * columns > CELLS:
        problem = f"has {rows:,} rows of {columns} columns: more than {CELLS:,} cells"
        raise InputError.of(file.name, problem, "expected a smaller table")
    return Table(_parquet(file.name, lambda: pl.read_parquet(data)), file.name, file=file)


def _parquet(name: str, read: Callable[[], T]) -> T:
    try:
        with quiet():
            return read()
    except (pl.exceptions.PolarsError, OSError) as error:
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        problem = f"cannot be read ({shown(first)})"
    except pl.exceptions.PanicException:  # Polars meets what its format forbids
        problem = "is damaged"
    raise InputError.of(name, problem, "expected a complete Parquet file") from None


def _read_csv(file: InputFile) -> Table:
    return Table(parse_csv(read_all(file), file.name), file.name, 2, file=file, header=True)


def texts(table: Table, *names: str) -> Table:
    """Return the table with these columns as text, as ids are compared; a NaN among numbers is empty."""
    filled = [pl.col(name).fill_nan(None) for name in names if table.frame.schema[name].is_float()]
    columns = [pl.col(name).cast(pl.String) for name in names]
    return replace(table, frame=table.frame.with_columns(filled).with_columns(columns))
