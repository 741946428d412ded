"""Ids as codes, and exact lookup of (query, item) pairs by one sort of their hashes."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assay.array_types import Ints

SPREAD = np.uint64(0x9E3779B97F4A7C15)
FEW_ROWS = 1 << 14


def _keys(items: pl.Series, query: Ints) -> NDArray[np.uint64]:
    """Return a 64-bit hash of each (query, item)."""
    keys = query.view(np.uint64) * SPREAD
    first = 0
    for chunk in items.hash(seed=0).get_chunks():  # in place: as a whole they would be copied
        keys[first : first + len(chunk)] ^= chunk.to_numpy()
        first += len(chunk)
    return keys


def pick(items: pl.Series, rows: Ints) -> pl.Series:
    """Return some of the items.

    Few rows go as a list: given an array, Polars imports numpy.ma. That is 6 ms of CPU (medians of
    20 processes: 262 ms with a list, 268 ms with an array), and a command takes 300 ms.
    """
    if len(rows) < FEW_ROWS:
        return items[pl.Series(rows.tolist(), dtype=pl.Int64)]
    return items.gather(rows)


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
        keys = _keys(items, query)
        keys &= ~rows
        keys |= np.arange(len(items), dtype=np.uint64)
        keys.sort()  # by hash, and by row where hashes are the same
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
        wanted = _keys(items, query) & ~self.row_bits
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
