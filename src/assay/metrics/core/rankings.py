"""Rankings as a measure sees them, and the operations on them that measures share.

A ranking measure depends on a list only through the ranks of its *judged* candidates, the number
of candidates and the gold, so nothing else is stored: work grows with the number of judgements,
not of candidates. A measure takes any set of whole queries and gives one value per query, so
results of parts concatenate.

Notation in formulas: hits = relevant candidates in the top k, R = relevant items of the query
(retrieved or not), n = number of candidates, K_eff = min(k, n).
"""

from __future__ import annotations

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
        """Count the relevant candidates of each query where `keep` holds."""
        return np.bincount(self.query[keep], minlength=len(self.n))

    def hits(self, k: int | Ints) -> Ints:
        """Count the relevant candidates in the top k of each query (one k, or one per query)."""
        cut = k if isinstance(k, int) else k[self.query]
        return self.count(self.rank <= cut)


def ordinals(query: Ints, queries: int) -> Ints:
    """Number the rows of each query 1, 2, …; `query` is sorted."""
    counts = np.bincount(query, minlength=queries)
    starts = np.cumsum(counts) - counts
    return np.arange(1, len(query) + 1) - starts[query]


def relevant(r: Rankings, level: int) -> Relevant:
    """Return the candidates with grade ≥ level, and R."""
    keep = r.hit_grade >= level
    query = r.hit_query[keep]
    queries = len(r.n)
    total = np.bincount(r.gold_query[r.gold_grade >= level], minlength=queries)
    return Relevant(query, r.hit_rank[keep], ordinals(query, queries), total, r.n)


def sum_by_query(query: Ints, weights: Floats, queries: int) -> Floats:
    """Sum the weights of each query, in order: the same bits however queries are partitioned."""
    sums: Floats = np.bincount(query, weights=weights, minlength=queries).astype(np.float64)
    return sums


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
