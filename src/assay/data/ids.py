"""Ids as codes, and exact lookup of (query, item) pairs by one sort of their hashes."""

from __future__ import annotations

from itertools import pairwise
from typing import TypeAlias, overload

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assay.array_types import Ints
from assay.data.packed_text.packed_ids import PackedIds

Items: TypeAlias = "pl.Series | PackedIds"
"""Ids of candidates or judged items."""
SPREAD = np.uint64(0x9E3779B97F4A7C15)
FEW_ROWS = 1 << 14
SEGMENT = 1 << 10
"""Rows that are sorted at once where queries are consecutive: 8 kB, which stay in the cache. CPU of
`Lookup` on 7 million rows (medians of 5): 0.17 s in segments of 2^10 rows, 0.51 s as a whole."""
FEWEST_BITS = np.uint64(20)
"""Bits of a key that must be left for the hash of the item."""


def _keys(items: pl.Series, query: Ints, query_bits: np.uint64) -> NDArray[np.uint64]:
    """Return a 64-bit hash of each (query, item), with the query itself in the first bits, if any."""
    keys = query.view(np.uint64) * SPREAD
    first = 0
    for chunk in items.hash(seed=0).get_chunks():  # in place: as a whole they would be copied
        keys[first : first + len(chunk)] ^= chunk.to_numpy()
        first += len(chunk)
    if query_bits:
        keys >>= query_bits
        keys |= query.view(np.uint64) << (np.uint64(64) - query_bits)
    return keys


def _segments(query: Ints) -> list[int]:
    """Return where segments of whole queries begin and end, each of about SEGMENT rows."""
    near = query[::SEGMENT]
    return [*np.unique(np.searchsorted(query, near)).tolist(), len(query)]


@overload
def pick(items: pl.Series, rows: Ints) -> pl.Series: ...


@overload
def pick(items: Items, rows: Ints) -> Items: ...


def pick(items: Items, rows: Ints) -> Items:
    """Return some of the items.

    Few rows go as a list: given an array, Polars imports numpy.ma. That is 6 ms of CPU (medians of
    20 processes: 262 ms with a list, 268 ms with an array), and a command takes 300 ms.
    """
    if isinstance(items, PackedIds):
        return items.take(rows)
    if len(rows) < FEW_ROWS:
        return items[pl.Series(rows.tolist(), dtype=pl.Int64)]
    return items.gather(rows)


def as_series(items: Items) -> pl.Series:
    """Return ids as a column."""
    return items.series() if isinstance(items, PackedIds) else items


def encode(names: pl.Series) -> tuple[Ints, tuple[str, ...]]:
    """Return the code of each name, in order of first appearance, and the distinct names."""
    unique = names.unique(maintain_order=True)
    position = unique.to_frame("name").with_row_index("code")
    codes = names.to_frame("name").join(position, on="name", how="left", maintain_order="left")
    return codes["code"].to_numpy().astype(np.int64), tuple(unique.cast(pl.String).to_list())


class Lookup:
    """Candidates by (query, item): finds repeated pairs, and the rows of given pairs.

    A hash only proposes a match; the ids themselves decide, so the answer is exact.
    """

    def __init__(self, query: Ints, items: pl.Series) -> None:
        self.query, self.items = query, items
        bits = np.uint64(max(1, int(len(items) - 1).bit_length()))
        rows = (np.uint64(1) << bits) - np.uint64(1)
        self.query_bits = np.uint64(0)
        if len(query) > SEGMENT and query[0] >= 0 and (query[1:] >= query[:-1]).all():
            needed = np.uint64(max(1, int(query[-1]).bit_length()))
            if needed + bits + FEWEST_BITS <= 64:
                self.query_bits = needed
        keys = _keys(items, query, self.query_bits)
        keys &= ~rows
        keys |= np.arange(len(items), dtype=np.uint64)
        edges = _segments(query) if self.query_bits else [0, len(query)]
        for first, last in pairwise(edges):  # by hash, and by row where hashes are the same
            keys[first:last].sort()
        self.keys, self.row_bits = keys, rows

    def _rows(self, places: Ints) -> Ints:
        """Return the rows at these places of the sorted keys."""
        return np.asarray(self.keys[places] & self.row_bits, dtype=np.int64)

    def repeated(self) -> Ints:
        """Return the rows whose (query, item) also occurs in an earlier row, ascending."""
        same = np.flatnonzero((self.keys[1:] ^ self.keys[:-1]) <= self.row_bits)
        if not len(same):
            return same
        rows: Ints = np.unique(self._rows(np.concatenate((same, same + 1))))
        frame = pl.DataFrame({"query": self.query[rows], "item": self.items.gather(rows)})
        later = ~frame.select(pl.struct("query", "item").is_first_distinct()).to_series()
        return rows[np.flatnonzero(later.to_numpy())]

    def find(self, query: Ints, items: pl.Series) -> tuple[Ints, Ints]:
        """Return the rows of those wanted pairs that exist, ascending, and which pair each is."""
        wanted = _keys(items, query, self.query_bits) & ~self.row_bits
        order = np.argsort(wanted)
        low = np.searchsorted(self.keys, wanted[order], side="left")
        many = np.searchsorted(self.keys, wanted[order] | self.row_bits, side="right") - low
        which = np.repeat(order, many)
        offset = np.arange(len(which)) - np.repeat(np.cumsum(many) - many, many)
        rows = self._rows(np.repeat(low, many) + offset)
        right = (pick(self.items, rows) == pick(items, which)).to_numpy()
        right = right & (self.query[rows] == query[which])
        rows, which = rows[right], which[right]
        ascending = np.argsort(rows)
        return rows[ascending], which[ascending]
