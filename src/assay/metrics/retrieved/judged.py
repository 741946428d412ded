"""How much of the top k was judged."""

from __future__ import annotations

from typing import Literal

import numpy as np

from assay.metrics.core.entry import EMPTY, Edge, Fails, Kind, Metric, Property, Witness, at_cut, per_query
from assay.metrics.core.family import Cut, measure
from assay.metrics.core.rankings import (
    ALL,
    Rankings,
    Values,
    conventions,
    cut_denominator,
    judged_within,
    ratio,
)
from assay.metrics.core.toy_cases import Toy

DIVISOR = {"k": ("k", "k"), "k_eff": ("min(k, n)", r"\min(k, n)")}
"""The denominator in plain characters and in LaTeX."""
BELOW = "A grade below 0 is no judgement, as in trec_eval."


def judged(r: Rankings, k: int, denominator: str) -> Values:
    """Return judged candidates in the top k, over k or min(k, n)."""
    count = judged_within(r, k)
    return ratio(count, cut_denominator(k, denominator, r.n, r.n)), conventions(r.n)


def unjudged(r: Rankings, k: int, denominator: str) -> Values:
    """Return candidates in the top k without a judgement, over k or min(k, n)."""
    count = np.minimum(k, r.n) - judged_within(r, k)
    return ratio(count, cut_denominator(k, denominator, r.n, r.n)), conventions(r.n)


@measure("judged", spellings=(("ir_measures", "Judged[@k]"),))
def judged_entry(k: Cut, denominator: Literal["k", "k_eff"] = "k_eff") -> Metric:
    """Share of the top k with a judgement."""
    fails: Fails = {Property.UNJUDGED_IS_NONRELEVANT: Witness(Toy("."), "it counts judgements")}
    if k > 1:
        fails[Property.IDEAL_IS_BEST] = Witness(Toy("1."), "an unjudged candidate is listed")
        if denominator == "k_eff" or k == ALL:
            fails[Property.APPEND_UNJUDGED] = Witness(Toy("1"), "one more candidate is unjudged")
    if k != ALL:
        fails[Property.GROWS_WITH_K] = at_cut(
            k, lambda cut: Toy("1" * cut + "."), "the next candidate is unjudged"
        )
    plain, latex = DIVISOR[denominator]
    return Metric(
        title="Judged",
        formula=f"judged in the top k / {plain}",
        latex=rf"\frac{{|\mathrm{{judged}} \cap \mathrm{{top}}_k|}}{{{latex}}}",
        meaning="how much of the first k was judged; low values make other measures unreliable",
        notes=(f"{BELOW} ir_measures' `Judged` counts it as one.",),
        columns=per_query(lambda cases: judged(cases, k, denominator)),
        kind=Kind.CUT_RANKING,
        expected_ties=True,
        extremes=False,
        fails=fails,
        edges=(EMPTY, Edge(Toy(".", missed=(1,)), 0.0, "nothing judged")),
    )


@measure("unjudged", spellings=(("trec_eval", "unj_k"),))
def unjudged_entry(k: Cut, denominator: Literal["k", "k_eff"] = "k") -> Metric:
    """Share of the top k without a judgement."""
    fails: Fails = {
        Property.UNJUDGED_IS_NONRELEVANT: Witness(Toy("."), "it counts missing judgements"),
        Property.APPEND_UNJUDGED: Witness(Toy(""), "one more candidate is unjudged"),
    }
    if k > 1:
        fails[Property.IDEAL_IS_BEST] = Witness(Toy("1."), "an unjudged candidate is listed")
    if k != ALL:
        fails[Property.GROWS_WITH_K] = at_cut(
            k, lambda cut: Toy("." * cut + "0"), "the next candidate is judged"
        )
    plain, latex = DIVISOR[denominator]
    return Metric(
        title="Unjudged",
        formula=f"unjudged in the top k / {plain}",
        latex=rf"\frac{{|\mathrm{{top}}_k \setminus \mathrm{{judged}}|}}{{{latex}}}",
        meaning="how much of the first k has no judgement",
        notes=(BELOW,),
        columns=per_query(lambda cases: unjudged(cases, k, denominator)),
        kind=Kind.CUT_RANKING,
        expected_ties=True,
        extremes=False,
        better="lower",
        fails=fails,
        edges=(EMPTY, Edge(Toy("1", missed=(1,)), 0.0, "all judged")),
    )
