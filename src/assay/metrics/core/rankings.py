"""Rankings as a measure sees them, and the operations on them that measures share.

A ranking measure depends on a list only through the ranks of its *judged* candidates, the number
of candidates and the gold, so nothing else is stored: work grows with the number of judgements,
not of candidates. A measure takes any set of whole queries and gives one value per query, so
results of parts concatenate.

Notation in formulas: hits = relevant candidates in the top k, R = relevant items of the query
(retrieved or not), n = number of candidates, K_eff = min(k, n).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from assay.array_types import Bools, Codes, Floats, Ints

ALL = 2**62
"""The cut-off `all`: larger than any list."""
Values = tuple[Floats, Codes]
"""One value and one convention code per query."""


class Convention(IntEnum):
    """Why a value was set by convention; 0 where it was computed."""

    NONE = 0
    NO_GOLD = 1
    NO_CANDIDATES = 2
    NO_HITS = 3
    NO_RETRIEVED_GOLD = 4
    ONE_CLASS = 5
    ZERO_DENOMINATOR = 6
    EMPTY_POPULATION = 7
    NOTHING_RETURNED = 8
    NOT_IDENTIFIED = 9


class Rankings(Protocol):
    """Queries 0 … len(n)-1, their judged candidates by rank, and their gold.

    `hit_*` is sorted by (query, rank) and holds the candidates with a judgement (grade ≥ 0).
    `gold_*` is sorted by (query, grade descending) and holds every grade above 0, retrieved or not.
    """

    @property
    def n(self) -> Ints:
        """Number of candidates of each query."""

    @property
    def judged(self) -> Ints:
        """Number of judgements of each query, relevant or not."""

    @property
    def hit_query(self) -> Ints:
        """Query of each judged candidate."""

    @property
    def hit_rank(self) -> Ints:
        """Its rank, from 1."""

    @property
    def hit_grade(self) -> Floats:
        """Its grade."""

    @property
    def hit_first(self) -> Ints:
        """First rank that the order of tied candidates could give it."""

    @property
    def hit_last(self) -> Ints:
        """Last one."""

    @property
    def expected_ties(self) -> bool:
        """Whether values are means over all orders of tied candidates."""

    @property
    def pool_query(self) -> Ints:
        """Query of each candidate that was pooled and not judged, sorted by (query, rank)."""

    @property
    def pool_rank(self) -> Ints:
        """Its rank."""

    @property
    def gold_query(self) -> Ints:
        """Query of each gold item."""

    @property
    def gold_grade(self) -> Floats:
        """Its grade."""

    @property
    def derived(self) -> dict[object, Any]:
        """What measures have derived from these columns, to be used again."""


@dataclass(frozen=True, slots=True)
class Relevant:
    """The retrieved relevant candidates at one relevance level, and R of each query."""

    query: Ints
    rank: Ints
    ordinal: Ints  # 1 for the first relevant candidate of its query, 2 for the second …
    R: Ints
    n: Ints
    first: Ints  # first and last rank that the order of tied candidates could give it
    last: Ints
    expected_ties: bool

    def count(self, keep: Bools) -> Ints:
        """Count the relevant candidates of each query where `keep` holds."""
        return np.bincount(self.query[keep], minlength=len(self.n))

    def hits(self, k: int | Ints) -> NDArray[Any]:
        """Count the relevant candidates in the top k of each query (one k, or one per query).

        With `expected_ties` it is the mean over all orders of tied candidates.
        """
        cut = k if isinstance(k, int) else k[self.query]
        if not self.expected_ties:
            return self.count(self.rank <= cut)
        return sum_by_query(self.query, chance_within(self.first, self.last, cut), len(self.n))


def ordinals(query: Ints, queries: int) -> Ints:
    """Number the rows of each query 1, 2, …; `query` is sorted."""
    counts = np.bincount(query, minlength=queries)
    starts = np.cumsum(counts) - counts
    return np.arange(1, len(query) + 1) - starts[query]


def relevant(r: Rankings, level: int) -> Relevant:
    """Return the candidates with grade ≥ level, and R.

    Computed once per level: 30 measures of 7,000 queries take 8 ms of CPU, and 11 ms without this.
    """
    if level not in r.derived:
        r.derived[level] = _relevant(r, level)
    found: Relevant = r.derived[level]
    return found


def _relevant(r: Rankings, level: int) -> Relevant:
    keep = r.hit_grade >= level
    query = r.hit_query[keep]
    queries = len(r.n)
    total = np.bincount(r.gold_query[r.gold_grade >= level], minlength=queries)
    return Relevant(
        query,
        r.hit_rank[keep],
        ordinals(query, queries),
        total,
        r.n,
        r.hit_first[keep],
        r.hit_last[keep],
        r.expected_ties,
    )


def chance_within(first: Ints, last: Ints, cut: int | Ints) -> Floats:
    """Return the share of the ranks first … last that are at most the cut."""
    size = last - first + 1
    inside: Floats = np.clip(np.minimum(cut, last) - first + 1, 0, size) / size
    return inside


def judged_within(r: Rankings, k: int) -> NDArray[Any]:
    """Count the judged candidates in the top k of each query, on average over orders if asked for."""
    if not r.expected_ties:
        return np.bincount(r.hit_query[r.hit_rank <= k], minlength=len(r.n))
    return sum_by_query(r.hit_query, chance_within(r.hit_first, r.hit_last, k), len(r.n))


def rank_weights(r: Rankings, keep: Bools, k: int, weight: Callable[[Floats], Floats]) -> Floats:
    """Return the weight of each kept candidate, 0 below k; its mean over orders if asked for."""
    if not r.expected_ties:
        rank = r.hit_rank[keep]
        return np.where(rank <= k, weight(rank.astype(np.float64)), 0.0)
    first, last = r.hit_first[keep], r.hit_last[keep]
    ranks = np.arange(1, last.max(initial=0) + 1)
    weights = np.where(ranks <= k, weight(ranks.astype(np.float64)), 0.0)
    total = np.concatenate(([0.0], np.cumsum(weights)))
    mean: Floats = (total[last] - total[first - 1]) / (last - first + 1)
    return mean


@dataclass(frozen=True, slots=True)
class TieGroups:
    """The tie groups with relevant candidates, by query and rank; one candidate is a group too."""

    query: Ints
    above: Ints  # s: candidates in front of the group
    size: Ints  # t
    relevant: Ints  # m
    before: Ints  # relevant candidates in front of the group

    def within(self, k: int) -> Ints:
        """Return how many ranks of each group are in the top k."""
        inside: Ints = np.clip(k - self.above, 0, self.size)
        return inside


def starts_of_groups(query: Ints, first: Ints) -> Bools:
    """Return where a tie group begins; the rows are sorted by (query, rank)."""
    fresh = np.ones(len(query), dtype=bool)
    fresh[1:] = (query[1:] != query[:-1]) | (first[1:] != first[:-1])
    return fresh


def tie_groups(view: Relevant) -> TieGroups:
    """Return the tie groups of the relevant candidates."""
    begin = np.flatnonzero(starts_of_groups(view.query, view.first))
    return TieGroups(
        query=view.query[begin],
        above=view.first[begin] - 1,
        size=(view.last - view.first + 1)[begin],
        relevant=np.diff(np.append(begin, len(view.query))),
        before=view.ordinal[begin] - 1,
    )


def sum_by_query(query: Ints, weights: Floats, queries: int) -> Floats:
    """Sum the weights of each query, in order: the same bits however queries are partitioned."""
    sums: Floats = np.bincount(query, weights=weights, minlength=queries).astype(np.float64)
    return sums


def running_sums(query: Ints, weights: Floats, queries: int) -> Floats:
    """Return the sum of the weights so far within each query; `query` is sorted."""
    return _running(np.cumsum, query, weights, queries)


def running_products(query: Ints, factors: Floats, queries: int) -> Floats:
    """Return the product of the factors so far within each query; `query` is sorted."""
    return _running(np.cumprod, query, factors, queries)


def _running(accumulate: Callable[..., Floats], query: Ints, values: Floats, queries: int) -> Floats:
    """Accumulate the values of each query.

    Queries with equally many rows are taken together, each in its own order, so the bits do not
    depend on how queries are partitioned.
    """
    counts = np.bincount(query, minlength=queries)
    starts = np.cumsum(counts) - counts
    found: Floats = np.zeros(len(values))
    for size in np.unique(counts[counts > 0]):
        rows = starts[counts == size][:, None] + np.arange(size)
        found[rows] = accumulate(values[rows], axis=1)
    return found


def sums_up_to(query: Ints, rank: Ints, weights: Floats, asked: Ints, cut: Ints, queries: int) -> Floats:
    """Return the sum of the weights of query asked[i] up to rank cut[i], for each i.

    The rows are sorted by (query, rank).
    """
    sums = np.concatenate(([0.0], running_sums(query, weights, queries)))
    width = 1 + max(rank.max(initial=0), cut.max(initial=0))
    end = np.searchsorted(query * width + rank, asked * width + cut, side="right")
    some: Floats = np.where(end > np.searchsorted(query, asked), sums[end], 0.0)
    return some


def ratio(numerator: NDArray[Any], denominator: NDArray[Any]) -> Floats:
    """Divide elementwise; 0 where the denominator is 0."""
    out = np.zeros(len(numerator))
    np.divide(numerator, denominator, out=out, where=denominator != 0)
    return out


def conventions(n: Ints, *reasons: tuple[Bools, Convention]) -> Codes:
    """Return one code per query: the first reason that applies, `NO_GOLD` before an empty list."""
    codes = np.zeros(len(n), dtype=np.uint8)
    ordered = sorted((*reasons, (n == 0, Convention.NO_CANDIDATES)), key=lambda item: item[1])
    for where, reason in reversed(ordered):
        codes[where] = reason
    return codes


def cut_denominator(k: int, denominator: str, n: Ints, R: Ints) -> Ints:
    """Return k, min(k, n) or min(R, k); without a cut-off, k is the length of the list."""
    if denominator == "min_r_k":
        return np.minimum(R, k)
    if denominator == "k_eff" or k == ALL:
        return np.minimum(k, n)
    return np.full(len(n), k)
