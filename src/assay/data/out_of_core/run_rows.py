"""The rows of a run in parts, in input order: TREC text, Parquet and delimited text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from assay.data.out_of_core.table_parts import csv_parts
from assay.data.readers.column_names import RUN as TABLE
from assay.data.readers.column_names import chosen_columns, has_header, placed_columns
from assay.data.readers.csv_text import plain_csv, sniffed_separator
from assay.data.readers.file_kinds import DELIMITED, PARQUET
from assay.data.readers.table_files import Table, parquet_columns, read_slices, require, texts
from assay.data.readers.text_blocks import BLOCK, blocks, check_utf8, head_of
from assay.data.runs import TREC, Pairs, Run
from assay.data.trec.checked_lines import checked_lines
from assay.data.trec.trec_text import RUN, parse_block
from assay.errors import Fault, InputError, OddLineError, shown
from assay.files.input_file import InputFile

LINE = 32
"""Bytes of a short line of TREC text."""
MOST_FAULTS = 10_000
"""Faults of a file that are kept."""
SCHEMA = {"query": pl.String(), "item": pl.String(), "score": pl.Float64()}


def has_rows(run: Run) -> bool:
    """Return whether a run can be read in parts."""
    return run.file is not None and run.form in (TREC, PARQUET, DELIMITED)


def run_rows(run: Run, rows: int) -> Iterator[pl.DataFrame]:
    """Give columns query, item and score in frames of about so many rows.

    Faults of all rows are raised at the end.
    """
    assert run.file is not None, "the caller has asked whether there are rows"
    if run.form == TREC:
        yield from _lines(run.file, min(BLOCK, rows * LINE))
        return
    from assay.data.readers.run_tables import checked_triples

    faults: list[Fault] = []
    for table, chosen in _tables(run, rows):
        try:
            checked = checked_triples(table, chosen, None, blank=run.form == DELIMITED)
        except InputError as error:
            faults += error.faults[: MOST_FAULTS - len(faults)]
            continue
        if not faults and not checked.is_empty():
            checked.columns = list(SCHEMA)
            yield checked
    if faults:
        raise InputError(faults)


def explain_pairs(run: Run, pairs: Pairs, rows: int) -> None:
    """Raise a fault for every repeat of these pairs."""
    assert run.file is not None, "the caller has asked whether there are rows"
    faults: list[Fault] = []
    seen: dict[tuple[str, str], int] = {}
    if run.form == TREC:
        line = 0
        for block in blocks(run.file):
            _, found = checked_lines(block.decode(), run.file.name, RUN, before=line, only=pairs, seen=seen)
            faults += found[: MOST_FAULTS - len(faults)]
            line += block.count(b"\n")
        raise InputError(faults)
    wanted = pl.DataFrame(list(pairs), schema=["query", "item"], orient="row")
    for table, chosen in _tables(run, rows):
        keys = table.frame.select(
            pl.col(name).cast(pl.String).alias(key)
            for name, key in zip(chosen[:2], wanted.columns, strict=True)
        )
        mine = keys.with_row_index("row").join(wanted, on=wanted.columns, how="semi").sort("row")
        for row, query, item in mine.iter_rows():
            if (query, item) in seen and len(faults) < MOST_FAULTS:
                problem = f"document {shown(item)} of query {shown(query)} is listed twice"
                faults.append(table.fault(row, problem, "expected each once"))
            seen[query, item] = row
    raise InputError(faults)


def _lines(file: InputFile, size: int) -> Iterator[pl.DataFrame]:
    """Give the rows of TREC text; odd lines are read one by one."""
    line, empty, faults = 0, True, list[Fault]()
    for block in blocks(file, size):
        try:
            frame = parse_block(block, RUN)
        except OddLineError:
            check_utf8(block, line + 1, file.name)
            rows, found = checked_lines(block.decode(), file.name, RUN, before=line)
            faults += found[: MOST_FAULTS - len(faults)]
            frame = pl.DataFrame([row[1:] for row in rows], schema=SCHEMA, orient="row")
        line += block.count(b"\n")
        if not faults and not frame.is_empty():
            empty = False
            frame.columns = list(SCHEMA)
            yield frame
    if faults:
        raise InputError(faults)
    if empty:
        raise InputError.of(file.name, "has no line", f"expected lines of {' '.join(RUN.fields)}")


def _tables(run: Run, rows: int) -> Iterator[tuple[Table, Sequence[str]]]:
    """Give a Parquet or delimited file in parts, and which columns are the query, item and score."""
    file, named = run.file, dict(run.columns or {})
    assert file is not None, "the caller has looked"
    if run.form == PARQUET:
        with file.mapped() as handle:
            chosen = chosen_columns(parquet_columns(handle, file.name), file.name, TABLE, named)
            for table in read_slices(handle, file.name, chosen, rows):
                yield table, chosen
        return
    separator, first = sniffed_separator(plain_csv(_whole_lines(head_of(file)), file.name), file.name)
    header = has_header(first, TABLE, named)
    chosen = []
    for table in csv_parts(file, rows, separator, header=header):
        if not chosen:
            has = table.frame.columns
            if not header:
                if len(has) == 3 and "score" not in named:
                    from assay.data.readers.run_tables import refuse_ranks

                    refuse_ranks(table)
                named = dict(placed_columns(has, TABLE, named))
            chosen = list(chosen_columns(has, file.name, TABLE, named, header=header))
        yield texts(require(table, ()), *chosen[:2]), chosen


def _whole_lines(head: bytes) -> bytes:
    """Return the first bytes of a file without a line that they cut."""
    return head[: head.rfind(b"\n") + 1] or head
