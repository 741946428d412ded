"""Tables of a folder, as CSV or Parquet; and any data frame with the Arrow interface.

Everything is read as text first, so that a wrong value can be shown as it stands in the file.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import polars as pl

from assay.data.readers.text import check_utf8, read_all
from assay.errors import Fault, InputError, shown
from assay.files.source import InputFile

T = TypeVar("T")
SLICE = 1 << 19
ENDINGS = (".csv", ".csv.gz", ".parquet")
csv.field_size_limit(1 << 30)  # a sentence may be long
KNOWN = frozenset(
    (
        "post_id", "criterion_id", "sent_uid", "position", "text", "name", "grade", "fold", "score",
        "prob", "selected_k", "state", "tau_neg", "tau_pos", "query_id", "q_id", "doc_id", "split",
        "role", "label",
    )
)  # fmt: skip
"""Names that a message may repeat: in a file without a header, any other could be a sentence."""


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
    return found[0] if found else None


def read_folder_table(folder: Path, name: str, columns: Iterable[str]) -> Table | None:
    """A table of a folder with at least these columns, or None where there is no such file."""
    path = find_table(folder, name)
    return None if path is None else read_table(path, columns)


def read_table(source: Path | InputFile, columns: Iterable[str]) -> Table:
    """A CSV or Parquet file with at least these columns."""
    file = source if isinstance(source, InputFile) else InputFile(source)
    table = _read_parquet(file) if file.path.suffix == ".parquet" else _read_csv(file)
    return replace(require(table, columns), file=file)


def table_of(data: Any, source: str, columns: Iterable[str] = ()) -> Table:
    """A table from a data frame (polars, pandas, pyarrow, anything with the Arrow interface)."""
    return require(Table(frame_of(data, source), source), columns)


def frame_of(data: Any, source: str) -> pl.DataFrame:
    """A Polars frame of a data frame."""
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


def parquet_columns(handle: BinaryIO, name: str) -> list[str]:
    """Names of the columns of a Parquet file."""
    return _parquet(name, lambda: pl.scan_parquet(handle).collect_schema().names())


def read_slices(handle: BinaryIO, name: str, columns: Sequence[str]) -> Iterator[Table]:
    """Columns of a Parquet file in tables of some SLICE rows, with a fraction of the memory of one.

    A file without rows is one empty table. Polars gets the open file: a path would be a pattern.
    """
    total = _parquet(name, lambda: pl.scan_parquet(handle).select(pl.len()).collect().item())
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
    data = file.read()
    return Table(_parquet(file.name, lambda: pl.read_parquet(data)), file.name)


def _parquet(name: str, read: Callable[[], T]) -> T:
    try:
        return read()
    except (pl.exceptions.PolarsError, OSError) as error:
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError.of(name, f"cannot be read ({shown(first)})", "expected Parquet") from None


def _read_csv(file: InputFile) -> Table:
    data = read_all(file).rstrip()
    check_utf8(data, 1, file.name)
    if not data:
        raise InputError.of(file.name, "is empty", "expected a header and rows")
    try:
        frame = pl.read_csv(data, infer_schema=False)
    except pl.exceptions.PolarsError:
        faults = _csv_faults(data.decode(), file.name)
        unclear = Fault(file.name, "", "is not CSV", "expected fields in quotes to be closed")
        raise InputError(faults or [unclear]) from None
    header = next(csv.reader(io.StringIO(data.partition(b"\n")[0].decode())), [])
    twice = sorted({name for name in header if header.count(name) > 1} & KNOWN)
    if twice:
        raise InputError.of(file.name, f"has two columns {twice[0]}", "expected each name once")
    faults = _csv_faults(data.decode(), file.name) if _ragged(frame) else []
    if faults:
        raise InputError(faults)
    return Table(frame.rename({name: name.strip() for name in frame.columns}), file.name, 2)


def _ragged(frame: pl.DataFrame) -> bool:
    """A null in the last column may be a row that ends early."""
    return bool(frame[frame.columns[-1]].null_count())


def _csv_faults(text: str, source: str) -> list[Fault]:
    """Rows with another number of fields than the header; else what is not CSV at all."""
    reader = csv.reader(io.StringIO(text, newline=""))
    width = len(next(reader, []))
    faults = []
    for number, row in enumerate(reader, start=2):
        if len(row) != width:
            problem = f"has {len(row)} fields" if row else "is empty"
            faults.append(
                Fault(source, f"row {number}", problem, f"expected {width}, as in the header")
            )
    if faults:
        return faults
    strict = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows = 0
    try:
        for _ in strict:
            rows += 1
    except csv.Error as error:
        return [Fault(source, f"row {rows + 1}", f"is not CSV ({error})", "expected closed quotes")]
    return []


def texts(table: Table, *names: str) -> Table:
    """The table with these columns as text, as ids are compared."""
    columns = [pl.col(name).cast(pl.String) for name in names]
    return replace(table, frame=table.frame.with_columns(columns))
