"""Rank-biased precision (Moffat and Zobel 2008)."""

from __future__ import annotations

import numpy as np

from assay.metrics.core.entry import EMPTY, NOTHING, Edge, Kind, Metric, Property, Witness, per_query
from assay.metrics.core.family import Level, Share, measure
from assay.metrics.core.rankings import Rankings, Values, conventions, relevant, sum_by_query
from assay.metrics.core.toy_cases import ranking


def rank_biased_precision(r: Rankings, p: float, rel: int) -> Values:
    """Return (1 − p) · Σ over relevant of p^(rank − 1)."""
    view = relevant(r, rel)
    weights = np.power(p, view.rank - 1.0)
    return (1.0 - p) * sum_by_query(view.query, weights, len(r.n)), conventions(r.n)


@measure("rbp", spellings=(("ir_measures", "RBP", "", "rel"), ("ranx", "rbp.p")))
def rank_biased_precision_entry(p: Share = 0.8, rel: Level = 1) -> Metric:
    """Gain of a reader who continues to the next sentence with probability p."""
    return Metric(
        title="Rank-biased precision",
        formula="(1 − p) · Σ rel · p^(rank − 1)",
        latex=r"(1-p) \sum_{i} \mathrm{rel}_i\, p^{\,i-1}",
        meaning="rate of evidence for a reader who may stop after each sentence",
        columns=per_query(lambda cases: rank_biased_precision(cases, p, rel)),
        kind=Kind.RANKING,
        fails={Property.IDEAL_IS_BEST: Witness(ranking("1"), "only endless lists reach 1")},
        edges=(EMPTY, NOTHING, Edge(ranking("1", R=3), 1.0 - p, "one hit at rank 1")),
    )
