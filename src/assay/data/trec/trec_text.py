"""TREC qrels and runs as text: any blanks between fields, comments, gzip.

A block is parsed by Polars when every line has the same single separator, and is brought into that
form when not. Whatever is still odd goes to `explain`, which reads line by line and says where.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice

import numpy as np
import polars as pl

from assay.data.cases import LARGEST_GRADE
from assay.data.packed_text.packed_lines import packed_lines
from assay.data.readers.limits import TREC_BYTES, too_large
from assay.data.readers.text_blocks import BLOCK, blocks, check_utf8, read_all
from assay.data.runs import TREC, Chunk, Qrels, Run, whole_queries
from assay.data.trec.checked_lines import ASCII_BLANKS, BLANK_MARKS, checked_lines
from assay.errors import InputError, OddLineError, ScatteredQueriesError
from assay.files.input_file import InputFile
from assay.forked import refuse_forked
from assay.plain_number import plain_number

BLANKS = bytes.maketrans(b"\t\r", b"  ")
TEXT = {mark: bytes(set(range(256)) - {ord(mark), ord("\n")}) for mark in (b" ", b"\t")}
"""All bytes but a separator and the end of a line."""
SLICE = 1 << 18
PACKED_BLOCK = 1 << 20
"""Bytes that NumPy parses at once: they stay in the cache, as does what it makes of them."""
LONGEST_REST = 2 << 20
"""Bytes of a query that are carried to the next block and parsed again, until Polars does it."""
WHOLE = ("TREC text that is read as a whole", "expected the lines of each query together")


@dataclass(frozen=True, slots=True)
class Layout:
    """The fields of a kind of line, and which of them are the query, the item and the number."""

    fields: tuple[str, ...]
    query: str
    item: str
    number: str
    more: bool = False  # whether further fields may follow, which are ignored
    largest: float = float("inf")  # of the number, with either sign


RUN = Layout(("query", "Q0", "document", "rank", "score", "tag"), "query", "document", "score", more=True)
QRELS = Layout(
    ("query", "iteration", "document", "grade"), "query", "document", "grade", largest=LARGEST_GRADE
)


def looks_plain(head: bytes, layout: Layout) -> bool:
    """Return whether a file that begins with these bytes may be TREC text: its first line is."""
    lines = (line.decode("utf-8", "replace").strip(BLANK_MARKS) for line in head.split(b"\n"))
    first = next((line for line in lines if line and not line.startswith("#")), None)
    if first is None or b"\n" not in head:
        return first is None
    fields = ASCII_BLANKS.split(first)
    if len(fields) < len(layout.fields) or (len(fields) > len(layout.fields) and not layout.more):
        return False
    try:
        float(fields[layout.fields.index(layout.number)])
    except ValueError:
        return False
    return True


def parse_block(block: bytes, layout: Layout) -> pl.DataFrame:
    """Return columns query, item and number of a block; raise `OddLineError` on unusual lines."""
    refuse_forked()
    block = _with_line_ends(block)
    separator = b"\t" if b"\t" in block[: block.index(b"\n")] else b" "
    if _is_plain(block, separator, layout):
        try:
            return _parse_plain(block, separator, layout)
        except OddLineError:
            pass
    block = _normalised(block)
    if not block:
        return pl.DataFrame(schema=_selected(layout))
    if not _is_plain(block, b" ", layout):
        raise OddLineError
    return _parse_plain(block, b" ", layout)


def _with_line_ends(block: bytes) -> bytes:
    """Return a block whose lines end with a line feed, the last one too."""
    if not block.endswith(b"\n"):
        block += b"\n"
    return block.replace(b"\r\n", b"\n") if b"\r" in block else block


def _with_spaces(block: bytes) -> bytes:
    """Return a block with line feeds, and with spaces where it has tabs only."""
    block = _with_line_ends(block)
    return block.replace(b"\t", b" ") if b"\t" in block and b" " not in block else block


def _is_plain(block: bytes, separator: bytes, layout: Layout) -> bool:
    """Return whether all lines have the fields of the layout, none of them empty, and a separator between.

    No other blank and no comment, that is. What is left without the text of the fields must be the
    same marks on every line; and if no two of them stand side by side, no field is empty.
    """
    if any(mark in block for mark in (b" ", b"\t", b"\r") if mark != separator):
        return False
    if b"#" in block and (block.startswith(b"#") or b"\n#" in block):
        return False
    line = separator * (len(layout.fields) - 1) + b"\n"
    marks = block.translate(None, TEXT[separator])
    return marks == line * (len(marks) // len(line)) and not _side_by_side(block)


def _side_by_side(block: bytes) -> bool:
    """Return whether two marks (or other bytes that nobody sees) follow each other, or one comes first."""
    text = np.frombuffer(block, dtype=np.uint8)
    for begin in range(0, len(text), SLICE):  # slices that stay in the cache
        mark = text[max(begin - 1, 0) : begin + SLICE] <= ord(" ")
        if (mark[1:] & mark[:-1]).any():
            return True
    return bool(text[0] <= ord(" "))


def _parse_plain(block: bytes, separator: bytes, layout: Layout) -> pl.DataFrame:
    """Parse plain lines; raise `OddLineError` on an invalid number or a byte that is not UTF-8."""
    schema = {name: pl.String() for name in layout.fields} | {layout.number: pl.Float64()}
    try:
        frame = (
            pl.scan_csv(block, separator=separator.decode(), has_header=False, schema=schema, quote_char=None)
            .select(*_selected(layout))
            .collect()
        )
    except pl.exceptions.PolarsError:
        raise OddLineError from None
    numbers = frame[layout.number].to_numpy()
    if any(frame.null_count().row(0)) or not np.isfinite(numbers).all():
        raise OddLineError
    if layout.largest < np.inf and np.abs(numbers).max(initial=0) > layout.largest:
        raise OddLineError
    return frame


def _selected(layout: Layout) -> dict[str, pl.DataType]:
    return {layout.query: pl.String(), layout.item: pl.String(), layout.number: pl.Float64()}


def _normalised(block: bytes) -> bytes:
    """Return the block with one blank between fields, and without empty lines and comments."""
    block = re.sub(rb" {2,}", b" ", block.translate(BLANKS))
    block = re.sub(rb"(?m)^ | $", b"", block)
    block = re.sub(rb"(?m)^#.*\n?", b"", block)
    return re.sub(rb"\n{2,}", b"\n", block).lstrip(b"\n")


def read_lines(file: InputFile, layout: Layout) -> pl.DataFrame:
    """Return a whole file as columns query, item, number."""
    return _frame(_bounded(file), file, layout)


def _frame(parts: Iterable[bytes], file: InputFile, layout: Layout) -> pl.DataFrame:
    try:
        frames = [parse_block(block, layout) for block in parts]
    except OddLineError:
        frames = [explained(file, layout)]
    frame = pl.concat(frames) if frames else pl.DataFrame(schema=_selected(layout))
    if frame.is_empty():
        raise InputError.of(file.name, "has no line", f"expected lines of {' '.join(layout.fields)}")
    return frame


def _bounded(file: InputFile) -> Iterator[bytes]:
    """Blocks of a file that is held as a whole, up to the limit of that."""
    size = 0
    for block in blocks(file):
        size += len(block)
        if size > TREC_BYTES:
            raise too_large(file.name, TREC_BYTES, *WHOLE)
        yield block


def read_queries(file: InputFile, layout: Layout) -> Iterator[Chunk]:
    """A file as chunks of whole queries, in file order, with bounded memory.

    Raise `ScatteredQueriesError` where the lines of a query are not together, or a line is odd.
    """
    empty = True
    try:
        for chunk in _chunks(blocks(file, PACKED_BLOCK), layout):
            empty = False
            yield chunk
    except OddLineError:
        raise ScatteredQueriesError from None
    if empty:
        raise InputError.of(file.name, "has no line", f"expected lines of {' '.join(layout.fields)}")


def _chunks(parts: Iterator[bytes], layout: Layout) -> Iterator[Chunk]:
    """Give chunks from blocks of lines: parsed by NumPy as long as lines are plain, then by Polars."""
    closed: set[str] = set()
    rest = b""  # lines of the last query, which may go on in the next block
    for part in parts:
        block = _with_spaces(part)
        lines = packed_lines(block, layout, plain_number, rest) if len(rest) <= LONGEST_REST else None
        if lines is None:
            frames = (parse_block(each, layout) for each in _joined(chain([rest + block], parts)))
            yield from whole_queries(frames, before=closed)
            return
        names, last = lines.names, int(lines.starts[-1])
        if len(set(names)) < len(names) or not closed.isdisjoint(names):
            raise ScatteredQueriesError
        rest = lines.last
        closed.update(names[:-1])
        if last:
            yield Chunk(names[:-1], lines.starts[:-1], lines.items.first(last), lines.numbers[:last])
    if rest:
        lines = packed_lines(rest, layout, plain_number)
        assert lines is not None, "it was parsed with the lines before it"
        yield Chunk(lines.names, lines.starts, lines.items, lines.numbers)


def _joined(parts: Iterable[bytes]) -> Iterator[bytes]:
    """Join blocks to the size that is best for Polars."""
    held: list[bytes] = []
    for part in parts:
        held.append(part)
        if sum(map(len, held)) >= BLOCK:
            yield b"".join(held)
            held = []
    if held:
        yield b"".join(held)


def read_whole(file: InputFile, layout: Layout) -> Chunk:
    """Return a file as one chunk, whatever the order of its lines."""
    return Chunk.of(read_lines(file, layout))


def trec_qrels(file: InputFile) -> Qrels:
    """Return the judgements of TREC text."""
    parts = _bounded(file)
    held = list(islice(parts, 2))
    lines = packed_lines(_with_spaces(held[0]), QRELS, plain_number) if len(held) == 1 else None
    made = None if lines is None else Qrels.of_lines(lines, file.name)
    if made is None:
        frame = _frame(chain(held, parts), file, QRELS)
        made = Qrels.of(frame, file.name, lambda: explained(file, QRELS))
    return replace(made, file=file)


def trec_run(file: InputFile) -> Run:
    """Return the run of TREC text, which is read in blocks each time it is needed."""
    return Run(
        file.name,
        chunks=lambda: read_queries(file, RUN),
        whole=lambda: read_whole(file, RUN),
        explain=lambda: explained(file, RUN),
        file=file,
        form=TREC,
    )


def explained(file: InputFile, layout: Layout, skip: int = 0) -> pl.DataFrame:
    """Read line by line: every fault with its line, repeats included, or the columns if none.

    In a run, fields after the last one are ignored, as trec_eval does.
    """
    data = read_all(file, TREC_BYTES, *WHOLE)
    check_utf8(data, 1, file.name)
    rows, faults = checked_lines(data.decode(), file.name, layout, skip)
    if faults:
        raise InputError(faults)
    return pl.DataFrame([row[1:] for row in rows], schema=_selected(layout), orient="row")
