"""Precision at k."""

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
    Witness,
    at_cut,
    per_query,
)
from assay.metrics.core.family import Cut, Level, measure
from assay.metrics.core.rankings import (
    ALL,
    Convention,
    Rankings,
    Values,
    conventions,
    cut_denominator,
    ratio,
    relevant,
)
from assay.metrics.core.toy_cases import full_then_miss, ranking

DIVISOR = {"k": ("k", "k"), "k_eff": ("min(k, n)", r"\min(k, n)"), "min_r_k": ("min(R, k)", r"\min(R, k)")}
"""The denominator in plain characters and in LaTeX."""


def precision(r: Rankings, k: int, denominator: str, rel: int) -> Values:
    """Return hits / k, hits / min(k, n) or hits / min(R, k)."""
    view = relevant(r, rel)
    divisor = cut_denominator(k, denominator, r.n, view.R)
    no_gold = (view.R == 0) & (denominator == "min_r_k")
    return ratio(view.hits(k), divisor), conventions(r.n, (no_gold, Convention.NO_GOLD))


@measure(
    "precision",
    aliases=("p",),
    spellings=(
        ("ir_measures", "P@k Precision@k"),
        ("trec_eval", "P_k"),
        ("trec_eval", "relative_P_k", "denominator=min_r_k"),
        ("ranx", "precision@k"),
    ),
)
def precision_entry(k: Cut, denominator: Literal["k", "k_eff", "min_r_k"] = "k", rel: Level = 1) -> Metric:
    """Fraction of the top k that is gold."""
    fails: Fails = {}
    edges = [EMPTY, NOTHING]
    if denominator == "min_r_k":
        edges += [NO_GOLD, Edge(ranking("1", R=1), 1.0, "all gold was found")]
    else:
        short = ranking("1", R=1)
        full = denominator == "k_eff" or k == ALL
        edges.append(Edge(short, 1.0 if full else 1.0 / k, "a list shorter than k"))
        if k > 1:
            fails[Property.IDEAL_IS_BEST] = Witness(ranking("10"), "less gold than ranks")
        if k > 1 and full:
            fails[Property.APPEND_UNJUDGED] = Witness(short, "the list length is the denominator")
    if k != ALL:
        fails[Property.GROWS_WITH_K] = at_cut(
            k, lambda cut: full_then_miss(cut, cut + 1), "one more rank, no new hit"
        )
    plain, latex = DIVISOR[denominator]
    return Metric(
        title="Precision",
        formula=f"hits@k / {plain}",
        latex=rf"\frac{{|\mathrm{{gold}} \cap \mathrm{{top}}_k|}}{{{latex}}}",
        meaning="share of the first k sentences that is evidence",
        columns=per_query(lambda cases: precision(cases, k, denominator, rel)),
        kind=Kind.CUT_RANKING,
        expected_ties=True,
        fails=fails,
        edges=tuple(edges),
    )
