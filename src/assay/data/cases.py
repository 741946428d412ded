"""`Cases`: every query of an evaluation as columns, aligned by id and ranked.

Candidates enter only through what measures can see of them: how many there are, and the rank, the
grade and the tie group of each judged one. Parts of whole queries concatenate without loss.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np
import polars as pl

from assay.array_types import Bools, Floats, Ints

QUERY_ID = "query_id"
QUERY_COLUMNS = ("answered", "n", "judged", "prob", "selected_k", "state")
STATES = ("NEG", "UNCERTAIN", "POS")
IN_TRAINING = "in_training"
"""The column that says whether the system learned from labels of the criterion: yes or no."""
LARGEST_GRADE = 1000
"""Of a judgement: 2^1000 is a float still, so that no gain overflows."""
HIT_COLUMNS = ("hit_rank", "hit_grade", "hit_first", "hit_last")
POOL_COLUMNS = ("pool_rank", "pool_first", "pool_last")
NOTHING = np.zeros(0, dtype=np.int64)
NEVER = 2**63 - 1
"""The rank at which a group is complete that the candidates do not complete: beyond the cut-off `all`."""
_TEXTS = "answers that were compared with texts"
_NA_PROB = "no-answer probabilities"
_CLAIMS = "claims with predicted labels"
_SAID = "responses that were read as an answer or a refusal"
_ABSTRACTS = "abstracts with predicted labels and sentences"
FACTS: Mapping[str, str] = {
    "answer_exact": _TEXTS,  # 1 where the answer equals an expected one
    "answer_f1": _TEXTS,  # best F1 over words
    "answer_given": _TEXTS,  # 1 where the answer is not empty
    "na_prob": _NA_PROB,
    "na_place": _NA_PROB,  # in their file
    "label_correct": _CLAIMS,
    "verifiable": _CLAIMS,  # 0 where the gold label is that there is not enough information
    "vacuous_evidence": _CLAIMS,  # 1: a verifiable claim without evidence group, 2: with an empty one
    "said_answerable": _SAID,
    "said_unanswerable": _SAID,
    "abstracts_relevant": _ABSTRACTS,
    "abstracts_retrieved": _ABSTRACTS,
    "abstracts_labelled": _ABSTRACTS,
    "abstracts_rationalized": "counts of the leaderboard's scorer",
    "abstracts_rationalized_3": _ABSTRACTS,
    "rationales_relevant": _ABSTRACTS,
    "rationales_retrieved": _ABSTRACTS,
    "rationales_selected": _ABSTRACTS,
    "rationales_labelled": _ABSTRACTS,
}
"""Numbers that the reader of a shared task gives per query, by name: what data without them lack."""


@dataclass(frozen=True, slots=True, eq=False)
class EvidenceGroups:
    """Evidence groups sorted by query, and their members: one group of a query must be found as a whole."""

    query: Ints
    grade: Floats  # the lowest of its members
    member_group: Ints
    member_hit: Ints  # place among the judged candidates, the first of a repeated one; -1: not retrieved

    def complete_at(self, hit_rank: Ints) -> Ints:
        """Return the rank at which each group is complete."""
        found = self.member_hit >= 0
        ranks = np.full(len(self.member_hit), NEVER)
        ranks[found] = hit_rank[self.member_hit[found]]
        last = np.zeros(len(self.query), dtype=np.int64)
        np.maximum.at(last, self.member_group, ranks)
        return last

    @property
    def size(self) -> Ints:
        """Number of items of each group."""
        return np.bincount(self.member_group, minlength=len(self.query))

    def with_hits(self, place: Ints) -> EvidenceGroups:
        """Return the same groups after the judged candidates moved to `place`."""
        found = self.member_hit >= 0
        moved = np.full(len(self.member_hit), -1)
        moved[found] = place[self.member_hit[found]]
        return EvidenceGroups(self.query, self.grade, self.member_group, moved)

    def take(self, place: Ints, hits: Ints) -> EvidenceGroups:
        """Return the groups of queries that moved to `place` (-1: gone), with hits that moved likewise."""
        target = place[self.query]
        order = np.argsort(target, kind="stable")
        order = order[target[order] >= 0]
        moved = np.full(len(self.query), -1)
        moved[order] = np.arange(len(order))
        kept = np.flatnonzero(moved[self.member_group] >= 0)
        kept = kept[np.argsort(moved[self.member_group[kept]], kind="stable")]
        part = EvidenceGroups(
            target[order], self.grade[order], moved[self.member_group[kept]], self.member_hit[kept]
        )
        return part.with_hits(hits)


@dataclass(frozen=True, slots=True)
class Grouping:
    """A partition of the queries by a column: a code a query, and what each code means."""

    codes: Ints
    labels: tuple[str, ...]


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

    given_keys: pl.DataFrame | list[str]  # ids of each query: a table, or its only column query_id
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
    pool_query: Ints = field(default_factory=lambda: NOTHING)  # candidates pooled and not judged, and
    pool_rank: Ints = field(default_factory=lambda: NOTHING)  # their ranks: only infAP reads them
    pool_first: Ints = field(default_factory=lambda: NOTHING)
    pool_last: Ints = field(default_factory=lambda: NOTHING)
    expected_ties: bool = False  # whether values are means over the orders of tied candidates
    gold_first: bool | None = None  # True, False: an extreme order of ties; None: the order of the input
    repeats: bool = False  # whether a list has an item more than once, as only predicted lists may
    ranked: bool = True  # False: decisions alone, no rankings
    prob: Floats | None = None
    selected_k: Ints | None = None
    state: Ints | None = None  # place in STATES
    taus: Mapping[str, Floats] = field(default_factory=dict)  # tau_neg, tau_pos as they were given
    thresholds: Mapping[str, Floats] = field(default_factory=dict)  # by rule, one per query
    pairs: Pairs | None = None
    confidence: Mapping[str, Floats] = field(default_factory=dict)  # by score: max, std, diff1
    groupings: Mapping[str, Grouping] = field(default_factory=dict)
    facts: Mapping[str, Floats] = field(default_factory=dict)  # by a name of FACTS, one number per query
    groups: EvidenceGroups | None = None  # None: gold has no groups
    counts: Counts = field(default_factory=lambda: Counts(0, 0))
    derived: dict[object, Any] = field(default_factory=dict, init=False, repr=False)
    """What measures have derived from these columns, to be used again; `replace` starts empty."""

    def __len__(self) -> int:
        return len(self.n)

    @property
    def key_names(self) -> tuple[str, ...]:
        """What identifies a query: query_id, or post_id and criterion_id."""
        return (QUERY_ID,) if isinstance(self.given_keys, list) else tuple(self.given_keys.columns)

    @property
    def keys(self) -> pl.DataFrame:
        """Ids of each query."""
        if isinstance(self.given_keys, list):
            if "keys" not in self.derived:
                self.derived["keys"] = pl.DataFrame({QUERY_ID: pl.Series(self.given_keys, dtype=pl.String)})
            return cast(pl.DataFrame, self.derived["keys"])
        return self.given_keys

    @property
    def has_evidence(self) -> Bools:
        """At least one gold item (grade ≥ 1)."""
        if "has_evidence" not in self.derived:
            positive = self.gold_query[self.gold_grade >= 1]
            self.derived["has_evidence"] = np.bincount(positive, minlength=len(self)) > 0
            self.derived["has_evidence"].flags.writeable = False
        return cast(Bools, self.derived["has_evidence"])

    def take(self, queries: Ints) -> Cases:
        """Return the given queries, in the given order (each at most once)."""
        place = np.full(len(self), -1, dtype=np.int64)
        place[queries] = np.arange(len(queries))
        changed: dict[str, object] = {"given_keys": self._keys_of(queries)}
        for name in QUERY_COLUMNS:
            column = getattr(self, name)
            changed[name] = None if column is None else column[queries]
        changed |= _moved(self, "hit_query", HIT_COLUMNS, place)
        if self.groups is not None:
            changed["groups"] = self.groups.take(place, _new_places(self.hit_query, place))
        changed |= _moved(self, "pool_query", POOL_COLUMNS, place)
        changed |= _moved(self, "gold_query", ("gold_grade",), place)
        for name in ("taus", "thresholds", "confidence", "facts"):
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

    @property
    def tied(self) -> Ints:
        """Queries with a judged candidate that is tied with another candidate."""
        queries = self.hit_query[self.hit_first < self.hit_last]
        tied: Ints = queries[np.diff(queries, prepend=-1) != 0]
        return tied

    def _keys_of(self, queries: Ints) -> pl.DataFrame | list[str]:
        given = self.given_keys
        return [given[query] for query in queries.tolist()] if isinstance(given, list) else given[queries]

    def tie_orders(self) -> tuple[Ints, Cases, Cases]:
        """Return queries whose judged candidates are tied with others, and the two extreme orders of them:
        relevant candidates first, and relevant candidates last, in every tie group.
        """
        tied = self.tied
        part = self.take(tied)
        return tied, reordered(part, best=True), reordered(part, best=False)


def _moved(cases: Cases, key: str, columns: tuple[str, ...], place: Ints) -> dict[str, object]:
    """Return rows of a query-keyed table after the queries moved to `place` (-1: gone)."""
    target = place[getattr(cases, key)]
    order = _kept_order(target)
    moved: dict[str, object] = {name: getattr(cases, name)[order] for name in columns}
    moved[key] = target[order]
    return moved


def _kept_order(target: Ints) -> Ints:
    """Return the rows that are kept, in the order of their new queries."""
    order = np.argsort(target, kind="stable")
    return order[target[order] >= 0]


def _new_places(query: Ints, place: Ints) -> Ints:
    """Return where each row of a query-keyed table is after `_moved`; -1 where it is gone."""
    order = _kept_order(place[query])
    return _inverse(order, len(query))


def _inverse(order: Ints, rows: int) -> Ints:
    moved = np.full(rows, -1)
    moved[order] = np.arange(len(order))
    return moved


def reordered(cases: Cases, *, best: bool) -> Cases:
    """Return the cases with higher grades first (best) or last in every tie group.

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
        expected_ties=False,
        gold_first=best,
        # Of these, only the number above a relevant candidate counts.
        pool_rank=cases.pool_last if best else cases.pool_first,
        groups=cases.groups and cases.groups.with_hits(_inverse(sort, len(sort))),
        hit_rank=rank[sort],
        hit_grade=cases.hit_grade[sort],
        hit_first=first[sort],
        hit_last=last[sort],
    )
