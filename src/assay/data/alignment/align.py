"""From ids to `Cases`: judgements and candidates joined once, by id, never by position."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from assay.array_types import Floats, Ints
from assay.data.alignment.ranks import rank_rows
from assay.data.cases import Cases, Counts
from assay.data.ids import Lookup, pick
from assay.data.runs import Judgements
from assay.data.score_confidence import confidence_of, of_scores


@dataclass(frozen=True, slots=True)
class RankingRules:
    """How rankings are formed: the part of a contract that alignment needs."""

    ties: str = "stable"  # or docno_desc
    depth: int | None = None  # look at this many candidates of a query
    unjudged_queries: str = "drop"  # plain IR: drop, or zero (they count with no gold)
    exclude_criteria: tuple[str, ...] = ()
    keep_confidence: bool = False  # keep how sure each ranking is of itself, by its scores


@dataclass(frozen=True, slots=True)
class Lists:
    """Candidates of whole queries: list i is rows starts[i] … starts[i+1]-1."""

    codes: Ints  # query code of each list
    starts: Ints
    items: pl.Series
    scores: Floats

    @property
    def lengths(self) -> Ints:
        """Candidates of each list."""
        return np.diff(np.append(self.starts, len(self.scores)))

    @property
    def owner(self) -> Ints:
        """List of each candidate."""
        return np.repeat(np.arange(len(self.codes)), self.lengths)


def group_lists(codes: Ints, items: pl.Series, scores: Floats) -> Lists:
    """Candidates in any order as lists, with the order of the input kept inside each."""
    order = np.argsort(codes, kind="stable")
    ranked = codes[order]
    first = np.ones(len(ranked), dtype=bool)
    first[1:] = ranked[1:] != ranked[:-1]
    starts = np.flatnonzero(first)
    return Lists(ranked[starts], starts, items.gather(order), scores[order])


@dataclass(frozen=True, slots=True)
class Hits:
    """Judged candidates of some lists, by (query code, rank), and the lists' lengths."""

    codes: Ints
    n: Ints
    query: Ints
    rank: Ints
    first: Ints
    last: Ints
    grade: Floats
    row: Ints  # place among the candidates of the lists
    resorted: int
    confidence: Mapping[str, Floats] = field(default_factory=dict)  # of each list, where asked for


def find_hits(lists: Lists, lookup: Lookup, judgements: Judgements, rules: RankingRules) -> Hits:
    """Join candidates with judgements by id, and rank the judged ones."""
    wanted, place = judgements.of_queries(lists.codes)
    rows, which = lookup.find(place, pick(judgements.items, wanted))
    owner = place[which]
    grade = judgements.grade[wanted[which]]
    tie_items = lists.items if rules.ties == "docno_desc" else None
    ranks = rank_rows(lists.scores, lists.starts, rows, owner, tie_items)
    order = np.lexsort((ranks.rank, owner))
    length = lists.lengths
    n = length
    if rules.depth is not None:
        order = order[ranks.rank[order] <= rules.depth]
        n = np.minimum(length, rules.depth)
    return Hits(
        codes=lists.codes,
        n=n,
        query=lists.codes[owner[order]],
        rank=ranks.rank[order],
        first=ranks.first[order],
        last=ranks.last[order],
        grade=grade[order],
        row=rows[order],
        # A list without judgements is left out: a bundle does not have it.
        resorted=int(np.count_nonzero(lists.codes[ranks.resorted] >= 0)),
        confidence=of_scores(lists.scores, lists.starts, length, rules.depth)
        if rules.keep_confidence
        else {},
    )


def assemble(keys: pl.DataFrame, judgements: Judgements, parts: list[Hits]) -> Cases:
    """Return all hits of all parts, by query code, with every query of `keys` present."""
    queries = len(keys)
    n = np.zeros(queries, dtype=np.int64)
    answered = np.zeros(queries, dtype=bool)
    confidence = confidence_of([[]] * queries) if any(part.confidence for part in parts) else {}
    for part in parts:
        n[part.codes] = part.n
        answered[part.codes] = True
        for name, values in part.confidence.items():
            confidence[name][part.codes] = values
    empty = np.zeros(0, dtype=np.int64)

    def joined(name: str) -> Ints:
        return np.concatenate([empty, *(getattr(part, name) for part in parts)])

    query = joined("query")
    order = np.argsort(query, kind="stable")  # inside a query the ranks are ascending already
    positive = judgements.grade > 0
    gold_query, gold_grade = judgements.query[positive], judgements.grade[positive]
    by_grade = np.lexsort((-gold_grade, gold_query))
    cases = Cases(
        keys=keys,
        answered=answered,
        n=n,
        judged=np.bincount(judgements.query, minlength=queries),
        hit_query=query[order],
        hit_rank=joined("rank")[order],
        hit_grade=joined("grade").astype(np.float64)[order],
        hit_first=joined("first")[order],
        hit_last=joined("last")[order],
        gold_query=gold_query[by_grade],
        gold_grade=gold_grade[by_grade],
        confidence=confidence,
    )
    missing = ~answered
    return replace(
        cases,
        counts=Counts(
            queries=queries,
            evidence=int(cases.has_evidence.sum()),
            missing=int(missing.sum()),
            missing_evidence=int((cases.has_evidence & missing).sum()),
            resorted=sum(part.resorted for part in parts),
            candidates=int(n.sum()),
        ),
    )
