"""Exact lookup of items in candidate lists, and of items that a list has twice."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assay.array_types import Bools, Ints
from assay.data.ids import SPREAD, Items, Lookup, as_series, pick
from assay.data.packed_text.packed_ids import PackedIds

BLOCK = 1 << 14
"""Rows that share a table, unless a single list is longer. CPU of `find` on 7 million rows (medians of
5): 58 ms with 2^13, 55 ms with 2^14 and 56 ms with 2^15 rows; a sort of their hashes took 190 ms."""
ROOM = 5
"""A table has 2^ROOM places for each row, so that 1.6% of the rows lose theirs to another one. CPU as
above: 66 ms with 2^3, 60 ms with 2^4, 55 ms with 2^5, 58 ms with 2^6."""
LARGEST_TABLE = 22
"""In bits, so that a table has at most 16 MB; the rows of longer lists lose their places more often."""

Keys = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class _Scan:
    """What one pass over the rows found: the row of each wanted pair (-1: none), by hash alone."""

    rows: Ints
    ambiguous: bool  # whether two rows have one hash: they may be the same pair


class ListLookup:
    """Finds the rows of given (list, item) pairs, and rows that repeat a pair.

    A hash only proposes a match; the ids themselves decide, so the answer is exact. Each row of a block
    writes its number into a small table at the place of its hash. A row that reads its own number there
    is alone at that place; only the others are compared with each other.
    """

    def __init__(self, starts: Ints, items: Items) -> None:
        """List i is the rows from starts[i] to starts[i + 1]."""
        self.starts, self.items = starts, items
        self._ambiguous: bool | None = None  # not known before a scan

    def repeated(self) -> Ints:
        """Return the rows whose item also occurs in an earlier row of the same list, ascending."""
        if self._ambiguous is None:
            nothing = np.zeros(0, dtype=np.int64)
            self._ambiguous = self._scan(nothing, pick(self.items, nothing)).ambiguous
        return self._sorted().repeated() if self._ambiguous else np.zeros(0, dtype=np.int64)

    def find(self, lists: Ints, items: Items) -> tuple[Ints, Ints]:
        """Return the rows of those wanted pairs that exist, ascending, and which pair each is.

        `lists` is ascending.
        """
        items = self._of_one_kind(items)
        scan = self._scan(lists, items)
        self._ambiguous = scan.ambiguous
        if scan.ambiguous:
            return self._sorted().find(lists, as_series(items))
        which = np.flatnonzero(scan.rows >= 0)
        rows = scan.rows[which]
        right = _same(pick(self.items, rows), pick(items, which))
        rows, which = rows[right], which[right]
        ascending = np.argsort(rows)
        return rows[ascending], which[ascending]

    def _of_one_kind(self, items: Items) -> Items:
        """Return the wanted items in the form of the rows: a hash depends on it."""
        if isinstance(self.items, PackedIds) and not isinstance(items, PackedIds):
            packed = PackedIds.of(items.cast(pl.String).to_list())
            if packed is not None:
                return packed
            self.items = as_series(self.items)
        return items if isinstance(self.items, PackedIds) else as_series(items)

    def _sorted(self) -> Lookup:
        lengths = np.diff(self.starts, append=len(self.items))
        return Lookup(np.repeat(np.arange(len(lengths)), lengths), as_series(self.items))

    def _scan(self, lists: Ints, items: Items) -> _Scan:
        """Look for the wanted pairs and for rows of one hash, in blocks of whole lists."""
        edges = np.append(self.starts, len(self.items))
        cuts = np.append(np.searchsorted(self.starts, np.arange(0, edges[-1], BLOCK)), len(self.starts))
        cuts = cuts[np.diff(cuts, prepend=-1) > 0]
        salt = np.arange(1, len(edges), dtype=np.uint64) * SPREAD  # an item has another key in each list
        hashes, wanted = _hashes(self.items), _hashes(items) ^ salt[lists]
        table = _Table(int(np.diff(edges[cuts]).max(initial=1)))
        lengths = np.diff(edges)
        found = np.full(len(wanted), -1, dtype=np.int64)
        ends = np.searchsorted(lists, cuts).tolist()
        for at, (first, last) in enumerate(pairwise(cuts.tolist())):
            rows = slice(int(edges[first]), int(edges[last]))
            table.write(hashes[rows], salt[first:last].repeat(lengths[first:last]), rows.start)
            some = slice(ends[at], ends[at + 1])
            if some.start < some.stop:
                table.read(wanted[some], found[some], rows.start)
        return table.settled(wanted, found)


class _Table:
    """The rows of a block by the first bits of their keys, and the rows that lost their places."""

    def __init__(self, rows: int) -> None:
        bits = min(max(8, (rows - 1).bit_length() + ROOM), LARGEST_TABLE)
        self.shift = np.uint64(64 - bits)
        self.numbers = np.arange(rows, dtype=np.uint16 if rows <= 1 << 16 else np.uint32)
        self.table = np.empty(1 << bits, dtype=self.numbers.dtype)
        self.keys_room, self.places_room = np.empty(rows, dtype=np.uint64), np.empty(rows, dtype=np.uint64)
        self.there_room = np.empty_like(self.numbers)
        self.keys = self.keys_room[:0]
        self.lost_keys, self.lost_rows = [np.zeros(0, dtype=np.uint64)], [np.zeros(0, dtype=np.int64)]
        self.ambiguous = False

    def write(self, hashes: Keys, salts: Keys, first: int) -> None:
        """Enter the rows of a block; what the table has from the block before is not cleared."""
        numbers = self.numbers[: len(hashes)]
        self.keys = np.bitwise_xor(hashes, salts, out=self.keys_room[: len(hashes)])
        places = np.right_shift(self.keys, self.shift, out=self.places_room[: len(hashes)]).view(np.int64)
        self.table[places] = numbers
        # no place is outside, and `wrap` takes half the time of the check for that
        there = self.table.take(places, mode="wrap", out=self.there_room[: len(hashes)])
        lost = (there != numbers).nonzero()[0]
        if len(lost):
            keys = self.keys[lost]
            self.ambiguous |= bool((keys == self.keys[there[lost]]).any())
            self.lost_keys.append(keys)
            self.lost_rows.append(lost + first)

    def read(self, wanted: Keys, found: Ints, first: int) -> None:
        """Set `found` to the row of each wanted key that has its place in the block."""
        rows = self.table[(wanted >> self.shift).view(np.int64)].astype(np.int64)
        np.minimum(rows, len(self.keys) - 1, out=rows)  # a number may be of the block before
        np.copyto(found, rows + first, where=self.keys[rows] == wanted)

    def settled(self, wanted: Keys, found: Ints) -> _Scan:
        """Look among the rows that lost their places, too."""
        keys, rows = np.concatenate(self.lost_keys), np.concatenate(self.lost_rows)
        if len(keys):
            order = np.argsort(keys)
            keys = keys[order]
            self.ambiguous |= bool((keys[1:] == keys[:-1]).any())
            missing = np.flatnonzero(found < 0)
            at = np.minimum(np.searchsorted(keys, wanted[missing]), len(keys) - 1)
            same = keys[at] == wanted[missing]
            found[missing[same]] = rows[order[at[same]]]
        return _Scan(found, self.ambiguous)


def _same(items: Items, others: Items) -> Bools:
    """Return where two columns of one kind have the same ids."""
    if isinstance(items, PackedIds) and isinstance(others, PackedIds):
        return items.same(others)
    return (as_series(items) == as_series(others)).to_numpy()


def _hashes(items: Items) -> Keys:
    if isinstance(items, PackedIds):
        return items.hashes
    return np.asarray(items.hash(seed=0).to_numpy(), dtype=np.uint64)
