"""TREC qrels and runs as text: any blanks between fields, comments, gzip.

A block is parsed by Polars when every line has the same single separator, and is brought into that
form when not. Whatever is still odd goes to `explain`, which reads line by line and says where.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from assay.data.readers.text import blocks, check_utf8, read_all
from assay.errors import Fault, InputError, shown

BLANKS = bytes.maketrans(b"\t\r\v\f", b"    ")
SLOW_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Layout:
    """The fields of a kind of line, and which of them are the query, the item and the number."""

    fields: tuple[str, ...]
    query: str
    item: str
    number: str
    unit: str  # what the number is called in messages


RUN = Layout(
    ("query", "Q0", "document", "rank", "score", "tag"), "query", "document", "score", "score"
)
QRELS = Layout(("query", "iteration", "document", "grade"), "query", "document", "grade", "grade")


class Odd(Exception):  # noqa: N818 # not an error: a reason to read line by line
    """The block is not of the plain form."""


def parse_block(block: bytes, layout: Layout) -> pl.DataFrame:
    """Columns query, item and number of a block; `Odd` where a line needs a closer look."""
    if not block.endswith(b"\n"):
        block += b"\n"
    separator = b"\t" if b"\t" in block else b" "
    if not _uniform(block, separator, len(layout.fields)):
        block, separator = _normalised(block), b" "
        if not block:
            return pl.DataFrame(schema=_selected(layout))
        if not _uniform(block, separator, len(layout.fields)):
            raise Odd
    schema = {name: pl.String() for name in layout.fields} | {layout.number: pl.Float64()}
    try:
        frame = (
            pl.scan_csv(
                block,
                separator=separator.decode(),
                has_header=False,
                schema=schema,
                quote_char=None,
            )
            .select(layout.query, layout.item, layout.number)
            .collect()
        )
    except pl.exceptions.PolarsError:
        raise Odd from None
    if frame.height != block.count(b"\n") or any(frame.null_count().row(0)):
        raise Odd
    if not np.isfinite(frame[layout.number].to_numpy()).all():
        raise Odd
    return frame


def _selected(layout: Layout) -> dict[str, pl.DataType]:
    return {layout.query: pl.String(), layout.item: pl.String(), layout.number: pl.Float64()}


def _uniform(block: bytes, separator: bytes, fields: int) -> bool:
    """One separator between fields and nothing else that is blank, no comment."""
    if b"\r" in block or block.startswith(b"#") or (separator == b"\t" and b" " in block):
        return False
    if b"#" in block and b"\n#" in block:
        return False
    text = np.frombuffer(block, dtype=np.uint8)
    lines = np.count_nonzero(text == ord(b"\n"))
    return bool(np.count_nonzero(text == ord(separator)) == lines * (fields - 1))


def _normalised(block: bytes) -> bytes:
    """One blank between fields, no empty lines, no comments."""
    block = re.sub(rb" {2,}", b" ", block.translate(BLANKS))
    block = re.sub(rb"(?m)^ | $", b"", block)
    block = re.sub(rb"(?m)^#.*\n?", b"", block)
    return re.sub(rb"\n{2,}", b"\n", block).lstrip(b"\n")


def read_lines(path: Path, layout: Layout) -> pl.DataFrame:
    """A whole file as columns query, item, number."""
    try:
        frames = [parse_block(block, layout) for block in blocks(path)]
    except Odd:
        frames = [explained(path, layout)]
    frame = pl.concat(frames) if frames else pl.DataFrame(schema=_selected(layout))
    if frame.is_empty():
        raise InputError.of(path.name, "has no line", f"lines of {' '.join(layout.fields)}")
    return frame


def read_queries(path: Path, layout: Layout) -> Iterator[pl.DataFrame]:
    """A file as frames of whole queries, in file order, with bounded memory.

    Where the lines of a query do not stand together, or a line is odd, one frame of all of it.
    """
    closed: set[str] = set()
    carried: pl.DataFrame | None = None
    try:
        for block in blocks(path):
            frame = parse_block(block, layout)
            if carried is not None:
                frame = pl.concat([carried, frame])
            if frame.is_empty():
                continue
            names = frame[layout.query]
            starts = (names != names.shift(1)).fill_null(True).arg_true()
            seen = names.gather(starts).to_list()
            if len(set(seen)) < len(seen) or not closed.isdisjoint(seen):
                raise Odd
            last = starts[-1]
            carried = frame[last:]
            closed.update(seen[:-1])
            if last:
                yield frame[:last]
    except Odd:
        if closed:
            raise Restart from None
        yield read_lines(path, layout)
        return
    if carried is None:
        raise InputError.of(path.name, "has no line", f"lines of {' '.join(layout.fields)}")
    yield carried


class Restart(Exception):  # noqa: N818 # not an error: what was yielded so far must be dropped
    """Parts were given out before it turned out that queries do not stand together."""


def explained(path: Path, layout: Layout, skip: int = 0) -> pl.DataFrame:
    """Read line by line: every fault with its line, or the columns where there is none.

    Fields after the last one are ignored, as trec_eval does.
    """
    data = read_all(path)
    check_utf8(data, 1, path.name)
    number_at, item_at = layout.fields.index(layout.number), layout.fields.index(layout.item)
    rows: list[tuple[str, str, float]] = []
    faults: list[Fault] = []
    for line_number, line in enumerate(data.decode().split("\n"), start=1):
        fields = line.split()
        if line_number <= skip or not fields or fields[0].startswith("#"):
            continue
        place = f"line {line_number}"
        if len(fields) < len(layout.fields):
            found = f"has {len(fields)} field{'s' if len(fields) > 1 else ''} ({shown(line[:80])})"
            expected = f"expected {len(layout.fields)}: {' '.join(layout.fields)}"
            faults.append(Fault(path.name, place, found, expected))
            continue
        try:
            number = float(fields[number_at])
        except ValueError:
            problem = f"{layout.unit} is {shown(fields[number_at])}"
            faults.append(Fault(path.name, place, problem, f"{layout.unit}s must be numbers"))
            continue
        if not math.isfinite(number):
            problem = f"{layout.unit} is {fields[number_at]}"
            faults.append(Fault(path.name, place, problem, f"{layout.unit}s must be finite"))
            continue
        rows.append((fields[0], fields[item_at], number))
    if faults:
        raise InputError(faults)
    return pl.DataFrame(rows, schema=_selected(layout), orient="row")


def repeated_lines(path: Path, layout: Layout) -> list[Fault]:
    """Where a (query, item) pair stands a second time."""
    frame = read_lines(path, layout)
    first: dict[tuple[str, str], int] = {}
    faults = []
    numbers = _content_lines(path)
    for at, (query, item) in enumerate(frame.select(layout.query, layout.item).iter_rows()):
        line = numbers[at]
        before = first.setdefault((query, item), line)
        if before != line:
            problem = (
                f"document {shown(item)} of query {shown(query)} is there already (line {before})"
            )
            faults.append(Fault(path.name, f"line {line}", problem, "each document once a query"))
    return faults


def _content_lines(path: Path) -> list[int]:
    """Line numbers of the lines that are not blank and not comments."""
    lines = read_all(path).split(b"\n")
    stripped = ((number, line.strip()) for number, line in enumerate(lines, start=1))
    return [number for number, line in stripped if line and not line.startswith(b"#")]
