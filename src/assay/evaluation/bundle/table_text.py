"""A table of a bundle from its bytes: ids as text, numbers as numbers."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl
from polars.exceptions import PanicException

from assay.data.readers.column_names import column_list
from assay.data.readers.limits import TABLE_BYTES
from assay.data.readers.polars_panics import quiet
from assay.data.readers.text_blocks import check_text, unpacked
from assay.errors import Fault, InputError, shown
from assay.forked import refuse_forked

TEXTS = ("post_id", "criterion_id", "query_id", "fold", "state", "item")
FLOATS = ("prob", "tau_neg", "tau_pos", "score", "grade")
WHOLE = ("answered", "n", "gold", "has_evidence", "selected_k", "label", "returned")
TYPES = {
    **dict.fromkeys(TEXTS, pl.String()),
    **dict.fromkeys(FLOATS, pl.Float64()),
    **dict.fromkeys(WHOLE, pl.Int64()),
}
TABLE = ("a table of a bundle", "expected a bundle")


def parse_table(data: bytes, name: str) -> pl.DataFrame:
    """Return a table from the bytes of a CSV file, plain or gzip."""
    refuse_forked()
    data = unpacked(data, name, TABLE_BYTES, *TABLE)
    check_text(data, name)
    try:
        with quiet():
            return pl.read_csv(data, schema_overrides=TYPES, infer_schema_length=None)
    except (OSError, pl.exceptions.PolarsError) as error:
        first = (str(error).splitlines() or [type(error).__name__])[0]
        problem = f"cannot be read ({shown(first)})"
    except PanicException:
        problem = "is damaged"
    raise InputError.of(name, problem, "expected a table of a bundle") from None


def filled_columns(frame: pl.DataFrame, source: str, needed: Iterable[str]) -> pl.DataFrame:
    """Return the table, when it has the needed columns and no empty cell in them."""
    faults = []
    for name in needed:
        if name not in frame.columns:
            problem = f"has no column {shown(name)} ({column_list(frame.columns, header=True)})"
            faults.append(Fault(source, "", problem, "expected it"))
        elif frame[name].null_count():
            row = f"row {int(frame[name].is_null().arg_true()[0]) + 2}"
            faults.append(Fault(source, row, f"{name} is empty", "expected a value"))
    if faults:
        raise InputError(faults)
    return frame
