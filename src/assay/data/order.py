"""Ranks of the judged candidates. A list that comes sorted is not sorted again.

Scores of a query stand together (`starts`); a higher score ranks first. Among equal scores the
rule is `stable` (the order of the input) or `docno_desc` (trec_eval: ids descending by bytes).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from assay.data.model import Floats, Ints

LONG_LIST = 256
"""Longer lists are sorted one by one: a sort of all of them at once takes twice the time."""


@dataclass(frozen=True, slots=True)
class Ranks:
    """Rank of each judged row, and the first and last rank that its tie group spans."""

    rank: Ints
    first: Ints
    last: Ints
    resorted: int  # lists that did not come sorted


def rank_rows(
    scores: Floats, starts: Ints, rows: Ints, query: Ints, items: pl.Series | None
) -> Ranks:
    """Ranks of `rows` (ascending); `query` is the list of each row.

    `items` are the ids of all candidates where ties go by id, None where they keep input order.
    """
    ends = np.append(starts[1:], len(scores))
    rising = _rising(scores, starts)
    order, place = None, rows
    if len(rising):
        wanted = np.intersect1d(rising, query)
        order = _sorted_order(scores, starts, ends, wanted)
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
    return Ranks(rank, low - begin + 1, high - begin + 1, len(rising))


def _rising(scores: Floats, starts: Ints) -> Ints:
    """Queries whose scores rise somewhere."""
    rises = np.flatnonzero(scores[1:] > scores[:-1]) + 1
    if not len(rises):
        return rises
    queries = np.searchsorted(starts, rises, side="right") - 1
    return np.unique(queries[starts[queries] != rises])


def _sorted_order(scores: Floats, starts: Ints, ends: Ints, queries: Ints) -> Ints:
    """Rows in rank order for the given queries only; equal scores keep their order."""
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


def _tie_groups(
    scores: Floats, starts: Ints, ends: Ints, place: Ints, query: Ints
) -> tuple[Ints, Ints]:
    """First and last place of the candidates that share the score of each judged one."""
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
    """Place of each row in its tie group when the group goes by id, descending."""
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
