"""On an executor: Arrow batches of a run as checked rows, each with its place in the input.

The place of a row is (part, block, position): the number of its file in name order (or of its
partition, where the input is a data frame), the byte at which Spark cut the file (TREC text only),
and the line or row from there, from 0. Ordered by place, rows are in the order in which one process
would read them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from assay.data import table_checks
from assay.data.corpus import sentences_of_posts
from assay.data.readers.table_files import Table
from assay.engines.executor.spark_text import BLOCK, MOST_FAULTS, PART, POSITION, Faults, Places, text_rows

FILE = "__file"
PLACE = (PART, BLOCK, POSITION)
ROW_SCHEMA = f"query string, item string, score double, {PART} bigint, {BLOCK} bigint, {POSITION} bigint"
TEXT, TABLE, FRAME = "text", "table", "frame"
ROWS_AT_ONCE = 1 << 17
"""Spark sends 10,000 rows at a time, which is too few for columns to pay."""


@dataclass(frozen=True, slots=True)
class RowLayout:
    """How to read the batches of an input.

    text: the bytes of a line, its file and block. table: the columns of the query, item and score as
    they were written, with file and position. frame: as a table, but without a place.
    """

    kind: str
    keys: tuple[str, ...] = ("query",)  # columns that name a query, joined where there are several
    item: str = "item"
    score: str = "score"
    files: tuple[tuple[int, int], ...] = ()  # hash of a file's path, and its number
    sentences: pl.DataFrame | None = None  # post_id and sent_uid of the sentences that may be candidates


def read_rows(
    batches: Iterable[Any], layout: RowLayout, partition: int, faults: Faults
) -> Iterator[pl.DataFrame]:
    """Give frames of query, item, score and place; rows with faults are left out and noted."""
    numbers = dict(layout.files)
    lines: Places = {}
    seen = 0
    for batch in _at_once(batches):
        if layout.kind == TEXT:
            yield from text_rows(batch, numbers, lines, faults)
            continue
        frame = pl.DataFrame(pl.from_arrow(batch))
        if layout.kind == TABLE:
            places = [
                frame[FILE].replace_strict(numbers, return_dtype=pl.Int64).alias(PART),
                frame[POSITION].cast(pl.Int64),
            ]
        else:
            places = [
                pl.Series(PART, np.full(len(frame), partition)),
                pl.Series(POSITION, np.arange(seen, seen + len(frame))),
            ]
        seen += len(frame)
        placed = frame.select(*dict.fromkeys((*layout.keys, layout.item, layout.score)))
        placed = placed.with_columns(pl.lit(0, dtype=pl.Int64).alias(BLOCK), *places)
        yield _table_rows(placed, layout, faults)


def _at_once(batches: Iterable[Any]) -> Iterator[Any]:
    """Give larger batches of the same rows in the same order."""
    import pyarrow as pa

    held: list[Any] = []
    rows = 0

    def joined() -> Any:
        return pa.Table.from_batches(held).combine_chunks().to_batches()[0]

    for batch in batches:
        if batch.num_rows:
            held.append(batch)
            rows += batch.num_rows
        if rows >= ROWS_AT_ONCE:
            yield joined()
            held, rows = [], 0
    if rows:
        yield joined()


def query_key(keys: tuple[str, ...]) -> pl.Expr:
    """Return one text per query; of several columns, a text that no other ids could give."""
    first, *others = (pl.col(name).cast(pl.String) for name in keys)
    for other in others:
        first = pl.concat_str(first.str.len_bytes().cast(pl.String), pl.lit(":"), first, other)
    return first.alias("query")


def _table_rows(placed: pl.DataFrame, layout: RowLayout, faults: Faults) -> pl.DataFrame:
    ids = tuple(dict.fromkeys((*layout.keys, layout.item)))
    typed = placed.with_columns(pl.col(name).cast(pl.String) for name in ids)
    table = Table(typed, "", first_row=0)
    scores, wrong = table_checks.numbers(table, layout.score, None, f"{layout.score}s must be finite")
    # A corpus has no empty id; in a run an empty text is one, as where it is read in slices.
    if layout.sentences is not None or any(typed[name].null_count() for name in ids):
        wrong += table_checks.filled(table, *ids)
    if layout.sentences is not None:
        known = typed["post_id"].is_in(layout.sentences["post_id"].implode())
        known &= typed["sent_uid"].is_not_null()
        foreign = sentences_of_posts(table, Table(layout.sentences, ""))
        wrong += [fault for fault in foreign if known[fault.row]]
    for fault in wrong[:MOST_FAULTS]:
        faults.add(placed.select(PLACE).row(fault.row), fault.problem, fault.expected)
    rows = typed.select(query_key(layout.keys), pl.col(layout.item).alias("item"), *PLACE)
    rows = rows.insert_column(2, scores.alias("score"))
    if not wrong:
        return rows
    return rows.filter(~np.isin(np.arange(len(rows)), [fault.row for fault in wrong]))
