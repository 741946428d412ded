"""Entries of further measures at a cut-off k: F, and how much of the top k was judged."""

from __future__ import annotations

from typing import Literal

from assay.kernels import ranking as kernel
from assay.kernels.layout import ALL
from assay.metrics.entry import Edge, Metric, Witness, at_cut
from assay.metrics.family import Cut, Level, On, Weight
from assay.metrics.properties import Property
from assay.metrics.ranking import (
    EMPTY,
    NO_GOLD,
    NOTHING,
    Fails,
    Names,
    ranking_metric,
)
from assay.metrics.toy import Toy, full_then_miss, more_gold, ranking


def f_measure(
    name: str, params: Names, k: Cut, beta: Weight = 1, rel: Level = 1, on: On = "evidence"
) -> Metric:
    """Harmonic mean of precision and recall at k."""
    fails: Fails = {}
    if k == ALL:
        fails[Property.APPEND_UNJUDGED] = Witness(ranking("1"), "precision falls with the length")
        fails[Property.IDEAL_IS_BEST] = Witness(
            ranking("10"), "precision of a long list is below 1"
        )
    else:
        fails[Property.IDEAL_IS_BEST] = at_cut(k, more_gold, "more gold than places")
        fails[Property.GROWS_WITH_K] = at_cut(
            k, lambda cut: full_then_miss(cut, cut), "precision falls"
        )
    return ranking_metric(
        name,
        params,
        on,
        lambda cases: kernel.f_measure(cases, k, beta, rel),
        title="F measure",
        formula="(1 + β²)·P@k·R@k / (β²·P@k + R@k)",
        latex=r"\frac{(1+\beta^2)\,P@k\,R@k}{\beta^2\,P@k + R@k}",
        meaning="precision and recall of the first k sentences in one number",
        fails=fails,
        edges=(NO_GOLD, EMPTY, NOTHING),
    )


def judged(
    name: str,
    params: Names,
    k: Cut,
    denominator: Literal["k", "k_eff"] = "k_eff",
    on: On = "evidence",
) -> Metric:
    """Share of the top k that somebody judged."""
    fails: Fails = {Property.UNJUDGED_IS_NONRELEVANT: Witness(Toy("."), "it counts judgements")}
    if k > 1:
        fails[Property.IDEAL_IS_BEST] = Witness(Toy("1."), "an unjudged candidate is listed")
        if denominator == "k_eff" or k == ALL:
            fails[Property.APPEND_UNJUDGED] = Witness(Toy("1"), "one more candidate is unjudged")
    if k != ALL:
        fails[Property.GROWS_WITH_K] = at_cut(
            k, lambda cut: Toy("1" * cut + "."), "the next one is unjudged"
        )
    return ranking_metric(
        name,
        params,
        on,
        lambda cases: kernel.judged(cases, k, denominator),
        title="Judged",
        formula="judged in the top k / " + ("k" if denominator == "k" else "min(k, n)"),
        latex=r"\frac{|\mathrm{judged} \cap \mathrm{top}_k|}{k}"
        if denominator == "k"
        else r"\frac{|\mathrm{judged} \cap \mathrm{top}_k|}{\min(k, n)}",
        meaning="how much of the first k was judged: low values make other figures doubtful",
        fails=fails,
        edges=(EMPTY, Edge(Toy(".", missed=(1,)), 0.0, "nothing judged")),
    )


def unjudged(
    name: str, params: Names, k: Cut, denominator: Literal["k", "k_eff"] = "k", on: On = "evidence"
) -> Metric:
    """Share of the top k that nobody judged."""
    fails: Fails = {
        Property.UNJUDGED_IS_NONRELEVANT: Witness(Toy("."), "it counts missing judgements"),
        Property.APPEND_UNJUDGED: Witness(Toy(""), "one more candidate is unjudged"),
    }
    if k > 1:
        fails[Property.IDEAL_IS_BEST] = Witness(Toy("1."), "an unjudged candidate is listed")
    if k != ALL:
        fails[Property.GROWS_WITH_K] = at_cut(
            k, lambda cut: Toy("." * cut + "0"), "the next one is judged"
        )
    return ranking_metric(
        name,
        params,
        on,
        lambda cases: kernel.unjudged(cases, k, denominator),
        title="Unjudged",
        formula="unjudged in the top k / " + ("k" if denominator == "k" else "min(k, n)"),
        latex=r"\frac{|\mathrm{top}_k \setminus \mathrm{judged}|}{k}"
        if denominator == "k"
        else r"\frac{|\mathrm{top}_k \setminus \mathrm{judged}|}{\min(k, n)}",
        meaning="how much of the first k no judgement covers",
        fails=fails,
        edges=(EMPTY, Edge(Toy("1", missed=(1,)), 0.0, "all judged")),
        better="lower",
    )
