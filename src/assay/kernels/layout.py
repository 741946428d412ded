"""What a ranking kernel sees of a set of queries, and the views that kernels share.

A ranking measure depends on the list only through the ranks of its *judged* candidates, the
number of candidates, and the gold. So that is all there is here: the work of a kernel grows with
the judgements, not with the candidates.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Codes = NDArray[np.uint8]

ALL = 2**62
"""The cut-off `all`: larger than any list."""


class Convention(IntEnum):
    """Why a value is a convention and not a computation; 0 where it was computed."""

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
        """Candidates of each query."""

    @property
    def judged(self) -> Ints:
        """Judgements of each query, relevant or not."""

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
    def gold_query(self) -> Ints:
        """Query of each gold item."""

    @property
    def gold_grade(self) -> Floats:
        """Its grade."""


@dataclass(frozen=True, slots=True)
class Relevant:
    """The retrieved relevant candidates at one relevance level, and R of each query."""

    query: Ints
    rank: Ints
    ordinal: Ints  # 1 for the first relevant candidate of its query, 2 for the second …
    R: Ints
    n: Ints

    def count(self, keep: Bools) -> Ints:
        """Relevant candidates of each query where `keep` holds."""
        return np.bincount(self.query[keep], minlength=len(self.n))

    def hits(self, k: int | Ints) -> Ints:
        """Relevant candidates of each query in its top k (one k, or one a query)."""
        cut = k if isinstance(k, int) else k[self.query]
        return self.count(self.rank <= cut)


def ordinals(query: Ints, queries: int) -> Ints:
    """1, 2, … within each run of equal values of a sorted `query`."""
    counts = np.bincount(query, minlength=queries)
    starts = np.cumsum(counts) - counts
    return np.arange(1, len(query) + 1) - starts[query]


def relevant(r: Rankings, level: int) -> Relevant:
    """Candidates with grade ≥ level count as relevant."""
    keep = r.hit_grade >= level
    query = r.hit_query[keep]
    queries = len(r.n)
    total = np.bincount(r.gold_query[r.gold_grade >= level], minlength=queries)
    return Relevant(query, r.hit_rank[keep], ordinals(query, queries), total, r.n)


def per_query(query: Ints, weights: Floats, queries: int) -> Floats:
    """Sum of weights of each query, added in order: the same bits in any partition."""
    sums: Floats = np.bincount(query, weights=weights, minlength=queries).astype(np.float64)
    return sums


def ratio(numerator: NDArray[Any], denominator: NDArray[Any]) -> Floats:
    """Elementwise quotient, 0 where the denominator is 0."""
    out = np.zeros(len(numerator))
    np.divide(numerator, denominator, out=out, where=denominator != 0)
    return out


def conventions(n: Ints, *reasons: tuple[Bools, Convention]) -> Codes:
    """One code a query; the first reason that applies wins, an empty list comes after `NO_GOLD`."""
    codes = np.zeros(len(n), dtype=np.uint8)
    ordered = sorted((*reasons, (n == 0, Convention.NO_CANDIDATES)), key=lambda item: item[1])
    for where, reason in reversed(ordered):
        codes[where] = reason
    return codes
