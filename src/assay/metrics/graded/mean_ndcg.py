"""nDCG averaged over several ranks: those of the gold, or those at which the ideal grade changes."""

from __future__ import annotations

import numpy as np

from assay.array_types import Floats, Ints
from assay.metrics.core.entry import EMPTY, NO_GOLD, NOTHING, Edge, Kind, Metric, Property, Witness, per_query
from assay.metrics.core.family import Level, measure
from assay.metrics.core.rankings import (
    Convention,
    Rankings,
    Values,
    conventions,
    ordinals,
    ratio,
    sum_by_query,
    sums_up_to,
)
from assay.metrics.core.toy_cases import Toy, ranking

LOG3 = 1.584962500721156


def _ndcg_at(r: Rankings, query: Ints, cut: Ints) -> Floats:
    """Return DCG / IDCG of query[i] at rank cut[i], with linear gains; the queries have gold."""
    queries = len(r.n)
    keep = r.hit_grade > 0
    rank, place = r.hit_rank[keep], ordinals(r.gold_query, queries)
    gained = r.hit_grade[keep] / np.log2(rank + 1.0)
    ideal = r.gold_grade / np.log2(place + 1.0)
    dcg = sums_up_to(r.hit_query[keep], rank, gained, query, cut, queries)
    return dcg / sums_up_to(r.gold_query, place, ideal, query, cut, queries)


def ndcg_over_gold(r: Rankings) -> Values:
    """Return the mean over the gold of nDCG at its rank; missed gold has that of the whole list."""
    queries = len(r.n)
    keep = r.hit_grade > 0
    query = r.hit_query[keep]
    gold = np.bincount(r.gold_query, minlength=queries)
    missed = gold - np.bincount(query, minlength=queries)
    last = np.flatnonzero(missed)
    total = sum_by_query(query, _ndcg_at(r, query, r.hit_rank[keep]), queries)
    total[last] += missed[last] * _ndcg_at(r, last, np.maximum(r.n, gold)[last])
    return ratio(total, gold), conventions(r.n, (gold == 0, Convention.NO_GOLD))


def ndcg_over_levels(r: Rankings, rel: int) -> Values:
    """Return the mean of nDCG at the ranks where the ideal grade changes, and at the end of a longer list."""
    queries = len(r.n)
    gold = np.bincount(r.gold_query, minlength=queries)
    R = np.bincount(r.gold_query[r.gold_grade >= rel], minlength=queries)
    last = np.ones(len(r.gold_query), dtype=bool)
    last[:-1] = (np.diff(r.gold_query) != 0) | (np.diff(r.gold_grade) != 0)
    longer = np.flatnonzero((gold > 0) & (r.n > gold + 1))
    query = np.concatenate((r.gold_query[last], longer))
    cut = np.concatenate((ordinals(r.gold_query, queries)[last], r.n[longer]))
    values = ratio(
        sum_by_query(query, _ndcg_at(r, query, cut), queries), np.bincount(query, minlength=queries)
    )
    return np.where(R > 0, values, 0.0), conventions(r.n, (R == 0, Convention.NO_GOLD))


@measure("ndcg_rel", spellings=(("trec_eval", "ndcg_rel"),))
def ndcg_over_gold_entry() -> Metric:
    """Mean nDCG over the ranks of the gold."""
    return Metric(
        title="nDCG averaged over the gold",
        formula="mean over the gold of DCG / IDCG at its rank, at the end of the list if it was missed",
        latex=r"\frac{1}{|\mathrm{gold}|} \sum_{r \in \mathrm{gold}} \mathrm{nDCG}@\mathrm{rank}(r)",
        meaning="nDCG without the choice of a cut-off, which moves it up and down",
        notes=(
            "trec_eval's `ndcg_rel` (experimental): gold is every grade above 0 whatever the relevance "
            "level. Missed gold has the DCG of the whole list over the IDCG of all gold.",
        ),
        columns=per_query(ndcg_over_gold),
        kind=Kind.RANKING,
        fails={
            Property.NEW_HIT_NEVER_HURTS: Witness(
                Toy("...22", missed=(1,)), "a hit of low grade before better ones has a low nDCG"
            ),
            Property.MISSED_GOLD_NEVER_HELPS: Witness(
                Toy("12"), "missed gold has the nDCG of the whole list, which may be above the mean"
            ),
        },
        edges=(
            NO_GOLD,
            EMPTY,
            NOTHING,
            Edge(Toy("12"), (1 / 2 + (1 + 2 / LOG3) / (2 + 1 / LOG3)) / 2, "nDCG@1 and nDCG@2"),
        ),
    )


@measure("rndcg", spellings=(("trec_eval", "Rndcg"),))
def ndcg_over_levels_entry(rel: Level = 1) -> Metric:
    """Mean nDCG over the ranks at which the ideal order changes its grade."""
    return Metric(
        title="nDCG averaged over grade levels",
        formula="mean of nDCG@c over c = number of gold items with grade ≥ g, for each grade g above 0 "
        "of the gold, and c = n if n exceeds the gold by 2 or more",
        latex=r"\frac{1}{|C|} \sum_{c \in C} \mathrm{nDCG}@c",
        meaning="nDCG where queries with different numbers of gold items are at the same milestones",
        notes=(
            "trec_eval's `Rndcg` (experimental). Its help text adds a rank for items judged "
            "non-relevant; the program takes the end of the list instead.",
            "`rel` only decides which queries have no gold and the value 0.",
        ),
        columns=per_query(lambda cases: ndcg_over_levels(cases, rel)),
        kind=Kind.RANKING,
        fails={
            Property.APPEND_UNJUDGED: Witness(ranking("01"), "a longer list adds the rank n"),
            Property.MISSED_GOLD_NEVER_HELPS: Witness(ranking("01"), "more gold looks further down"),
        },
        edges=(
            NO_GOLD,
            EMPTY,
            NOTHING,
            Edge(ranking("010"), 0.5 / LOG3, "nDCG@1 = 0 and nDCG@3 = 1/log2(3)"),
        ),
    )
