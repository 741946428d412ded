"""Ranks of candidates with ties, for every use of a ranking.

The scores of a query are consecutive (`starts`); a higher score ranks first. Equal scores keep the
order of the input (`stable`) or go by id, descending by bytes (`docno_desc`, as trec_eval does).
A list that is sorted already is not sorted again.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.lib.stride_tricks import sliding_window_view

from assay.array_types import Bools, Floats, Ints
from assay.data.ids import Items, as_series, pick

LONG_LIST = 16
"""Longer lists are sorted one by one. CPU of `_sorted_order` on a million random scores (medians of
3): lists of 8 take 343 ms one by one and 284 ms at once, of 16 182 and 279, of 64 66 and 277."""
FEW = 16
"""Up to this many judged rows per list are ranked by counting, without a sort. CPU on a million random
scores in lists of 100 (medians of 3): 2 per list take 8 ms by counting and 66 ms by sorting, 16 take 56
and 72, 32 take 110 and 74; longer lists favour counting more."""
TOGETHER = 1 << 16
"""Scores that are compared together: half a megabyte, which stays in the cache."""


@dataclass(frozen=True, slots=True)
class Ranks:
    """Rank of each judged row, and the first and last rank that its tie group spans."""

    rank: Ints
    first: Ints
    last: Ints
    resorted: Ints  # lists that did not come sorted


def rank_rows(scores: Floats, starts: Ints, rows: Ints, query: Ints, items: Items | None) -> Ranks:
    """Return the ranks of `rows` (ascending); `query` is the list of each row.

    `items` are the ids of all candidates where ties go by id, None where they keep input order.
    """
    ends = np.append(starts[1:], len(scores))
    rising = _rising(scores, starts)
    many = len(rows) > FEW * len(starts) or len(rows) == len(scores)
    if not len(rising) or many:
        return _by_sorting(scores, starts, ends, rows, query, items, rising)
    ranks = _counted(scores, starts, ends, rows, query, rising)
    if items is not None:
        tied = np.flatnonzero(ranks.first < ranks.last)
        if len(tied):
            by_id = _by_sorting(scores, starts, ends, rows[tied], query[tied], items, rising)
            ranks.rank[tied] = by_id.rank
    return ranks


def _by_sorting(
    scores: Floats, starts: Ints, ends: Ints, rows: Ints, query: Ints, items: Items | None, rising: Ints
) -> Ranks:
    """Sort the lists that are not sorted, and read off the ranks."""
    order, place = None, rows
    if len(rising):
        order = _sorted_order(scores, starts, ends, np.intersect1d(rising, query))
        scores = scores[order]
        inverse = np.empty_like(order)
        inverse[order] = np.arange(len(order))
        place = inverse[rows]
    begin = starts[query]
    low, high = _tie_groups(scores, starts, ends, place, query)
    rank = place - begin + 1
    if items is not None:
        tied = np.flatnonzero(low < high)
        if len(tied):
            within = _by_id(low[tied], high[tied], rows[tied], order, items)
            rank[tied] = low[tied] - begin[tied] + 1 + within
    return Ranks(rank, low - begin + 1, high - begin + 1, rising)


def sorted_rows(major: Ints, minor: Ints | Floats) -> Ints:
    """Return np.lexsort((minor, major)), without a sort where the rows are in that order already.

    14,000 rows take 0.05 ms of CPU, and 1.1 ms by a sort; the lists of a run often come sorted.
    """
    before, after = major[:-1], major[1:]
    if ((before < after) | ((before == after) & (minor[:-1] <= minor[1:]))).all():
        return np.arange(len(major))
    return np.lexsort((minor, major))


def rank_candidates(query: Ints, scores: Floats, items: Items | None) -> Ints:
    """Return the rank of every candidate within its query; rows may be in any order.

    `items` as in `rank_rows`.
    """
    order = np.argsort(query, kind="stable")
    starts = np.flatnonzero(np.diff(query[order], prepend=-1))
    owner = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(order))))
    ids = None if items is None else pick(items, order)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = rank_rows(scores[order], starts, np.arange(len(order)), owner, ids).rank
    return rank


def _counted(scores: Floats, starts: Ints, ends: Ints, rows: Ints, query: Ints, rising: Ints) -> Ranks:
    """Rank few rows by counting the scores above each, without a sort (see FEW)."""
    mine = scores[rows]
    above, not_below = _counts(scores, starts[query], ends[query] - starts[query], mine)
    first, last = above + 1, not_below
    rank = first.copy()
    for at in np.flatnonzero(last > first).tolist():
        before = scores[starts[query[at]] : rows[at]]
        rank[at] += np.count_nonzero(before == mine[at])
    return Ranks(rank, first, last, rising)


def _counts(scores: Floats, begin: Ints, length: Ints, mine: Floats) -> tuple[Ints, Ints]:
    """Return how many scores of the list at `begin` are above each of `mine`, and how many not below.

    Lists of about one length are compared together. CPU for 11,300 of 7 million scores in lists of
    1,000: 13 ms together, 35 ms one by one.
    """
    above, not_below = np.empty(len(mine), dtype=np.int64), np.empty(len(mine), dtype=np.int64)
    order = np.argsort(-length, kind="stable")
    done = 0
    with np.errstate():  # ends with the buffer size as it was
        np.setbufsize(16)  # NumPy copies what it broadcasts into a larger one, which doubles the time
        while done < len(order):
            width = int(length[order[done]])
            some = order[done : done + max(1, TOGETHER // width)]
            done += len(some)
            fits = begin[some] + width <= len(scores)
            for at in (some if len(some) < FEW else some[~fits]).tolist():
                values = scores[begin[at] : begin[at] + length[at]]
                above[at] = np.count_nonzero(values > mine[at])
                not_below[at] = np.count_nonzero(values >= mine[at])
            if len(some) >= FEW:
                some = some[fits]
                found = _matrix_counts(scores, begin[some], length[some], mine[some], width)
                above[some], not_below[some] = found
    return above, not_below


def _matrix_counts(scores: Floats, begin: Ints, length: Ints, mine: Floats, width: int) -> tuple[Ints, Ints]:
    """Count as `_counts` does, in windows of one width; what a window holds beyond its list is left out."""
    lists = sliding_window_view(scores, width)[begin]
    marks = np.zeros((len(begin), -(-width // 8) * 8), dtype=bool)
    inside = None
    if (length < width).any():
        inside = np.arange(width, dtype=np.int32) < length[:, None].astype(np.int32)
    counts = []
    for compare in (np.greater, np.greater_equal):
        compare(lists, mine[:, None], out=marks[:, :width])
        if inside is not None:
            marks[:, :width] &= inside
        counts.append(_marked(marks))
    return counts[0], counts[1]


def _marked(marks: Bools) -> Ints:
    """Count the marks of each row, whose number of columns is a multiple of 8.

    Eight marks are one word, so words are added up: 65 rows of 1,000 marks take 8 µs, and
    np.count_nonzero(marks, axis=1) takes 30 µs. A byte of the sum holds at most 255 marks.
    """
    words = marks.view(np.uint64)
    counts = np.zeros(len(marks), dtype=np.int64)
    for first in range(0, words.shape[1], 255):
        sums = words[:, first : first + 255].sum(axis=1)
        counts += sums.view(np.uint8).reshape(-1, 8).sum(axis=1, dtype=np.int64)
    return counts


def _rising(scores: Floats, starts: Ints) -> Ints:
    """Return the lists whose scores rise somewhere: they are not sorted."""
    rises = np.empty(len(scores), dtype=bool)
    np.greater(scores[1:], scores[:-1], out=rises[1:])
    rises[starts] = False
    if not rises.any():
        return np.zeros(0, dtype=np.int64)
    if len(scores) % len(starts) == 0 and (np.diff(starts) == len(scores) // len(starts)).all():
        return np.flatnonzero(rises.reshape(len(starts), -1).any(axis=1))  # one length: a matrix
    return np.flatnonzero(np.logical_or.reduceat(rises, starts))


def _sorted_order(scores: Floats, starts: Ints, ends: Ints, queries: Ints) -> Ints:
    """Return all rows, those of the given lists in rank order; equal scores keep their order."""
    order = np.arange(len(scores))
    lengths = ends[queries] - starts[queries]
    if len(queries) and lengths.mean() > LONG_LIST:
        for lo, hi in zip(starts[queries].tolist(), ends[queries].tolist(), strict=True):
            order[lo:hi] = lo + np.argsort(-scores[lo:hi], kind="stable")
        return order
    owner = np.repeat(queries, lengths)
    shift = np.arange(len(owner)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    rows = starts[owner] + shift
    order[rows] = rows[np.lexsort((-scores[rows], owner))]
    return order


def _tie_groups(scores: Floats, starts: Ints, ends: Ints, place: Ints, query: Ints) -> tuple[Ints, Ints]:
    """Return the first and last place of the candidates that share the score of each judged one."""
    mine = scores[place]
    before, after = np.maximum(place - 1, 0), np.minimum(place + 1, len(scores) - 1)
    tied = (place > starts[query]) & (scores[before] == mine)
    tied |= (place < ends[query] - 1) & (scores[after] == mine)
    low, high = place.copy(), place.copy()
    if tied.any():
        fresh = np.ones(len(scores), dtype=bool)
        fresh[1:] = scores[1:] != scores[:-1]
        fresh[starts[starts < len(scores)]] = True
        begins = np.flatnonzero(fresh)
        group = np.searchsorted(begins, place[tied], side="right") - 1
        low[tied] = begins[group]
        high[tied] = np.append(begins, len(scores))[group + 1] - 1
    return low, high


def _by_id(low: Ints, high: Ints, rows: Ints, order: Ints | None, items: Items) -> Ints:
    """Return the place of each row in its tie group when the group goes by id, descending."""
    group_low, first_of = np.unique(low, return_index=True)
    size = high[first_of] - group_low + 1
    group = np.repeat(np.arange(len(group_low)), size)
    begin = np.cumsum(size) - size
    members = np.repeat(group_low, size) + np.arange(len(group)) - begin[group]
    member_rows = members if order is None else order[members]
    frame = pl.DataFrame({"group": group, "row": member_rows, "id": as_series(pick(items, member_rows))})
    ranked = frame.sort("group", "id", descending=[False, True])["row"].to_numpy()
    at = np.argsort(ranked)
    found = at[np.searchsorted(ranked[at], rows)]
    return np.asarray(found - begin[group[found]], dtype=np.int64)
