"""Lines of TREC text parsed by NumPy, where they are short and plain ASCII; all others are left to Polars.

The separators of a line are the bits of one 64-bit word, and eight characters are one, too. CPU of the
7 million lines of `make bench`, to what a join by id needs (medians of 5): 0.34 s, by Polars with the
checks that it needs 0.66 s. A process that only reads such lines does not load Polars, which takes 0.1 s.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from assay.array_types import Bools, Floats, Ints
from assay.data.packed_text.packed_ids import (
    PAD,
    Lengths,
    PackedIds,
    Words,
    hashed,
    id_words,
    texts_at,
    words_of,
)

LONGEST_LINE = 55
"""Bytes of a line: the bits of its separators and its end are in one word, wherever in a byte it begins."""
TOGETHER = 1 << 15
"""Lines that are parsed together: their arrays stay in the cache."""
RARE = 16
"""One number in so many may be of another form, such as 1e-5: Python parses it."""
SPACE, END = ord(" "), ord("\n")
MINUS = np.uint64(ord("-"))
ONE, TWO, LOW_BYTE = np.uint64(1), np.uint64(2), np.uint64(255)
SEPARATOR = np.uint8(1)
LONGEST = 16
EXACT = np.uint64(1 << 53)
"""A whole number up to this one, divided by 10^k with k up to 22, is rounded once: it is the nearest
float, as every correct parser gives it."""
BYTE, SEVEN = np.uint64(8), np.uint64(7)
ZEROS = np.uint64(0x3030303030303030)
TO_HIGH_BIT = np.uint64(0x7676767676767676)
"""Added to a byte below 128, sets its high bit where it is 10 or more."""
HIGH_BITS = np.uint64(0x8080808080808080)
POINT = np.uint64(ord(".") ^ ord("0"))
JOINS = (
    (np.uint64(1 + (10 << 8)), np.uint64(8), np.uint64(0x00FF00FF00FF00FF)),
    (np.uint64(1 + (100 << 16)), np.uint64(16), np.uint64(0x0000FFFF0000FFFF)),
    (np.uint64(1 + (10_000 << 32)), np.uint64(32), np.uint64(0x00000000FFFFFFFF)),
)
"""Join neighbouring digits, the first one in the lowest byte, to numbers of two digits, of four, of eight."""
SCALES = 10.0 ** np.arange(LONGEST + 1)
TENS = 10 ** np.arange(9, dtype=np.uint64)
Parser = Callable[[str], float]


class LineLayout(Protocol):
    """The fields of a kind of line: the query first, and the item and the number somewhere after it."""

    @property
    def fields(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def item(self) -> str: ...  # noqa: D102
    @property
    def number(self) -> str: ...  # noqa: D102
    @property
    def more(self) -> bool: ...  # noqa: D102
    @property
    def largest(self) -> float: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class PackedLines:
    """The lines of a block, and where the query changes."""

    starts: Ints
    """Lines with another query than the line before."""
    names: list[str]
    """The queries of these lines."""
    last: bytes
    """The lines from the last one of them on."""
    items: PackedIds
    numbers: Floats


def packed_lines(
    block: bytes, layout: LineLayout, number_of: Parser, before: bytes = b""
) -> PackedLines | None:
    """Parse whole lines with one space between fields; None where a line is not as plain as that.

    The lines of `before` come before those of the block. `number_of` parses a number of any form, and
    raises ValueError.
    """
    padded = b"".join((PAD, before, block, PAD))
    if not block.endswith(b"\n") or not padded.isascii():
        return None
    if b"#" in padded and (padded.startswith(b"#", len(PAD)) or b"\n#" in padded):
        return None
    text = np.frombuffer(padded, dtype=np.uint8)
    ends = np.flatnonzero(text[len(PAD) : -len(PAD)] < SPACE)
    ends += len(PAD)
    begins = np.empty_like(ends)
    begins[0] = len(PAD)
    np.add(ends[:-1], 1, out=begins[1:])
    # Other bytes below a space would pass as separators.
    if (ends - begins).max() > LONGEST_LINE or (text[ends] != END).any():
        return None
    lines = _Lines(padded, np.packbits(text <= SPACE, bitorder="little"), layout, len(ends))
    for first in range(0, len(ends), TOGETHER):
        rows = slice(first, first + TOGETHER)
        if not lines.parse(begins[rows], ends[rows], rows, number_of):
            return None
    return lines.parsed(begins)


class _Lines:
    """Query, item and number of the lines of a block, which are parsed some at a time."""

    def __init__(self, padded: bytes, marks: NDArray[np.uint8], layout: LineLayout, count: int) -> None:
        self.padded = padded
        self.text, self.marks = words_of(padded), words_of(marks.tobytes() + PAD)
        self.layout = layout
        self.item, self.number = layout.fields.index(layout.item), layout.fields.index(layout.number)
        self.numbers, self.hashes = np.empty(count), np.empty(count, dtype=np.uint64)
        self.items, self.lengths = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
        self.starts: list[Ints] = []
        self.queries: list[tuple[Ints, Lengths]] = []  # of these lines: begin and length
        self.last: list[np.uint64] = []  # the query of the line before, in words

    def parse(self, begins: Ints, ends: Ints, rows: slice, number_of: Parser) -> bool:
        """Parse these lines; return whether all of them are plain."""
        edges = self._edges(begins, ends)
        if edges is None:
            return False
        self._changes(begins, edges[0], rows.start)
        at, length = begins + edges[self.item - 1], edges[self.item] - edges[self.item - 1] - SEPARATOR
        self.items[rows], self.lengths[rows] = at, length
        self.hashes[rows] = hashed(id_words(self.text, at, length))
        length = edges[self.number] - edges[self.number - 1] - SEPARATOR
        found = self._parse_numbers(begins + edges[self.number] - 1, length, number_of)
        if found is None:
            return False
        self.numbers[rows] = found
        return True

    def parsed(self, begins: Ints) -> PackedLines:
        """Return all lines."""
        starts = np.concatenate(self.starts)
        items = PackedIds(self.padded, self.items, self.lengths, self.hashes)
        names = texts_at(self.padded, *map(np.concatenate, zip(*self.queries, strict=True)))
        last = self.padded[begins[starts[-1]] : -len(PAD)]
        return PackedLines(starts, names, last, items, self.numbers)

    def _edges(self, begins: Ints, ends: Ints) -> list[Lengths] | None:
        """Return how many bytes after the begin of its line the second field begins, the third, and so on.

        None where a line has another number of fields, or an empty one.
        """
        marks = self.marks[begins >> 3] >> (begins & 7).astype(np.uint64)
        marks &= (TWO << (ends - begins).astype(np.uint64)) - ONE
        if (np.bitwise_count(marks) != len(self.layout.fields)).any() or (marks & (marks << ONE | ONE)).any():
            return None
        edges = []
        for _ in range(max(self.item, self.number) + 1):
            below = marks - ONE
            edges.append(np.bitwise_count(marks ^ below))
            marks &= below
        return edges

    def _changes(self, begins: Ints, edges: Lengths, first: int) -> None:
        """Note the lines whose query is not that of the line before, and where these queries are."""
        words = id_words(self.text, begins, edges - SEPARATOR)
        changed = np.zeros(len(begins), dtype=bool)
        for word in words:
            changed[1:] |= word[1:] != word[:-1]
        changed[0] = self.last != [word[0] for word in words if word[0]]
        self.last = [word[-1] for word in words if word[-1]]
        rows = np.flatnonzero(changed)
        self.starts.append(rows + first)
        self.queries.append((begins[rows], edges[rows] - SEPARATOR))

    def _parse_numbers(self, ends: Ints, lengths: Lengths, number_of: Parser) -> Floats | None:
        """Return the numbers; None where one is invalid, or too many need a slower parser."""
        numbers, odd = decimal_numbers(self.text, ends, lengths)
        rest = np.flatnonzero(odd)
        if len(rest):
            begins = ends[rest] - lengths[rest]
            signed = rest[(self.text[begins] & LOW_BYTE == MINUS) & (lengths[rest] > 1)]
            if len(signed):
                found, odd[signed] = decimal_numbers(self.text, ends[signed], lengths[signed] - SEPARATOR)
                numbers[signed] = -found
                rest = np.flatnonzero(odd)
            if len(rest) * RARE > len(odd):
                return None
            try:
                for row in rest.tolist():
                    number = self.padded[ends[row] - lengths[row] : ends[row]]
                    numbers[row] = number_of(number.decode("ascii"))
            except ValueError:
                return None
            if not np.isfinite(numbers[rest]).all():
                return None
        if self.layout.largest < np.inf and np.abs(numbers).max() > self.layout.largest:
            return None
        return numbers


def decimal_numbers(text: Words, ends: Ints, lengths: Lengths) -> tuple[Floats, Bools]:
    """Return the numbers that end at the given bytes, and which are other than digits with one point.

    `text` has the word that begins at each byte, all ASCII. No number is empty, and each has at least
    16 bytes before its end. The value of a number of another form is meaningless.
    """
    last = np.minimum(lengths, 8)
    whole, after, odd = _digits(text[ends - 8], last)
    if int(lengths.max()) > 8:
        high, more, more_odd = _digits(text[ends - 16], np.minimum(lengths - last, 8))
        odd |= more_odd | ((after > 0) & (more > 0)) | (lengths > LONGEST)
        whole += high * np.where(more > 0, TENS[7], TENS[8])
        after = np.where(more > 0, more + 7, after)
        odd |= whole > EXACT
    odd |= lengths <= (after > 0)  # a point alone
    return whole.astype(np.float64) / SCALES.take(after), odd


def _digits(word: Words, lengths: Lengths) -> tuple[Words, NDArray[np.uint8], Bools]:
    """Return the last characters of each word as a whole number, how many there are from the point on (0:
    there is none), and which words have another character. A zero at the end takes the room of the point.

    In place: 28,000 words take 90 µs of CPU, and 170 µs with an array for each step (best of 9).
    """
    unused = (64 - 8 * lengths).astype(np.uint64)
    word ^= ZEROS
    word >>= unused
    word <<= unused
    marks = word + TO_HIGH_BIT
    marks &= HIGH_BITS
    marks >>= SEVEN
    before = marks - ONE  # all bits where there is no point
    after = 8 - (np.bitwise_count(before) >> 3)
    odd = (marks & before) != 0
    point = marks * LOW_BYTE
    point &= word
    marks *= POINT
    odd |= point != marks
    moved = word >> BYTE
    word ^= moved
    word &= before
    word ^= moved
    for factor, shift, mask in JOINS:
        word *= factor
        word >>= shift
        word &= mask
    return word, after, odd
