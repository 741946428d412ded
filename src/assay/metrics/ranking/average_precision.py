"""Average precision at k, and its geometric mean over queries."""

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
from assay.metrics.core.family import Cut, Level, Share, measure
from assay.metrics.core.rankings import (
    ALL,
    Convention,
    Rankings,
    Values,
    conventions,
    ratio,
    relevant,
    sum_by_query,
)
from assay.metrics.core.reduce import Columns, Reduced, Sums, quotient
from assay.metrics.core.toy_cases import first_and_late, full_then_miss, more_gold, ranking


def average_precision(r: Rankings, k: int, denominator: str, cut: str, rel: int) -> Values:
    """Return Σ over hits of (hits so far / rank), over R, min(R, k or K_eff), or the hits."""
    view = relevant(r, rel)
    top = view.rank <= k
    sums = sum_by_query(view.query[top], view.ordinal[top] / view.rank[top], len(r.n))
    hits = view.hits(k)
    if denominator == "R":
        divisor = view.R
    elif denominator == "hits":
        divisor = hits
    else:
        divisor = np.minimum(view.R, np.minimum(k, r.n) if cut == "k_eff" else k)
    codes = conventions(
        r.n, (view.R == 0, Convention.NO_GOLD), ((hits == 0) & (denominator == "hits"), Convention.NO_HITS)
    )
    return ratio(sums, divisor), codes


def log_average_precision(r: Rankings, floor: float, rel: int) -> Floats:
    """Return log max(AP, floor): the terms of the geometric mean."""
    values, _ = average_precision(r, ALL, "R", "k", rel)
    return np.log(np.maximum(values, floor))


@measure(
    "map",
    printed_as=("mean average precision", "mean ap"),
    spellings=(
        ("ir_measures", "AP[@k] MAP[@k]", "denominator=R"),
        ("trec_eval", "map map_cut_k", "denominator=R"),
        ("ranx", "map[@k]", "denominator=R"),
    ),
)
def average_precision_entry(
    k: Cut,
    denominator: Literal["R", "min_r_k", "hits"] = "min_r_k",
    cut: Literal["k", "k_eff"] = "k",
    rel: Level = 1,
) -> Metric:
    """Precision at each hit, averaged over a denominator that the definitions disagree on."""
    fails: Fails = {}
    edges = [NO_GOLD, EMPTY]
    if denominator == "hits":
        edges.append(Edge(ranking("00", R=2), 0.0, "no hit to average over", Convention.NO_HITS))
        if 2 < k < ALL:
            why = "a new hit enlarges the denominator"
            fails[Property.SWAP_UP_NEVER_HURTS] = at_cut(k, first_and_late, why)
        if k > 2:
            fails[Property.NEW_HIT_NEVER_HURTS] = Witness(
                ranking("1..", R=2), "a late hit lowers the average"
            )
        if 1 < k < ALL:
            why = "a late hit lowers the average"
            fails[Property.GROWS_WITH_K] = at_cut(k, first_and_late, why)
    else:
        edges.append(NOTHING)
    if denominator == "R" and k != ALL:
        fails[Property.IDEAL_IS_BEST] = at_cut(k, more_gold, "more gold than ranks")
    if denominator == "min_r_k":
        if k != ALL:
            why = "the denominator grows, the hits do not"
            fails[Property.GROWS_WITH_K] = at_cut(k, lambda cut: full_then_miss(cut, cut + 1), why)
        if cut == "k_eff" and k > 1:
            why = "the list length bounds the denominator"
            fails[Property.APPEND_UNJUDGED] = Witness(ranking("1", R=2), why)
    if k == 3:
        value = {"R": 1 / 3, "min_r_k": 5 / 9, "hits": 5 / 6}[denominator]
        edges.append(Edge(ranking("101", R=5), value, "(1/1 + 2/3) over 5, min(5, 3) or 2"))
    short = "min(k, n)" if cut == "k_eff" else "k"
    divided = {"R": "R", "min_r_k": f"min(R, {short})", "hits": "hits@k"}[denominator]
    limit = "K_\\mathrm{eff}" if cut == "k_eff" else "k"
    divisor = {"R": "R", "min_r_k": rf"\min(R, {limit})", "hits": r"\mathrm{hits}_k"}[denominator]
    return Metric(
        title="Mean average precision",
        formula=f"Σ over hits@k of (hits so far / rank), over {divided}",
        latex=rf"\frac{{1}}{{{divisor}}} \sum_{{i=1}}^{{k}} \mathrm{{rel}}_i \cdot P@i",
        meaning="rewards evidence that is ranked early and close together",
        columns=per_query(lambda cases: average_precision(cases, k, denominator, cut, rel)),
        kind=Kind.CUT_RANKING,
        fails=fails,
        edges=tuple(edges),
    )


@measure("gm_map", printed_as=("gmap",), spellings=(("trec_eval", "gm_map"),))
def geometric_mean_entry(floor: Share = 0.00001, rel: Level = 1) -> Metric:
    """Geometric mean of average precision, which hard queries dominate."""

    def geometric(n: Floats, log: Floats) -> Reduced:
        mean = quotient(log, n, 0.0, Convention.EMPTY_POPULATION)
        return Reduced(np.where(mean.codes == 0, np.exp(mean.values), 0.0), mean.codes)

    return Metric(
        title="Geometric mean average precision",
        formula="exp(mean of log max(AP, floor))",
        latex=r"\exp\left(\frac{1}{|Q|}\sum_q \log\max(\mathrm{AP}_q, \varepsilon)\right)",
        meaning="average precision where easy queries cannot compensate for a failed one",
        columns=lambda cases: Columns({"log": log_average_precision(cases, floor, rel)}),
        reduce=Sums(("log",), geometric),
        kind=Kind.RANKING,
        edges=(Edge(ranking("00", R=1), floor, "the floor"), Edge(ranking("1"), 1.0, "gold first")),
    )
