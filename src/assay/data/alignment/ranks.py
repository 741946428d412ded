"""Ranks of candidates with ties, for every use of a ranking.

The scores of a query are consecutive (`starts`); a higher score ranks first. Equal scores keep the
order of the input (`stable`) or go by id, descending by bytes (`docno_desc`, as trec_eval does).
A list that is sorted already is not sorted again.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from assay.array_types import Floats, Ints

LONG_LIST = 16
"""Longer lists are sorted one by one. CPU of `_sorted_order` on a million random scores (medians of
3): lists of 8 take 343 ms one by one and 284 ms at once, of 16 182 and 279, of 64 66 and 277."""
FEW = 8
"""Up to this many judged rows per list are ranked by counting, without a sort. CPU of `rank_rows`
on a million random scores in lists of 100 (medians of 5): 2 per list take 49 ms by counting and
278 ms by sorting, 8 take 190 and 263, 16 take 379 and 265; longer lists favour counting more."""


@dataclass(frozen=True, slots=True)
class Ranks:
    """Rank of each judged row, and the first and last rank that its tie group spans."""

    rank: Ints
    first: Ints
    last: Ints
    resorted: Ints  # lists that did not come sorted


def rank_rows(scores: Floats, starts: Ints, rows: Ints, query: Ints, items: pl.Series | None) -> Ranks:
    """Return the ranks of `rows` (ascending); `query` is the list of each row.

    `items` are the ids of all candidates where ties go by id, None where they keep input order.
    """
    ends = np.append(starts[1:], len(scores))
    rising = _rising(scores, starts)
    many = len(rows) > FEW * len(starts) or len(rows) == len(scores)
    if len(rising) and items is None and not many:
        return _counted(scores, starts, ends, rows, query, rising)
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


def rank_candidates(query: Ints, scores: Floats, items: pl.Series | None) -> Ints:
    """Return the rank of every candidate within its query; rows may be in any order.

    `items` as in `rank_rows`.
    """
    order = np.argsort(query, kind="stable")
    starts = np.flatnonzero(np.diff(query[order], prepend=-1))
    owner = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(order))))
    ids = None if items is None else items.gather(order)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = rank_rows(scores[order], starts, np.arange(len(order)), owner, ids).rank
    return rank


def _counted(scores: Floats, starts: Ints, ends: Ints, rows: Ints, query: Ints, rising: Ints) -> Ranks:
    """Rank few rows by counting the scores above each, without a sort (see FEW)."""
    rank, first, last = (np.empty(len(rows), dtype=np.int64) for _ in range(3))
    count = np.count_nonzero
    lists = zip(starts[query].tolist(), ends[query].tolist(), rows.tolist(), strict=True)
    for at, (begin, end, row) in enumerate(lists):
        values, mine = scores[begin:end], scores[row]
        above = count(values > mine)
        not_below = count(values >= mine)
        first[at], last[at] = above + 1, not_below
        rank[at] = above + 1
        if not_below > above + 1:
            rank[at] += count(values[: row - begin] == mine)
    return Ranks(rank, first, last, rising)


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


def _by_id(low: Ints, high: Ints, rows: Ints, order: Ints | None, items: pl.Series) -> Ints:
    """Return the place of each row in its tie group when the group goes by id, descending."""
    group_low, first_of = np.unique(low, return_index=True)
    size = high[first_of] - group_low + 1
    group = np.repeat(np.arange(len(group_low)), size)
    begin = np.cumsum(size) - size
    members = np.repeat(group_low, size) + np.arange(len(group)) - begin[group]
    member_rows = members if order is None else order[members]
    frame = pl.DataFrame({"group": group, "row": member_rows, "id": items.gather(member_rows)})
    ranked = frame.sort("group", "id", descending=[False, True])["row"].to_numpy()
    at = np.argsort(ranked)
    found = at[np.searchsorted(ranked[at], rows)]
    return np.asarray(found - begin[group[found]], dtype=np.int64)
