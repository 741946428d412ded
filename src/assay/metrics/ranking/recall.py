"""Recall at k."""

from __future__ import annotations

from typing import Literal

from assay.metrics.core.entry import (
    EMPTY,
    NO_GOLD,
    NOTHING,
    Edge,
    Fails,
    Kind,
    Metric,
    Property,
    at_cut,
    per_query,
)
from assay.metrics.core.family import Cut, Level, measure
from assay.metrics.core.rankings import ALL, Convention, Rankings, Values, conventions, ratio, relevant
from assay.metrics.core.toy_cases import more_gold, ranking


def recall(r: Rankings, k: int, gold: str, rel: int) -> Values:
    """Return hits / R; with gold=retrieved, R counts only relevant items among the candidates."""
    view = relevant(r, rel)
    total = view.R if gold == "all" else view.hits(ALL)
    codes = conventions(r.n, (view.R == 0, Convention.NO_GOLD), (total == 0, Convention.NO_RETRIEVED_GOLD))
    return ratio(view.hits(k), total), codes


@measure(
    "recall",
    printed_as=("evidence recall at k", "r at k"),
    spellings=(("ir_measures", "R@k Recall@k"), ("trec_eval", "recall_k"), ("ranx", "recall@k")),
)
def recall_entry(k: Cut, gold: Literal["all", "retrieved"] = "all", rel: Level = 1) -> Metric:
    """Fraction of the gold in the top k."""
    fails: Fails = {}
    edges = [NO_GOLD, EMPTY]
    if k != ALL:
        fails[Property.IDEAL_IS_BEST] = at_cut(k, more_gold, "more gold than ranks")
    if gold == "retrieved":
        reason = Convention.NO_RETRIEVED_GOLD
        edges.append(Edge(ranking("00", R=2), 0.0, "no gold was retrieved", reason))
        edges.append(Edge(ranking("1", R=4), 1.0, "gold that was not retrieved does not count"))
        if k != ALL:
            fails[Property.NEW_HIT_NEVER_HURTS] = at_cut(
                k, lambda cut: ranking("1" * cut + ".", R=cut + 1), "a new hit below k adds to the gold"
            )
    else:
        edges += [NOTHING, Edge(ranking("1", R=4), 0.25, "gold that was not retrieved counts")]
    return Metric(
        title="Recall",
        formula="hits@k / R" if gold == "all" else "hits@k / gold among the candidates",
        latex=r"\frac{|\mathrm{gold} \cap \mathrm{top}_k|}{R}"
        if gold == "all"
        else r"\frac{|\mathrm{gold} \cap \mathrm{top}_k|}{|\mathrm{gold} \cap \mathrm{listed}|}",
        meaning="share of the evidence among the first k sentences",
        columns=per_query(lambda cases: recall(cases, k, gold, rel)),
        kind=Kind.CUT_RANKING,
        expected_ties=True,
        fails=fails,
        edges=tuple(edges),
    )
