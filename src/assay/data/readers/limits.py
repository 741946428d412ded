"""How large an input may be, in one place; docs/data-formats.md lists these numbers.

Formats that are read as a whole have a limit of bytes, so that an endless or sparse file is
refused with a message instead of filling the memory. Runs are read in blocks and need none.
"""

from __future__ import annotations

from assay.errors import InputError

MB = 1 << 20
GB = 1 << 30

TABLE_BYTES = 1 * GB  # CSV and JSON lines, unpacked
PARQUET_BYTES = 4 * GB  # of a file that is read as a whole
TREC_BYTES = 8 * GB  # TREC and BEIR text, unpacked, where it is read as a whole
JSON_BYTES = 128 * MB
TOML_BYTES = 1 * MB
LINE_BYTES = 64 * MB  # one line of TREC text
COLUMNS = 10_000  # of a table
CELLS = 2_000_000_000  # of a Parquet file that is read as a whole
ROWS_AT_LEAST, ROWS_PER_BYTE = 1_000_000, 100  # of any Parquet file
NESTING = 100  # levels of JSON or TOML


def too_large(source: str, limit: int, what: str, expected: str) -> InputError:
    """Return the error of a file above its limit."""
    shown = f"{limit // GB} GB" if limit >= GB else f"{limit // MB} MB"
    return InputError.of(source, f"is larger than {shown}, the limit of {what}", expected)
