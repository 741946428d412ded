"""A table of a bundle from its bytes: ids as text, numbers as numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl

from assay.data.cases import FACTS
from assay.data.readers.column_names import column_list
from assay.data.readers.csv_records import first_record
from assay.data.readers.limits import TABLE_BYTES
from assay.data.readers.polars_panics import quiet
from assay.data.readers.text_blocks import check_text, unpacked
from assay.errors import Fault, InputError, shown
from assay.forked import refuse_forked

TEXTS = ("post_id", "criterion_id", "query_id", "fold", "state", "item", "group")
FLOATS = ("prob", "tau_neg", "tau_pos", "score", "grade", *FACTS)
WHOLE = ("answered", "n", "gold", "has_evidence", "selected_k", "label", "returned")
TYPES = {
    **dict.fromkeys(TEXTS, pl.String()),
    **dict.fromkeys(FLOATS, pl.Float64()),
    **dict.fromkeys(WHOLE, pl.Int64()),
}
NOT_OF_QUERIES = ("score", "grade", "label", "returned")
"""Columns of other tables: in per_query.csv they can only be a user's own, named with `by`."""
QUERIES = "per_query.csv"
TABLE = ("a table of a bundle", "expected a bundle")


@dataclass(frozen=True, slots=True)
class StoredRows:
    """A table that is held as the bytes of its file, and parsed on first use."""

    data: bytes
    name: str
    texts: tuple[str, ...] = ()  # columns that are text although their values may look like numbers

    def __call__(self) -> pl.DataFrame:
        """Return the whole table."""
        return parse_table(self.data, self.name, texts=self.texts)

    @property
    def columns(self) -> list[str]:
        """Return the names of the columns."""
        header, _ = first_record(iter([self.data]))
        return parse_table(header, self.name).columns

    def select(self, names: Iterable[str]) -> pl.DataFrame:
        """Return some columns of all rows."""
        wanted = list(names)
        if not wanted:
            return pl.DataFrame()
        return parse_table(self.data, self.name, wanted, self.texts).select(wanted)


def parse_table(
    data: bytes, name: str, columns: list[str] | None = None, texts: Iterable[str] = ()
) -> pl.DataFrame:
    """Return a table from the bytes of a CSV file, plain or gzip, or some of its columns.

    Ids are text, as are the columns in `texts`.
    """
    refuse_forked()
    known = {each: kind for each, kind in TYPES.items() if name != QUERIES or each not in NOT_OF_QUERIES}
    known |= {each: pl.String() for each in texts if each not in known}
    data = unpacked(data, name, TABLE_BYTES, *TABLE)
    check_text(data, name)
    try:
        with quiet():
            # To infer types takes six times as long as to parse, and candidates need no inference.
            header, _ = first_record(iter([data]))
            names = columns or pl.read_csv(header, infer_schema=False).columns
            rows = None if set(names) - set(known) else 0
            return pl.read_csv(data, schema_overrides=known, infer_schema_length=rows, columns=columns)
    except (OSError, pl.exceptions.PolarsError) as error:
        first = (str(error).splitlines() or [type(error).__name__])[0]
        problem = f"cannot be read ({shown(first)})"
    except pl.exceptions.PanicException:
        problem = "is damaged"
    raise InputError.of(name, problem, "expected a table of a bundle") from None


def filled_columns(frame: pl.DataFrame, source: str, needed: Iterable[str], first: int = 0) -> pl.DataFrame:
    """Return the table, when it has the needed columns and no empty cell in them.

    `first` is the place of the first row, from 0, where the frame is a part of the table.
    """
    faults = []
    for name in needed:
        if name not in frame.columns:
            problem = f"has no column {shown(name)} ({column_list(frame.columns, header=True)})"
            faults.append(Fault(source, "", problem, "this column is required"))
        elif frame[name].null_count():
            row = f"row {first + int(frame[name].is_null().arg_true()[0]) + 2}"
            faults.append(Fault(source, row, f"{name} is empty", "expected a value"))
    if faults:
        raise InputError(faults)
    return frame
