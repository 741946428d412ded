"""On an executor: lines of TREC text as rows, each with its line in the block that Spark cut."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from assay.array_types import Ints
from assay.data.readers.text_blocks import check_utf8
from assay.data.trec.checked_lines import BLANK_MARKS, checked_lines
from assay.data.trec.trec_text import RUN, parse_block
from assay.errors import InputError, OddLineError

PART, BLOCK, POSITION = "__part", "__block", "__position"
MOST_FAULTS = 20
"""Of one task: a message shows no more."""
COLUMNS = {"query": pl.String(), "item": pl.String(), "score": pl.Float64(), POSITION: pl.Int64()}

Places = dict[tuple[int, int], int]
"""Lines that were read so far, by file and block."""


@dataclass(slots=True)
class Faults:
    """What a task has found wrong: part, block and position, the problem and what was expected."""

    found: list[tuple[int, int, int, str, str]] = field(default_factory=list)

    def add(self, place: tuple[Any, ...], problem: str, expected: str) -> None:
        """Add a fault, unless there are enough of them."""
        if len(self.found) < MOST_FAULTS:
            part, block, position = place
            self.found.append((part, block, position, problem, expected))


def text_rows(batch: Any, numbers: Mapping[int, int], read: Places, faults: Faults) -> Iterator[pl.DataFrame]:
    """Give the rows of each block of text that a batch (value, file, block) has lines of."""
    import pyarrow as pa
    import pyarrow.compute as pc

    value, file, block = batch.columns
    starts = run_starts(file.to_numpy(), block.to_numpy())
    for first, end in zip(starts.tolist(), [*starts[1:].tolist(), batch.num_rows], strict=True):
        at = (numbers[file[first].as_py()], block[first].as_py())
        lines = pa.ListArray.from_arrays(pa.array([0, end - first], pa.int32()), value[first:end])
        text = pc.binary_join(lines, b"\n")[0].as_py()
        before = read.get(at, 0)
        rows = _parsed(text, end - first, (*at, before), faults)
        read[at] = before + end - first
        yield rows.select(
            "query",
            "item",
            "score",
            pl.lit(at[0], dtype=pl.Int64).alias(PART),
            pl.lit(at[1], dtype=pl.Int64).alias(BLOCK),
            pl.col(POSITION) + before,
        )


def run_starts(*columns: Ints) -> Ints:
    """Return the rows where any of the columns differs from the row before."""
    fresh = np.ones(len(columns[0]), dtype=bool)
    fresh[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in columns])
    return np.flatnonzero(fresh)


def _parsed(text: bytes, lines: int, start: tuple[int, int, int], faults: Faults) -> pl.DataFrame:
    """Return query, item, score and line; the lines are counted from 0."""
    try:
        frame = parse_block(text, RUN)
    except OddLineError:
        return _line_by_line(text, start, faults)
    frame.columns = ["query", "item", "score"]
    kept = np.arange(lines)
    if len(frame) < lines:  # without comments and empty lines
        marks = BLANK_MARKS.encode()
        stripped = [line.strip(marks) for line in text.split(b"\n")]
        kept = np.flatnonzero([bool(line) and not line.startswith(b"#") for line in stripped])
    return frame.with_columns(pl.Series(POSITION, kept, dtype=pl.Int64))


def _line_by_line(text: bytes, start: tuple[int, int, int], faults: Faults) -> pl.DataFrame:
    part, block, before = start
    try:
        check_utf8(text, 1, "")
    except InputError as error:
        for fault in error.faults:
            faults.add((part, block, before + fault.row - 1), fault.problem, fault.expected)
        return pl.DataFrame(schema=COLUMNS)
    rows, wrong = checked_lines(text.decode(), "", RUN)
    for fault in wrong:
        if "is already listed" not in fault.problem:  # repeats are found in whole queries
            faults.add((part, block, before + fault.row - 1), fault.problem, fault.expected)
    placed = [(query, item, score, line - 1) for line, query, item, score in rows]
    return pl.DataFrame(placed, schema=COLUMNS, orient="row")
