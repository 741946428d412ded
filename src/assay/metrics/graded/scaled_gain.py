"""Gains over what endless documents of the highest grade would give: SDCG, and BPM."""

from __future__ import annotations

import math

import numpy as np

from assay.errors import MeasureError
from assay.metrics.core.entry import (
    EMPTY,
    LONGEST_CASE,
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
from assay.metrics.core.family import Cut, Scale, Weight, measure
from assay.metrics.core.rankings import (
    ALL,
    Rankings,
    Values,
    conventions,
    rank_weights,
    ratio,
    running_sums,
    sum_by_query,
)
from assay.metrics.core.toy_cases import Toy, full_then_miss, ranking

LONGEST = 1_000_000
"""The ideal list has as many terms as the cut-off."""


def scaled_dcg(r: Rankings, k: int, gmax: int) -> Values:
    """Return DCG@k of min(rel, gmax) / gmax over that of k documents with gain 1."""
    keep = r.hit_grade > 0
    gain = np.minimum(r.hit_grade[keep], gmax) / gmax
    discounts = rank_weights(r, keep, k, lambda rank: 1.0 / np.log2(rank + 1.0))
    dcg = sum_by_query(r.hit_query[keep], gain * discounts, len(r.n))
    length = r.n if k == ALL else np.full(len(r.n), k)
    ideal = 1.0 / np.log2(np.arange(length.max(initial=0)) + 2.0)
    return ratio(dcg, np.concatenate(([0.0], np.cumsum(ideal)))[length]), conventions(r.n)


def bejeweled(r: Rankings, k: int, target: float, gmax: int) -> Values:
    """Return gain / rank at the first rank where the gain reaches the target, at rank k at the latest."""
    keep = (r.hit_grade > 0) & (r.hit_rank <= k)
    query, rank = r.hit_query[keep], r.hit_rank[keep]
    so_far = running_sums(query, np.minimum(r.hit_grade[keep], gmax), len(r.n))
    gained, stop = np.zeros(len(r.n)), (r.n if k == ALL else np.full(len(r.n), k)).astype(np.float64)
    np.maximum.at(gained, query, so_far)
    enough = np.round(so_far, 12) >= round(target * gmax, 12)
    reached = query[enough][::-1]  # backwards, so that the first rank is written last
    stop[reached] = rank[enough][::-1]
    gained[reached] = so_far[enough][::-1]
    return ratio(gained / gmax, stop), conventions(r.n)


@measure("sdcg", printed_as=("scaled dcg",), spellings=(("ir_measures", "SDCG@k", "", "max_rel"),))
def scaled_dcg_entry(k: Cut, gmax: Scale = 1) -> Metric:
    """DCG over that of k documents of the highest grade."""
    if LONGEST < k < ALL:
        raise MeasureError(f"sdcg@{k}: the cut-off must be at most {LONGEST:,}, or all")
    fails: Fails = {}
    if k > 1:
        fails[Property.IDEAL_IS_BEST] = Witness(ranking("10"), "less gold than ranks")
        fails[Property.GROWS_WITH_K] = at_cut(
            min(k, LONGEST), lambda cut: full_then_miss(cut, cut), "one more rank, no new gain"
        )
    if gmax > 1:
        fails[Property.IDEAL_IS_BEST] = Witness(ranking("1"), "no gold of the highest grade")
    if k == 1:
        fails[Property.GROWS_WITH_K] = Witness(ranking("10"), "one more rank, no new gain")
    if k == ALL:
        del fails[Property.GROWS_WITH_K]
        fails[Property.APPEND_UNJUDGED] = Witness(ranking("1"), "the list length is the ideal length")
    return Metric(
        title="Scaled discounted cumulative gain",
        formula="Σ over the top k of gain / log2(rank + 1), over Σ 1 / log2(rank + 1), "
        "gain = min(rel, gmax) / gmax",
        latex=r"\frac{\sum_{i \le k} g_i / \log_2(i + 1)}{\sum_{i \le k} 1 / \log_2(i + 1)},\quad"
        r" g_i = \min(\mathrm{rel}_i, g_\mathrm{max}) / g_\mathrm{max}",
        meaning="discounted gain, as if there were at least k documents of the highest grade",
        notes=("Järvelin and Kekäläinen 2002, scaled as in C/W/L: what cwl_eval computes for ir_measures.",),
        columns=per_query(lambda cases: scaled_dcg(cases, k, gmax)),
        expected_ties=True,
        kind=Kind.CUT_RANKING,
        fails=fails,
        edges=(EMPTY, NOTHING),
    )


@measure("bpm", printed_as=("bejeweled player model",), spellings=(("ir_measures", "BPM@k", "", "max_rel"),))
def bejeweled_entry(k: Cut, target: Weight = 1, gmax: Scale = 1) -> Metric:
    """Gain per document of a player who stops at a target gain or at rank k."""
    needed = math.ceil(round(target * gmax, 12))
    fails: Fails = {}
    if gmax > 1 or (needed > 1 and k > 1):
        fails[Property.IDEAL_IS_BEST] = Witness(ranking("1" if gmax > 1 else "10"), "too little gold")
    if needed > 1:
        why = "one more rank, no new gain"
        if k == ALL:
            fails[Property.APPEND_UNJUDGED] = Witness(ranking("1"), why)
        else:
            fails[Property.GROWS_WITH_K] = at_cut(k, lambda cut: ranking("1" + "0" * cut), why)
    if k > 1 and 2 * needed < gmax and needed < 10:
        fails[Property.NEW_HIT_NEVER_HURTS] = Witness(
            Toy(".9", missed=(needed,)), "a low grade ends the search before a high one"
        )
    edges = [EMPTY, NOTHING]
    if needed <= min(k, LONGEST_CASE):
        edges.append(Edge(ranking("1" * needed), 1 / gmax, "every rank gains 1 / gmax"))
    return Metric(
        title="Bejeweled player model",
        formula="G(s) / s, s = first rank with G(s) ≥ T, at most k; "
        "G(i) = Σ of min(rel, gmax) / gmax up to i",
        latex=r"\frac{G_s}{s},\quad s = \min(k, \min\{i : G_i \ge T\}),\;"
        r" G_i = \sum_{j \le i} \min(\mathrm{rel}_j, g_\mathrm{max}) / g_\mathrm{max}",
        meaning="gain per document of a searcher who wants T and gives up after k",
        notes=(
            "The static model of Zhang et al. 2017, as cwl_eval computes it for ir_measures. cwl_eval adds "
            "floats, by which 2/3 + 1 + 1/3 is less than 2: with thirds it may go on to the next gain.",
        ),
        columns=per_query(lambda cases: bejeweled(cases, k, target, gmax)),
        kind=Kind.CUT_RANKING,
        fails=fails,
        edges=tuple(edges),
    )
