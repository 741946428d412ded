"""From ids to `Cases`: judgements and candidates joined once, by id, never by position.

Queries of a run without judgements are left out and counted, or count with no gold where the rules
say so; judged queries that the run lacks are misses.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import repeat
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from assay.array_types import Floats, Ints
from assay.data.alignment.list_lookup import ListLookup
from assay.data.alignment.ranks import rank_rows, sorted_rows
from assay.data.cases import Cases, Counts
from assay.data.ids import Items, as_series, pick
from assay.data.runs import Chunk, Chunks, JudgedRun, Judgements, Run
from assay.data.score_confidence import confidence_of, of_scores
from assay.errors import InputError, ScatteredQueriesError, shown

if TYPE_CHECKING:
    from assay.files.memory_budget import MemoryBudget


@dataclass(frozen=True, slots=True)
class RankingRules:
    """How rankings are formed: the part of a contract that alignment needs."""

    ties: str = "stable"  # or docno_desc; or expected, the mean over all orders
    depth: int | None = None  # look at this many candidates of a query
    unjudged_queries: str = "drop"  # plain IR: drop, or zero (they count with no gold)
    exclude_criteria: tuple[str, ...] = ()
    keep_confidence: bool = False  # keep how sure each ranking is of itself, by its scores
    keep_pairs: bool = True  # whether a measure needs every candidate: another engine then sends them


@dataclass(frozen=True, slots=True)
class Lists:
    """Candidates of whole queries: list i is rows starts[i] … starts[i+1]-1."""

    codes: Ints  # query code of each list
    starts: Ints
    items: Items
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


def find_hits(lists: Lists, lookup: ListLookup, judgements: Judgements, rules: RankingRules) -> Hits:
    """Join candidates with judgements by id, and rank the judged ones."""
    wanted, place = judgements.of_queries(lists.codes)
    rows, which = lookup.find(place, pick(judgements.items, wanted))
    return _ranked(lists, rows, place[which], judgements.grade[wanted[which]], rules)


def find_repeated_hits(lists: Lists, judgements: Judgements, rules: RankingRules) -> Hits:
    """Do the same where an item may be in a list more than once: each place is a separate candidate."""
    judged = pl.DataFrame({"query": judgements.query, "item": judgements.items, "grade": judgements.grade})
    listed = pl.DataFrame({"query": lists.codes[lists.owner], "item": lists.items})
    grade = listed.join(judged, on=["query", "item"], how="left", maintain_order="left")["grade"]
    rows = np.flatnonzero(grade.is_not_null().to_numpy())
    return _ranked(lists, rows, lists.owner[rows], grade.drop_nulls().to_numpy(), rules)


def has_repeats(lists: Lists) -> bool:
    """Return whether an item is in a list more than once."""
    listed = pl.DataFrame({"query": lists.codes[lists.owner], "item": lists.items})
    return bool(listed.is_duplicated().any())


def _ranked(lists: Lists, rows: Ints, owner: Ints, grade: Floats, rules: RankingRules) -> Hits:
    """Rank the judged candidates: their rows, lists and grades."""
    tie_items = lists.items if rules.ties == "docno_desc" else None
    ranks = rank_rows(lists.scores, lists.starts, rows, owner, tie_items)
    order = sorted_rows(owner, ranks.rank)
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


def assemble(
    keys: pl.DataFrame | list[str], judgements: Judgements, parts: list[Hits], rules: RankingRules
) -> Cases:
    """Return all hits of all parts, by query code, with every query of `keys` present (a list: query ids)."""
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

    query, grade = joined("query"), joined("grade").astype(np.float64)
    order = np.argsort(query, kind="stable")  # inside a query the ranks are ascending already
    pooled, order = order[grade[order] < 0], order[grade[order] >= 0]
    positive = judgements.grade > 0
    gold_query, gold_grade = judgements.query[positive], judgements.grade[positive]
    by_grade = sorted_rows(gold_query, -gold_grade)
    cases = Cases(
        given_keys=keys,
        answered=answered,
        n=n,
        judged=np.bincount(judgements.query[judgements.grade >= 0], minlength=queries),
        hit_query=query[order],
        hit_rank=joined("rank")[order],
        hit_grade=grade[order],
        hit_first=joined("first")[order],
        hit_last=joined("last")[order],
        gold_query=gold_query[by_grade],
        gold_grade=gold_grade[by_grade],
        pool_query=query[pooled],
        pool_rank=joined("rank")[pooled],
        pool_first=joined("first")[pooled],
        pool_last=joined("last")[pooled],
        confidence=confidence,
        expected_ties=rules.ties == "expected",
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


class QueryCodes:
    """Query names to codes; unknown ones get no code, or a new one."""

    def __init__(self, names: tuple[str, ...], *, grow: bool) -> None:
        self.judged, self.next = names, 0  # a run often has its queries in the order of the judgements
        self.grow = grow
        self.left_out = 0
        self.first = ""  # a query of the run, for a message

    @cached_property
    def codes(self) -> dict[str, int]:
        """The code of each query; 100,000 take 13 ms, so they are made where they are needed."""
        return {name: code for code, name in enumerate(self.judged)}

    def queries(self) -> list[str]:
        """Return the query of each code."""
        return list(self.codes if self.grow else self.judged)

    def of(self, names: Collection[str]) -> Ints:
        """Return the codes of queries, -1 where one has none."""
        self.first = self.first or next(iter(names), "")
        begin, end = self.next, self.next + len(names)
        if self.judged[begin:end] == tuple(names):
            self.next = end
            return np.arange(begin, end)
        if self.grow:
            found = np.array([self.codes.setdefault(name, len(self.codes)) for name in names], dtype=np.int64)
        else:
            found = np.fromiter(map(self.codes.get, names, repeat(-1)), dtype=np.int64)
        self.next = int(found[-1]) + 1
        return found


def align_run(
    judged: JudgedRun, rules: RankingRules, memory: MemoryBudget | None = None
) -> tuple[Cases, Chunks]:
    """Join, rank and count a run; also return how to read the same candidates once more.

    A run whose queries are scattered over the file is read as a whole, or gathered on disk where the
    memory is limited.
    """
    run = judged.run
    if run.align is not None:
        return run.align(judged, rules)
    if memory is not None:
        from assay.data.out_of_core.gathered_run import bounded_run

        run = bounded_run(run, memory)
        judged = replace(judged, run=run)
    try:
        return _cases(judged, run.chunks(), rules), run.chunks
    except ScatteredQueriesError:
        gathered = run.gathered or (lambda: [run.whole()])
        return _cases(judged, gathered(), rules), gathered


def _cases(judged: JudgedRun, chunks: Iterable[Chunk], rules: RankingRules) -> Cases:
    names = QueryCodes(judged.qrels.names, grow=rules.unjudged_queries == "zero")
    return joined_cases(judged, names, [_part(chunk, judged, names, rules) for chunk in chunks], rules)


def joined_cases(judged: JudgedRun, names: QueryCodes, parts: list[Hits], rules: RankingRules) -> Cases:
    """Return the cases of all parts of a run, in the order of the codes."""
    qrels, run = judged.qrels, judged.run
    cases = assemble(names.queries(), qrels.judgements, parts, rules)
    if not cases.answered.any():
        ids = f"{shown(names.first)} here, {shown(next(iter(qrels.names), ''))} there"
        problem = f"no query of the run is in {qrels.source} ({ids})"
        raise InputError.of(run.source, problem, "run and judgements must share query ids")
    return replace(cases, counts=replace(cases.counts, left_out=names.left_out))


def _explain(run: Run, chunk: Chunk, owner: Ints, rows: Ints) -> None:
    """Raise the faults of these rows: their documents are repeated."""
    if run.explain_pairs is None:
        run.explain()
        return
    items = as_series(pick(chunk.items, rows)).cast(pl.String).to_list()
    run.explain_pairs({(chunk.names[owner[row]], item) for row, item in zip(rows, items, strict=True)})


def _part(chunk: Chunk, judged: JudgedRun, names: QueryCodes, rules: RankingRules) -> Hits:
    codes = names.of(chunk.names)
    lists = Lists(codes, chunk.starts, chunk.items, chunk.scores)
    lookup = ListLookup(lists.starts, lists.items)
    hits = find_hits(lists, lookup, judged.qrels.judgements, rules)
    repeated = lookup.repeated()  # known after the search
    if len(repeated):
        _explain(judged.run, chunk, lists.owner, repeated)
    names.left_out += int(np.count_nonzero(codes < 0))
    known = codes >= 0
    confidence = {name: values[known] for name, values in hits.confidence.items()}
    return replace(hits, codes=codes[known], n=hits.n[known], confidence=confidence)
