"""Normalised discounted cumulative gain at k."""

from __future__ import annotations

from typing import Literal

import numpy as np

from assay.array_types import Floats
from assay.metrics.core.entry import (
    EMPTY,
    NO_GOLD,
    NOTHING,
    Edge,
    Fails,
    Kind,
    Metric,
    Property,
    Witness,
    at_cut,
    per_query,
)
from assay.metrics.core.family import Cut, measure
from assay.metrics.core.rankings import (
    ALL,
    Convention,
    Rankings,
    Values,
    conventions,
    ordinals,
    rank_weights,
    ratio,
    sum_by_query,
)
from assay.metrics.core.toy_cases import Toy, ranking


def gains(grades: Floats, gain: str) -> Floats:
    """Return rel, or 2^rel − 1."""
    return grades if gain == "linear" else np.exp2(grades) - 1.0


def ndcg(r: Rankings, k: int, gain: str, gold: str, cut: str) -> Values:
    """Return DCG@k / IDCG@k with DCG = Σ g(rel_i) / log2(i + 1)."""
    queries = len(r.n)
    if r.expected_ties:
        keep = r.hit_grade > 0
        discounts = rank_weights(r, keep, k, lambda rank: 1.0 / np.log2(rank + 1.0))
        discounted = gains(r.hit_grade[keep], gain) * discounts
    else:
        keep = (r.hit_grade > 0) & (r.hit_rank <= k)
        discounted = gains(r.hit_grade[keep], gain) / np.log2(r.hit_rank[keep] + 1.0)
    dcg = sum_by_query(r.hit_query[keep], discounted, queries)

    idcg = ideal_dcg(r, k, gain, gold, cut)
    has_gold = np.bincount(r.gold_query, minlength=queries) > 0
    codes = conventions(r.n, (~has_gold, Convention.NO_GOLD), (idcg == 0, Convention.NO_RETRIEVED_GOLD))
    return ratio(dcg, idcg), codes


def ideal_dcg(r: Rankings, k: int, gain: str, gold: str, cut: str) -> Floats:
    """Return IDCG@k: the DCG of all gold, or of the retrieved gold, in the best order."""
    queries = len(r.n)
    ideal_query, ideal_grade = r.gold_query, r.gold_grade
    if gold == "retrieved":
        got = r.hit_grade > 0
        order = np.lexsort((-r.hit_grade[got], r.hit_query[got]))
        ideal_query, ideal_grade = r.hit_query[got][order], r.hit_grade[got][order]
    position = ordinals(ideal_query, queries)
    limit = np.minimum(k, r.n)[ideal_query] if cut == "k_eff" else k
    inside = position <= limit
    ideal_gain = gains(ideal_grade[inside], gain) / np.log2(position[inside] + 1.0)
    return sum_by_query(ideal_query[inside], ideal_gain, queries)


@measure(
    "ndcg",
    printed_as=("normalised dcg", "normalized dcg", "mean ndcg"),
    spellings=(
        ("ir_measures", "nDCG[@k] NDCG[@k]"),
        ("trec_eval", "ndcg ndcg_cut_k"),
        ("ranx", "ndcg[@k]"),
        ("ranx", "ndcg_burges[@k]", "gain=exponential"),
    ),
)
def ndcg_entry(
    k: Cut,
    gain: Literal["linear", "exponential"] = "linear",
    gold: Literal["all", "retrieved"] = "all",
    cut: Literal["k", "k_eff"] = "k",
) -> Metric:
    """Discounted gain of the ranking over that of the ideal ranking."""
    fails: Fails = {}
    edges = [NO_GOLD, EMPTY]
    if gold == "retrieved":
        reason = Convention.NO_RETRIEVED_GOLD
        edges.append(Edge(ranking("00", R=2), 0.0, "no gold was retrieved", reason))
        edges.append(Edge(ranking("1", R=4), 1.0, "gold that was not retrieved does not count"))
        fails[Property.NEW_HIT_NEVER_HURTS] = Witness(
            Toy("1.", missed=(2,)), "a better item further down enlarges the ideal"
        )
    else:
        edges.append(NOTHING)
        if cut == "k_eff" and k > 1:
            fails[Property.APPEND_UNJUDGED] = Witness(ranking("1", R=2), "the list length bounds the ideal")
    if k != ALL:
        fails[Property.GROWS_WITH_K] = at_cut(
            k, lambda cut: ranking("1" * cut + "01"), "the ideal grows, the ranking does not"
        )
    if k >= 2:
        graded = {"linear": 1 + 2 * 0.6309297535714574, "exponential": 1 + 3 * 0.6309297535714574}
        ideal = {"linear": 2 + 0.6309297535714574, "exponential": 3 + 0.6309297535714574}
        why = "grades 1, 2: 1/log2(3) = 0.6309…"
        edges.append(Edge(Toy("12"), graded[gain] / ideal[gain], why))
    short = "min(k, n)" if cut == "k_eff" else "k"
    of = "" if gold == "all" else " of the retrieved gold"
    gained = "rel" if gain == "linear" else "(2^rel − 1)"
    numerator = r"\mathrm{rel}_i" if gain == "linear" else r"2^{\mathrm{rel}_i} - 1"
    return Metric(
        title="Normalised discounted cumulative gain",
        abbreviation="nDCG",
        formula=f"DCG@k / IDCG@{short}{of}, DCG = Σ {gained} / log2(rank + 1)",
        latex=rf"\frac{{\mathrm{{DCG}}_k}}{{\mathrm{{IDCG}}_k}},\quad"
        rf"\mathrm{{DCG}}_k = \sum_{{i=1}}^{{k}} \frac{{{numerator}}}{{\log_2(i + 1)}}",
        meaning="how close the first k sentences come to the best possible order",
        columns=per_query(lambda cases: ndcg(cases, k, gain, gold, cut)),
        kind=Kind.CUT_RANKING,
        expected_ties=True,
        fails=fails,
        edges=tuple(edges),
    )
