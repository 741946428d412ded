"""Normalised gain, graded and binary: gain discounted by what better candidates could have gained."""

from __future__ import annotations

import numpy as np

from assay.array_types import Floats
from assay.metrics.core.entry import EMPTY, NO_GOLD, NOTHING, Edge, Kind, Metric, per_query
from assay.metrics.core.family import Level, measure
from assay.metrics.core.rankings import (
    Convention,
    Rankings,
    TieGroups,
    Values,
    conventions,
    ordinals,
    ratio,
    relevant,
    running_sums,
    sum_by_query,
    sums_up_to,
    tie_groups,
)
from assay.metrics.core.toy_cases import Toy, ranking

LOG3 = 1.584962500721156


def normalised_gain(r: Rankings) -> Values:
    """Return Σ over hits of rel / log2(2 + cost − gain so far), over the gain of all gold.

    The cost at a rank is what the ideal order has gained there, with at least 1 per rank.
    """
    queries = len(r.n)
    keep = r.hit_grade > 0
    query, rank, grade = r.hit_query[keep], r.hit_rank[keep], r.hit_grade[keep]
    position = ordinals(r.gold_query, queries)
    gold = np.bincount(r.gold_query, minlength=queries)
    cost = sums_up_to(r.gold_query, position, np.maximum(r.gold_grade, 1.0), query, rank, queries)
    cost += np.maximum(rank - gold[query], 0)
    discounted = grade / np.log2(2.0 + cost - running_sums(query, grade, queries))
    best = sum_by_query(r.gold_query, r.gold_grade, queries)
    values = ratio(sum_by_query(query, discounted, queries), best)
    return values, conventions(r.n, (gold == 0, Convention.NO_GOLD))


def binary_gain(r: Rankings, rel: int) -> Values:
    """Return 1/R · Σ over hits of 1 / log2(2 + other candidates above)."""
    view = relevant(r, rel)
    if r.expected_ties:
        discounted = expected_discounts(tie_groups(view))
        query = tie_groups(view).query
    else:
        discounted, query = 1.0 / np.log2(2.0 + view.rank - view.ordinal), view.query
    values = ratio(sum_by_query(query, discounted, len(r.n)), view.R)
    return values, conventions(r.n, (view.R == 0, Convention.NO_GOLD))


def expected_discounts(groups: TieGroups) -> Floats:
    """Return m · the mean of 1 / log2(2 + b + x) over x = 0 … t − m, b others above: all are as likely."""
    before, tied = groups.above - groups.before, groups.size - groups.relevant
    longest = int((before + tied).max(initial=0))
    total = np.concatenate(([0.0], np.cumsum(1.0 / np.log2(2.0 + np.arange(longest + 1)))))
    mean: Floats = groups.relevant * (total[before + tied + 1] - total[before]) / (tied + 1)
    return mean


@measure("normalised_gain", printed_as=("normalized gain",), spellings=(("trec_eval", "G"),))
def normalised_gain_entry() -> Metric:
    """Gain of each hit, discounted by how far the list is behind the ideal order."""
    return Metric(
        title="Normalised gain",
        formula="Σ over hits of rel / log2(2 + C(rank) − G(rank)) over Σ rel of all gold, "
        "G(i) = gain of the first i, C(i) = that of the ideal order, at least 1 per rank",
        latex=r"\frac{1}{\sum \mathrm{rel}} \sum_i \frac{\mathrm{rel}_i}{\log_2(2 + C_i - G_i)},\quad "
        r"C_i = \sum_{j \le i} \max(\mathrm{ideal}_j, 1),\; G_i = \sum_{j \le i} \mathrm{rel}_j",
        meaning="graded evidence found early, where a hit behind better hits loses little",
        notes=(
            "trec_eval's `G` (Buckley 2008, experimental). Its help text leaves the cost of at least 1 "
            "per rank unsaid.",
        ),
        columns=per_query(normalised_gain),
        kind=Kind.RANKING,
        edges=(
            NO_GOLD,
            EMPTY,
            NOTHING,
            Edge(Toy("12"), (1 / LOG3 + 2) / 3, "grades 1, 2: behind by 1 at rank 1, by 0 at rank 2"),
        ),
    )


@measure("binary_gain", spellings=(("trec_eval", "binG"),))
def binary_gain_entry(rel: Level = 1) -> Metric:
    """Average over the gold of 1 / log2(2 + other candidates above)."""
    return Metric(
        title="Binary normalised gain",
        formula="1/R · Σ over hits of 1 / log2(2 + candidates above that are not gold)",
        latex=r"\frac{1}{R}\sum_{r} \frac{1}{\log_2(2 + n_{\uparrow r})}",
        meaning="how little there is to read past before each piece of evidence",
        notes=("trec_eval's `binG` (Buckley 2008, experimental).",),
        columns=per_query(lambda cases: binary_gain(cases, rel)),
        kind=Kind.RANKING,
        expected_ties=True,
        edges=(NO_GOLD, EMPTY, NOTHING, Edge(ranking("01", R=2), 0.5 / LOG3, "one above, R = 2")),
    )
