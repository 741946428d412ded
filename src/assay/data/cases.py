"""`Cases`: every query of an evaluation as columns, aligned by id and ranked.

Candidates enter only through what measures can see of them: how many there are, and the rank, the
grade and the tie group of each judged one. Parts of whole queries concatenate without loss.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from assay.array_types import Bools, Floats, Ints

QUERY_COLUMNS = ("answered", "n", "judged", "prob", "selected_k", "state")
STATES = ("NEG", "UNCERTAIN", "POS")
LARGEST_GRADE = 1000
"""Of a judgement: 2^1000 is a float still, so that no gain overflows."""
HIT_COLUMNS = ("hit_rank", "hit_grade", "hit_first", "hit_last")


@dataclass(frozen=True, slots=True)
class Grouping:
    """A partition of the queries by a column: a code a query, and what each code means."""

    codes: Ints
    labels: tuple[str, ...]

    def masks(self) -> Floats:
        """Return one row of zeros and ones per label: the queries that have it."""
        rows = np.arange(len(self.labels))[:, None] == self.codes[None, :]
        return np.asarray(rows, dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Counts:
    """What alignment found, so that nothing is dropped in silence."""

    queries: int
    evidence: int
    missing: int = 0  # asked, not answered
    missing_evidence: int = 0  # of these, with evidence: they count as misses
    left_out: int = 0  # answered, not asked: plain IR only
    resorted: int = 0  # lists that did not come sorted by score
    candidates: int = 0
    excluded: int = 0  # queries of criteria that the contract excludes
    aside: int = 0  # queries of posts that are TRAIN or TUNE only, and not scored


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Every candidate, for the measures over (query, candidate) pairs."""

    query: Ints
    score: Floats
    grade: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Cases:
    """Queries 0 … len-1 with their judged candidates (`hit_query`) and gold (`gold_query`)."""

    keys: pl.DataFrame  # ids of each query: query_id, or post_id and criterion_id
    answered: Bools
    n: Ints
    judged: Ints
    hit_query: Ints
    hit_rank: Ints
    hit_grade: Floats
    hit_first: Ints  # first and last rank that the order of tied candidates could give
    hit_last: Ints
    gold_query: Ints
    gold_grade: Floats
    ranked: bool = True  # False: decisions alone, no rankings
    prob: Floats | None = None
    selected_k: Ints | None = None
    state: Ints | None = None  # place in STATES
    taus: Mapping[str, Floats] = field(default_factory=dict)  # tau_neg, tau_pos as they were given
    thresholds: Mapping[str, Floats] = field(default_factory=dict)  # by rule, one per query
    pairs: Pairs | None = None
    confidence: Mapping[str, Floats] = field(default_factory=dict)  # by score: max, std, diff1
    groupings: Mapping[str, Grouping] = field(default_factory=dict)
    counts: Counts = field(default_factory=lambda: Counts(0, 0))

    def __len__(self) -> int:
        return len(self.n)

    @property
    def has_evidence(self) -> Bools:
        """At least one gold item (grade ≥ 1)."""
        return np.bincount(self.gold_query[self.gold_grade >= 1], minlength=len(self)) > 0

    def take(self, queries: Ints) -> Cases:
        """Return the given queries, in the given order (each at most once)."""
        place = np.full(len(self), -1, dtype=np.int64)
        place[queries] = np.arange(len(queries))
        changed: dict[str, object] = {"keys": self.keys[queries]}
        for name in QUERY_COLUMNS:
            column = getattr(self, name)
            changed[name] = None if column is None else column[queries]
        changed |= _moved(self, "hit_query", HIT_COLUMNS, place)
        changed |= _moved(self, "gold_query", ("gold_grade",), place)
        for name in ("taus", "thresholds", "confidence"):
            changed[name] = {key: each[queries] for key, each in getattr(self, name).items()}
        if self.pairs is not None:
            kept = np.flatnonzero(place[self.pairs.query] >= 0)
            moved = place[self.pairs.query[kept]]
            changed["pairs"] = Pairs(moved, self.pairs.score[kept], self.pairs.grade[kept])
        changed["groupings"] = {
            name: replace(grouping, codes=grouping.codes[queries])
            for name, grouping in self.groupings.items()
        }
        return replace(self, **changed)  # type: ignore[arg-type] # names come from the class itself

    def tie_orders(self) -> tuple[Ints, Cases, Cases]:
        """Return queries whose judged candidates are tied with others, and the two extreme orders of them:
        relevant candidates first, and relevant candidates last, in every tie group.
        """
        queries = self.hit_query[self.hit_first < self.hit_last]
        tied = queries[np.diff(queries, prepend=-1) != 0]
        part = self.take(tied)
        return tied, _reordered(part, best=True), _reordered(part, best=False)


def _moved(cases: Cases, key: str, columns: tuple[str, ...], place: Ints) -> dict[str, object]:
    """Return rows of a query-keyed table after the queries moved to `place` (-1: gone)."""
    target = place[getattr(cases, key)]
    order = np.argsort(target, kind="stable")
    order = order[target[order] >= 0]
    moved: dict[str, object] = {name: getattr(cases, name)[order] for name in columns}
    moved[key] = target[order]
    return moved


def _reordered(cases: Cases, *, best: bool) -> Cases:
    """Ranks under the order of ties that puts higher grades first (best) or last.

    Unjudged candidates of a group stand between the relevant and the judged non-relevant ones.
    """
    query, first, last = cases.hit_query, cases.hit_first, cases.hit_last
    order = np.lexsort((-cases.hit_grade if best else cases.hit_grade, first, query))
    start = np.ones(len(order), dtype=bool)
    start[1:] = (query[order][1:] != query[order][:-1]) | (first[order][1:] != first[order][:-1])
    begin = np.flatnonzero(start)
    size = np.diff(np.append(begin, len(order)))
    within = np.arange(len(order)) - np.repeat(begin, size)
    from_front = first[order] + within
    from_back = last[order] - (np.repeat(size, size) - 1 - within)
    in_front = (cases.hit_grade[order] > 0) == best
    rank = np.empty_like(cases.hit_rank)
    rank[order] = np.where(in_front, from_front, from_back)
    sort = np.lexsort((rank, query))
    return replace(
        cases,
        hit_rank=rank[sort],
        hit_grade=cases.hit_grade[sort],
        hit_first=first[sort],
        hit_last=last[sort],
    )
