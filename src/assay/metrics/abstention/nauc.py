"""Normalised area under the abstention curve, as MTEB defines it (arXiv 2402.12997)."""

from __future__ import annotations

from typing import Literal

import numpy as np

from assay.array_types import Floats
from assay.data.cases import Cases
from assay.metrics.core.decisions import given
from assay.metrics.core.entry import INFINITE, Edge, Kind, Metric, Property, Witness
from assay.metrics.core.family import Cut, measure
from assay.metrics.core.rankings import Convention, Values
from assay.metrics.core.reduce import Columns, Fitted
from assay.metrics.core.toy_cases import decided
from assay.metrics.graded.ndcg import ndcg
from assay.metrics.ranking.average_precision import average_precision
from assay.metrics.ranking.hit import hit
from assay.metrics.ranking.precision import precision
from assay.metrics.ranking.recall import recall
from assay.metrics.ranking.reciprocal_rank import reciprocal_rank

RATES = np.linspace(0, 1, 11)[:-1]
GOOD, BAD = decided("1", 0.5, 1, "POS"), decided("0", 0.5, 1, "POS")
CONFIDENCE = {
    "max": "the highest score",
    "std": "the standard deviation of the scores",
    "diff1": "the lead of the first score over the second",
    "prob": "the probability of evidence",
}


def gain(cases: Cases, of: str, k: int) -> Values:
    """Return the ranking measure whose mean rises when queries are left out."""
    if of == "ndcg":
        return ndcg(cases, k, "linear", "all", "k")
    if of == "map":
        return average_precision(cases, k, "R", "k", 1)
    if of == "recall":
        return recall(cases, k, "all", 1)
    if of == "precision":
        return precision(cases, k, "k", 1)
    return reciprocal_rank(cases, k, 1) if of == "mrr" else hit(cases, k, 1)


def normalised_area(confidence: Floats, gain: Floats, counts: Floats) -> tuple[float, float]:
    """Return the area under the abstention curve less the flat one, and that of the best order.

    At rate r the round(r·n) queries of lowest confidence are left out (half to even, at most
    n − 1), the first of equal ones first; areas are by trapezoids.
    """
    flat = float(counts @ gain) / max(float(counts.sum()), 1.0) * float(RATES[-1] - RATES[0])
    of_confidence, of_gain = (
        float(np.trapezoid(_curve(by, gain, counts), RATES)) - flat for by in (confidence, gain)
    )
    return of_confidence, of_gain


def _curve(by: Floats, gain: Floats, counts: Floats) -> Floats:
    """Return the mean gain of the queries kept at each rate; 0 where nothing counts."""
    order = np.argsort(by, kind="stable")
    ranked, times = gain[order], counts[order]
    listed, total = np.cumsum(times), np.cumsum(times * ranked)
    n = float(listed[-1])
    if n == 0:
        return np.zeros(len(RATES))
    gone = np.minimum(np.round(RATES * n), n - 1)
    at = np.searchsorted(listed, gone)
    over = listed[at] - gone  # copies of the query at the edge that are kept
    return np.asarray((total[-1] - total[at] + over * ranked[at]) / (n - gone))


@measure("nauc", on="predicted")
def nauc_entry(
    k: Cut,
    of: Literal["ndcg", "map", "recall", "precision", "mrr", "hit"] = "ndcg",
    by: Literal["max", "std", "diff1", "prob"] = "max",
) -> Metric:
    """How much abstaining on the least confident queries raises a ranking measure; 1 is best."""

    def columns(cases: Cases) -> Columns:
        confidence = given(cases.prob) if by == "prob" else cases.confidence[by]
        return Columns({"confidence": confidence, "gain": gain(cases, of, k)[0]})

    def of_resample(columns: Columns, counts: Floats) -> tuple[float, int]:
        area, best = normalised_area(columns["confidence"], columns["gain"], counts)
        if abs(best) <= 1e-12:
            return 0.0, Convention.ZERO_DENOMINATOR
        return area / best, Convention.NONE

    first = Witness(GOOD, "of equal confidence, the first query goes first", (BAD,))
    return Metric(
        title="Normalised area under the abstention curve",
        formula=f"(area − flat) / (best area − flat), confidence is {CONFIDENCE[by]}",
        latex=r"\frac{A_\mathrm{conf} - A_\mathrm{flat}}{A_\mathrm{best} - A_\mathrm{flat}}",
        meaning="gain from leaving out the least confident queries, relative to the largest gain",
        columns=columns,
        reduce=Fitted(of_resample),
        kind=Kind.DECISION,
        expected_ties=False,
        range=(-INFINITE, 1.0),
        needs=("ranked", "prob" if by == "prob" else "confidence"),
        resamples=1000,
        edges=(Edge(GOOD, 0.0, "one query: nothing to gain", Convention.ZERO_DENOMINATOR),),
        fails={
            Property.QUERY_ORDER: first,
            Property.DUPLICATION: Witness(BAD, "more queries, finer steps", (GOOD, BAD, GOOD)),
        },
    )
