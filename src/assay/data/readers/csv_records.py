"""CSV in blocks of whole records: a field in quotes may have line breaks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from assay.data.readers.limits import LINE_BYTES, MB
from assay.errors import InputError

QUOTE, BREAK = b'"', b"\n"


def whole_records(blocks: Iterable[bytes], source: str) -> Iterator[bytes]:
    """Give blocks of whole records from blocks of whole lines.

    A line break ends a record if the number of quotes before it is even. At the end of the file
    whatever is left is given: a parser reports a quote that is not closed.
    """
    held = b""
    for block in blocks:
        data = held + block if held else block
        cut = _end_of_records(data)
        held = data[cut:]
        if len(held) > LINE_BYTES:
            problem = f"a record is longer than {LINE_BYTES // MB} MB"
            raise InputError.of(source, problem, "expected fields in quotes to be closed")
        if cut:
            yield data[:cut]
    if held:
        yield held


def _end_of_records(data: bytes) -> int:
    """Return the end of the last whole record; 0 where the first one is not complete."""
    if data.count(QUOTE) % 2 == 0:
        return len(data)
    last = data.rfind(QUOTE)  # it opens a field that goes on
    while last >= 0:
        before = data.rfind(QUOTE, 0, last)
        found = data.rfind(BREAK, before + 1, last)
        if found >= 0:
            return found + 1
        last = data.rfind(QUOTE, 0, max(before, 0))  # an opening one again
    return 0


def first_record(blocks: Iterator[bytes]) -> tuple[bytes, bytes]:
    """Return the first record of blocks of whole records, and the rest of its block."""
    block = next(blocks, b"")
    end = block.find(BREAK) + 1
    while end and block.count(QUOTE, 0, end) % 2:
        end = block.find(BREAK, end) + 1
    return (block[:end], block[end:]) if end else (block, b"")
