"""Rank-biased precision (Moffat and Zobel 2008)."""

from __future__ import annotations

from typing import Literal

import numpy as np

from assay.metrics.core.entry import (
    EMPTY,
    INFINITE,
    NOTHING,
    Edge,
    Kind,
    Metric,
    Property,
    Witness,
    per_query,
)
from assay.metrics.core.family import Level, Scale, Share, measure
from assay.metrics.core.rankings import ALL, Rankings, Values, conventions, rank_weights, sum_by_query
from assay.metrics.core.toy_cases import Toy, ranking


def rank_biased_precision(r: Rankings, p: float, rel: int, scale: int | None) -> Values:
    """Return (1 − p) · Σ over relevant of gain · p^(rank − 1): a gain of 1, or the grade / scale."""
    keep = r.hit_grade >= rel
    weights = rank_weights(r, keep, ALL, lambda rank: np.power(p, rank - 1.0))
    if scale is not None:
        weights *= r.hit_grade[keep] / scale
    return (1.0 - p) * sum_by_query(r.hit_query[keep], weights, len(r.n)), conventions(r.n)


def residual(r: Rankings, p: float) -> Values:
    """Return 1 − (1 − p) · Σ over judged of p^(rank − 1): the weight of all that nobody judged."""
    judged = np.ones(len(r.hit_query), dtype=bool)
    weights = rank_weights(r, judged, ALL, lambda rank: np.power(p, rank - 1.0))
    seen = (1.0 - p) * sum_by_query(r.hit_query, weights, len(r.n))
    return np.maximum(1.0 - seen, 0.0), np.zeros(len(r.n), dtype=np.uint8)


@measure(
    "rbp",
    spellings=(
        ("ir_measures", "RBP", "", "rel"),
        ("ir_measures", "RBP", "gain=graded", "!rel"),
        ("trec_eval", "rbp", "p=0.9"),
        ("ranx", "rbp.p", "gain=graded"),
    ),
    later=("gain", "gmax"),
)
def rank_biased_precision_entry(
    p: Share = 0.8, rel: Level = 1, gain: Literal["binary", "graded"] = "binary", gmax: Scale = 1
) -> Metric:
    """Gain of a reader who continues to the next sentence with probability p."""
    graded = gain == "graded"
    gained = 1.0 / gmax if graded else 1.0
    return Metric(
        title="Rank-biased precision",
        formula=f"(1 − p) · Σ {'rel / gmax' if graded else 'rel'} · p^(rank − 1)",
        latex=r"(1-p) \sum_{i} \mathrm{rel}_i\, p^{\,i-1}",
        meaning="rate of evidence for a reader who may stop after each sentence",
        notes=(
            "`gain=graded` takes rel / gmax for each grade of at least `rel`, and may exceed 1 for grades "
            "above gmax. ir_measures' `RBP` without `rel` (trectools) and ranx' `rbp.80` have the grades "
            "themselves: gmax=1.",
            "cwl_eval, which ir_measures calls for `RBP` with `rel`, divides by Σ p^(rank − 1) over 1,000 "
            "ranks: its values are 0.004% higher at p = 0.99, and the same at p = 0.95.",
        ),
        columns=per_query(lambda cases: rank_biased_precision(cases, p, rel, gmax if graded else None)),
        kind=Kind.RANKING,
        expected_ties=True,
        range=(0.0, INFINITE if graded else 1.0),
        fails={Property.IDEAL_IS_BEST: Witness(ranking("1"), "only endless lists reach 1")},
        edges=(
            EMPTY,
            NOTHING,
            *(
                (Edge(ranking("1", R=3), (1.0 - p) * gained, "one hit at rank 1"),)
                if rel == 1 or not graded
                else ()
            ),
        ),
    )


@measure("rbp_resid", printed_as=("rbp residual",), spellings=(("trec_eval", "rbp_resid", "p=0.9"),))
def residual_entry(p: Share = 0.8) -> Metric:
    """Weight of the unjudged candidates, and of the ranks below the list, in rank-biased precision."""
    return Metric(
        title="Residual of rank-biased precision",
        formula="1 − (1 − p) · Σ over judged candidates of p^(rank − 1)",
        latex=r"1 - (1-p) \sum_{i \,\mathrm{judged}} p^{\,i-1}",
        meaning="how much higher `rbp` could be if everything that nobody judged were relevant",
        notes=(
            "It is (1 − p) · Σ p^(rank − 1) over unjudged candidates, plus p^n for ranks below the list.",
            "trec_eval prints this definition at p = 0.9, but no value where every candidate was judged, "
            "which is p^n here, and 0 with -c for a query without a list, which is 1 here.",
        ),
        columns=per_query(lambda cases: residual(cases, p)),
        kind=Kind.RANKING,
        expected_ties=True,
        range=(0.0, 1.0),
        better="lower",
        extremes=False,
        fails={
            Property.IDEAL_IS_BEST: Witness(ranking("1"), "only endless lists reach 0"),
            Property.UNJUDGED_IS_NONRELEVANT: Witness(Toy("."), "it weighs missing judgements"),
        },
        edges=(
            Edge(ranking("", R=2), 1.0, "nothing was listed, and nothing judged"),
            Edge(ranking("0", R=1), p, "all but the first rank"),
            Edge(Toy(".1"), 1.0 - (1.0 - p) * p, "all but the second rank"),
        ),
    )
