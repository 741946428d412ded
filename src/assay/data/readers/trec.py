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

from assay.data.chunks import Chunk, Scattered, run_starts
from assay.data.readers.text import blocks, check_utf8, read_all
from assay.errors import Fault, InputError, shown

BLANKS = bytes.maketrans(b"\t\r\v\f", b"    ")


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
    if _may_be_plain(block):
        try:
            return _parse_plain(block, layout)
        except Odd:
            pass
    block = _normalised(block)
    return _parse_plain(block, layout) if block else pl.DataFrame(schema=_selected(layout))


def _may_be_plain(block: bytes) -> bool:
    """Only blanks or only tabs between fields, no carriage return, no comment."""
    if b"\r" in block or (b"\t" in block and b" " in block):
        return False
    return not (b"#" in block and (block.startswith(b"#") or b"\n#" in block))


def _parse_plain(block: bytes, layout: Layout) -> pl.DataFrame:
    """Parse lines with exactly one separator between fields; anything else is `Odd`."""
    separator = "\t" if b"\t" in block else " "
    schema = {name: pl.String() for name in layout.fields} | {layout.number: pl.Float64()}
    try:
        frame = (
            pl.scan_csv(
                block, separator=separator, has_header=False, schema=schema, quote_char=None
            )
            .select(layout.query, layout.item, layout.number)
            .collect()
        )
    except pl.exceptions.PolarsError:
        raise Odd from None
    separators = np.count_nonzero(np.frombuffer(block, dtype=np.uint8) == ord(separator))
    if separators != frame.height * (len(layout.fields) - 1) or any(frame.null_count().row(0)):
        raise Odd
    if not np.isfinite(frame[layout.number].to_numpy()).all():
        raise Odd
    return frame


def _selected(layout: Layout) -> dict[str, pl.DataType]:
    return {layout.query: pl.String(), layout.item: pl.String(), layout.number: pl.Float64()}


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


def read_queries(path: Path, layout: Layout) -> Iterator[Chunk]:
    """A file as chunks of whole queries, in file order, with bounded memory.

    Where the lines of a query do not stand together or a line is odd, it is one chunk of all of
    it; where that shows only after chunks were given out, `Scattered`.
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
            starts = run_starts(frame[layout.query])
            names = frame[layout.query].gather(starts).to_list()
            if len(set(names)) < len(names) or not closed.isdisjoint(names):
                raise Odd
            last = int(starts[-1])  # this query may go on in the next block
            carried = frame[last:]
            closed.update(names[:-1])
            if last:
                numbers = frame[layout.number].to_numpy()[:last]
                yield Chunk(names[:-1], starts[:-1], frame[layout.item][:last], numbers)
    except Odd:
        if closed:
            raise Scattered from None
        yield read_whole(path, layout)
        return
    if carried is None:
        raise InputError.of(path.name, "has no line", f"lines of {' '.join(layout.fields)}")
    yield Chunk.of(carried)


def read_whole(path: Path, layout: Layout) -> Chunk:
    """A file as one chunk, whatever the order of its lines."""
    return Chunk.of(read_lines(path, layout))


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
