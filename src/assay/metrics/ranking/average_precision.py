"""Average precision at k, and its geometric mean over queries."""

from __future__ import annotations

from typing import Literal

import numpy as np

from assay.array_types import Floats, Ints
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
    TieGroups,
    Values,
    conventions,
    ratio,
    relevant,
    sum_by_query,
    tie_groups,
)
from assay.metrics.core.reduce import Sums, geometric_mean
from assay.metrics.core.tied_ranks import chances_of_hits
from assay.metrics.core.toy_cases import first_and_late, full_then_miss, more_gold, ranking
from assay.metrics.ranking.geometric_mean import logarithms
from assay.statistics.harmonic import reciprocal_sum


def average_precision(r: Rankings, k: int, denominator: str, cut: str, rel: int) -> Values:
    """Return Σ over hits of (hits so far / rank), over R, min(R, k or K_eff), or the hits."""
    view = relevant(r, rel)
    hits = view.hits(k)
    if r.expected_ties:
        groups = tie_groups(view)
        sums = sum_by_query(groups.query, expected_precisions(groups, k), len(r.n))
    else:
        top = view.rank <= k
        sums = sum_by_query(view.query[top], view.ordinal[top] / view.rank[top], len(r.n))
    if denominator == "R":
        divisor = view.R
    elif denominator == "hits":
        divisor = hits
    else:
        divisor = np.minimum(view.R, np.minimum(k, r.n) if cut == "k_eff" else k)
    codes = conventions(
        r.n, (view.R == 0, Convention.NO_GOLD), ((hits == 0) & (denominator == "hits"), Convention.NO_HITS)
    )
    if r.expected_ties and denominator == "hits":
        return expected_mean_precision(groups, k, len(r.n)), codes
    return ratio(sums, divisor), codes


def expected_precisions(groups: TieGroups, k: int) -> Floats:
    """Return the expected Σ of (hits so far / rank) over the hits of each group in the top k.

    Rank s + j has gold with chance m / t, then with (j − 1)(m − 1) / (t − 1) more in its group before.
    """
    return _precisions(groups.above, groups.before, groups.size, groups.relevant, groups.within(k))


def _precisions(above: Ints, before: Ints, size: Ints, relevant: Ints, ranks: Ints) -> Floats:
    """Return m/t · Σ over j ≤ c of (b + 1 + (j − 1)·a) / (s + j), a = (m − 1) / (t − 1)."""
    slope = ratio(relevant - 1, size - 1)
    first = (above + 1).astype(np.float64)
    last = (above + np.maximum(ranks, 1)).astype(np.float64)
    reciprocals = np.where(ranks > 0, reciprocal_sum(first, last), 0.0)
    return ratio(relevant, size) * (slope * ranks + (before + 1.0 - slope * first) * reciprocals)


def expected_mean_precision(groups: TieGroups, k: int, queries: int) -> Floats:
    """Return the expected mean of (hits so far / rank) over the hits in the top k.

    Where the cut-off is inside a group, the number of its hits in the top k is hypergeometric, and
    given that number all places of these hits are equally likely.
    """
    values, whole = np.zeros(queries), groups.within(k) == groups.size
    query, relevant = groups.query[whole], groups.relevant[whole]
    hits = np.bincount(query, weights=relevant, minlength=queries)
    sums = sum_by_query(query, expected_precisions(groups, k)[whole], queries)
    values = ratio(sums, hits)
    for at in np.flatnonzero(~whole & (groups.within(k) > 0)):
        q, inside = groups.query[at], groups.within(k)[at : at + 1]
        values[q] = 0.0
        for found, chance in chances_of_hits(int(groups.size[at]), int(groups.relevant[at]), int(inside[0])):
            if hits[q] + found:
                more = _precisions(
                    groups.above[at : at + 1], groups.before[at : at + 1], inside, np.array([found]), inside
                )
                values[q] += chance * (sums[q] + float(more[0])) / (hits[q] + found)
    return values


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
        abbreviation="MAP",
        formula=f"Σ over hits@k of (hits so far / rank), over {divided}",
        latex=rf"\frac{{1}}{{{divisor}}} \sum_{{i=1}}^{{k}} \mathrm{{rel}}_i \cdot P@i",
        meaning="rewards evidence that is ranked early and close together",
        columns=per_query(lambda cases: average_precision(cases, k, denominator, cut, rel)),
        kind=Kind.CUT_RANKING,
        expected_ties=True,
        extremes=denominator != "hits",
        fails=fails,
        edges=tuple(edges),
    )


@measure("gm_map", printed_as=("gmap",), spellings=(("trec_eval", "gm_map"),))
def geometric_mean_entry(floor: Share = 0.00001, rel: Level = 1) -> Metric:
    """Geometric mean of average precision, which hard queries dominate."""
    return Metric(
        title="Geometric mean average precision",
        formula="exp(mean of log max(AP, floor))",
        latex=r"\exp\left(\frac{1}{|Q|}\sum_q \log\max(\mathrm{AP}_q, \varepsilon)\right)",
        meaning="average precision where easy queries cannot compensate for a failed one",
        columns=lambda cases: logarithms(average_precision(cases, ALL, "R", "k", rel), floor),
        reduce=Sums(("log",), geometric_mean),
        kind=Kind.RANKING,
        edges=(Edge(ranking("00", R=1), floor, "the floor"), Edge(ranking("1"), 1.0, "gold first")),
    )
