"""The baselines of a result: random order, original order, BM25, positive rate, highest score, oracle.

Ranking baselines rank all sentences of a post; for a plain run, whose collection is unknown, they rank
the candidates of the system. `assay_oracle.bundle.baseline_findings` computes the same from the tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from assay.array_types import Floats, Ints
from assay.data.cases import Cases
from assay.evaluation.baselines.baseline_pool import BM25_SCORE, HIGHEST, BaselinePool, highest_scores
from assay.evaluation.baselines.random_order import FAMILIES, expected_values
from assay.evaluation.inputs.aligned_input import Sources
from assay.evaluation.presentation import HEADLINES, TREC_HEADLINES
from assay.evaluation.result import Baseline, Result, Value
from assay.evaluation.scoring.score import QueryRows, score
from assay.metrics.core.entry import Metric, Scored
from assay.metrics.core.reduce import Columns
from assay.metrics.core.registry import is_user_defined, metric

MOST = len(HEADLINES)
"""Measures with baselines, where a result has more and none of them is a headline measure."""
AREAS = ("auroc", "auprc")
RATES = (*AREAS, "brier", "ece")
RETURNED = ("evidence_recall", "evidence_precision")
TITLES = {
    "random": "Random order",
    "original": "Original order",
    "bm25": "BM25",
    "positive_rate": "Positive rate",
    "highest_score": "Highest score",
    "oracle": "Oracle",
}
OF_POSTS = {
    "random": "expected value over all orders of the sentences of a post",
    "original": "the sentences of a post in their own order",
    "bm25": "the sentences of a post by BM25 with the text of the criterion (k1 1.2, b 0.75, word "
    "statistics of all sentences of the corpus); the highest BM25 score orders the queries",
    "positive_rate": "the share of queries with evidence as the probability of every query",
    "highest_score": "the highest score of the system's candidates orders the queries",
    "oracle": "all gold first, by grade, as many sentences as there are gold, and every query decided "
    "correctly",
}
OF_RUNS = OF_POSTS | {
    "random": "expected value over all orders of the candidates that the system gave",
    "oracle": "all gold first, by grade, whether the system retrieved it or not",
}


@dataclass(frozen=True, slots=True)
class Alternative:
    """The cases as a baseline would have answered them, and the measures that it has."""

    name: str
    cases: Cases
    families: tuple[str, ...]
    expected: bool = False  # over all orders


def baseline_measures(result: Result) -> list[Value]:
    """Return the measures that baselines have values of: the headlines, or all of a few."""
    known = {value.name: value for value in result.measures if not is_user_defined(value.definition)}
    if len(known) <= MOST:
        return list(known.values())
    headlines = [known[name] for name in dict.fromkeys((*HEADLINES, *TREC_HEADLINES)) if name in known]
    return headlines or list(known.values())[:MOST]


def baselines_of(result: Result, cases: Cases, pool: BaselinePool) -> tuple[Baseline, ...]:
    """Return the baselines that the data allow, each with the measures it has."""
    texts = OF_RUNS if pool.sentences is None else OF_POSTS
    found = baseline_values(result, cases, pool, baseline_measures(result))
    return tuple(
        Baseline(name, TITLES[name], texts[name], {each: value.value for each, value in values.items()})
        for name, values in found.items()
        if values
    )


def baseline_values(
    result: Result, cases: Cases, pool: BaselinePool, measures: Iterable[Value]
) -> dict[str, dict[str, Value]]:
    """Return the values of each baseline by name of the measure, with their folds."""
    metrics = {value.name: metric(value.definition) for value in measures}
    folds, aggregate = cases.groupings.get("fold"), result.contract.aggregate
    return {
        each.name: {
            name: score(scored, name, folds, aggregate, None, None)
            for name, bound in metrics.items()
            if (scored := _scored(each, bound)) is not None
        }
        for each in alternatives(cases, pool)
    }


def _scored(each: Alternative, bound: Metric) -> Scored | None:
    if bound.name.partition("@")[0] not in each.families:
        return None
    if not each.expected:
        return Scored.of(bound, each.cases)
    values = expected_values(bound, each.cases)
    return (
        None
        if values is None
        else Scored(bound, Columns({"value": values}), bound.population.mask(each.cases))
    )


def alternatives(cases: Cases, pool: BaselinePool) -> Iterator[Alternative]:
    """Give each baseline that the data allow, as cases."""
    ranking = tuple(FAMILIES)
    if cases.ranked:
        shuffled = cases if pool.sentences is None else ranked(cases, pool, pool.ranks["original"])
        yield Alternative("random", shuffled, ranking, expected=True)
        for name, ranks in pool.ranks.items():
            made = ranked(cases, pool, ranks)
            if name == "bm25" and cases.prob is not None:
                made = replace(made, prob=as_probability(pool.scores[BM25_SCORE]))
                ranking = (*ranking, *AREAS)
            yield Alternative(name, made, ranking)
    label = cases.has_evidence.astype(np.float64)
    if cases.prob is not None:
        rate = np.full(len(cases), label.mean() if len(cases) else 0.0)
        yield Alternative("positive_rate", replace(cases, prob=rate), RATES)
        if HIGHEST in pool.scores:
            made = replace(cases, prob=as_probability(pool.scores[HIGHEST]))
            yield Alternative("highest_score", made, AREAS)
    if cases.ranked:
        best = ranked(cases, pool, _first(cases.gold_query))
        gold = np.bincount(cases.gold_query[cases.gold_grade >= 1], minlength=len(cases))
        families = tuple(FAMILIES)
        if cases.prob is not None:
            best, families = replace(best, prob=label), (*families, *RATES)
        if cases.selected_k is not None:
            best, families = replace(best, selected_k=gold), (*families, *RETURNED)
        yield Alternative("oracle", best, families)


def pool_of(result: Result, sources: Sources) -> tuple[Cases, BaselinePool]:
    """Return the cases of a computed result, and what baselines need beyond them."""
    rows = result.queries
    assert isinstance(rows, QueryRows), "a result with sources was computed here"
    cases, pool = rows.cases, BaselinePool() if sources.pool is None else sources.pool()
    if pool.sentences is not None and cases.prob is not None:
        highest = highest_scores(cases, sources.candidates)
        pool = replace(pool, scores={**pool.scores, HIGHEST: highest})
    return cases, pool


def _first(query: Ints) -> Ints:
    """Return 1, 2, … for the gold of each query, which is sorted by grade."""
    starts = np.searchsorted(query, query)
    return np.arange(1, len(query) + 1) - starts


def ranked(cases: Cases, pool: BaselinePool, ranks: Ints) -> Cases:
    """Return the cases with the gold at these ranks, among all sentences of its post."""
    order = np.lexsort((ranks, cases.gold_query))
    query, rank = cases.gold_query[order], ranks[order]
    counts = np.bincount(query, minlength=len(cases))
    n = np.maximum(cases.n, counts) if pool.sentences is None else pool.sentences
    none = np.zeros(0, dtype=np.int64)
    return replace(
        cases,
        answered=cases.answered if pool.sentences is None else n > 0,
        n=n,
        hit_query=query,
        hit_rank=rank,
        hit_grade=cases.gold_grade[order],
        hit_first=rank,
        hit_last=rank,
        pool_query=none,
        pool_rank=none,
        pool_first=none,
        pool_last=none,
        pairs=None,
    )


def as_probability(scores: Floats) -> Floats:
    """Return the rank of each score among all queries, over their number; ties have one rank."""
    rank = pl.Series(scores).rank("average").to_numpy()
    probabilities: Floats = rank / max(len(scores), 1)
    return probabilities
