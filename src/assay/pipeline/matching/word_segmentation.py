"""Split texts in any script into words, following the main rules of UAX #29.

The rules work on whole arrays of code points: regular expressions of Python match no
combining marks and keep no ideographs apart, and a loop over characters would be slow.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.array_types import Bools, Ints
from assay.data.bm25 import UNSPACED

OTHER, LETTER, DIGIT, MARK, ALONE, INNER_LETTER, INNER_DIGIT, INNER_BOTH = range(8)
JOINING = {"'": INNER_BOTH, "’": INNER_BOTH, "·": INNER_LETTER, ".": INNER_BOTH, ",": INNER_DIGIT}
QUOTES = frozenset("\"'“”„‟«»‹›‘‚「」『』《》")


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """The words of texts as written, and where they stand.

    `offsets[i]` to `offsets[i + 1]` are the words of text i; `quoted` marks words right after a
    quotation mark.
    """

    written: list[str]
    offsets: Ints
    quoted: Bools


def segment(texts: Sequence[str]) -> Words:
    """Split texts into words.

    Parameters
    ----------
    texts
        Texts in any script. Marks belong to the word they follow; words may contain apostrophes
        and full stops between letters, and decimal or thousands separators between digits.

    Returns
    -------
    Words
        The words of all texts in reading order.

    """
    joined = "\n".join(texts) + "\n"
    codes = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    counts = np.bincount(codes)
    found = np.flatnonzero(counts).tolist()
    kind, base, mark = (np.zeros(len(counts), dtype=np.uint8) for _ in range(3))
    for code in found:
        kind[code], mark[code] = _kind(chr(code)), chr(code) in QUOTES
        base[code] = unicodedata.category(chr(code))[0] != "M"
    kinds = _marks_resolved(kind[codes])
    inside = _inside(kinds)
    alone = inside & (kinds == ALONE)
    # A mark takes over the kind of its letter, so only base characters can begin a word.
    before = np.concatenate([[False], inside[:-1]])
    before_alone = np.concatenate([[False], alone[:-1]])
    begins = inside & (base[codes] > 0) & (~before | alone | before_alone)
    starts = np.flatnonzero(begins)
    stop = np.flatnonzero(np.concatenate([~inside, [True]]))  # the first gap after a word ends it
    ends = stop[np.searchsorted(stop, starts)] if len(starts) else starts
    if len(starts):
        ends = np.minimum(ends, np.concatenate([starts[1:], [len(codes)]]))
    written = [joined[begin:end] for begin, end in zip(starts.tolist(), ends.tolist(), strict=True)]
    lengths = np.fromiter((len(text) for text in texts), dtype=np.int64, count=len(texts))
    edges = np.concatenate([[0], np.cumsum(lengths + 1)])
    offsets = np.searchsorted(starts, edges).astype(np.int64)
    quoted = (mark[codes[np.maximum(starts - 1, 0)]] > 0) & (starts > 0)
    return Words(written, offsets, quoted)


def _kind(character: str) -> int:
    """Return the class of a character in the rules."""
    if character in JOINING:
        return JOINING[character]
    category, code = unicodedata.category(character), ord(character)
    if category[0] == "M":
        return MARK
    if category[0] == "L" or category == "Nl":
        return ALONE if any(low <= code <= high for low, high in UNSPACED) else LETTER
    return DIGIT if category[0] == "N" else OTHER


def _marks_resolved(kinds: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Give each mark the class of the character it belongs to."""
    at = np.where(kinds != MARK, np.arange(len(kinds)), 0)
    return kinds[np.maximum.accumulate(at)]


def _inside(kinds: NDArray[np.uint8]) -> Bools:
    """Return which characters belong to a word, including single separators within one."""
    plain = (kinds == LETTER) | (kinds == DIGIT) | (kinds == ALONE)
    before = np.concatenate([[np.uint8(OTHER)], kinds[:-1]])
    after = np.concatenate([kinds[1:], [np.uint8(OTHER)]])
    letters = (before == LETTER) & (after == LETTER)
    digits = (before == DIGIT) & (after == DIGIT)
    between_letters = letters & ((kinds == INNER_LETTER) | (kinds == INNER_BOTH))
    between_digits = digits & ((kinds == INNER_DIGIT) | (kinds == INNER_BOTH))
    return np.asarray(plain | between_letters | between_digits)
