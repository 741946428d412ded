"""Inferred average precision (Yilmaz and Aslam 2006), for pools of which a sample was judged."""

from __future__ import annotations

import numpy as np

from assay.metrics.core.entry import EMPTY, NO_GOLD, NOTHING, Edge, Kind, Metric, Property, Witness, per_query
from assay.metrics.core.family import Level, Share, measure
from assay.metrics.core.rankings import (
    Convention,
    Rankings,
    Values,
    conventions,
    ordinals,
    ratio,
    relevant,
    sum_by_query,
)
from assay.metrics.core.toy_cases import Toy, ranking


def inferred_average_precision(r: Rankings, epsilon: float, rel: int) -> Values:
    """Return 1/R · Σ over hits of (1 + pooled above · estimated precision above) / rank."""
    view = relevant(r, rel)
    judged = ordinals(r.hit_query, len(r.n))[r.hit_grade >= rel] - 1
    width = 1 + max(view.rank.max(initial=0), r.pool_rank.max(initial=0))
    ends = np.searchsorted(r.pool_query * width + r.pool_rank, view.query * width + view.rank)
    pooled = judged + ends - np.searchsorted(r.pool_query, view.query)
    estimate = (view.ordinal - 1 + epsilon) / (judged + 2.0 * epsilon)
    terms = (1.0 + pooled * estimate) / view.rank
    values = ratio(sum_by_query(view.query, terms, len(r.n)), view.R)
    return values, conventions(r.n, (view.R == 0, Convention.NO_GOLD))


@measure("inf_ap", printed_as=("infap",), spellings=(("ir_measures", "infAP"), ("trec_eval", "infAP")))
def inferred_average_precision_entry(epsilon: Share = 0.00001, rel: Level = 1) -> Metric:
    """Average precision, estimated from the judged sample of a pool."""
    share = epsilon / (1 + 2 * epsilon)
    return Metric(
        title="Inferred average precision",
        formula="1/R · Σ over hits of (1 + p · (r + ε) / (j + 2ε)) / rank, of the candidates above: "
        "p pooled, j judged, r gold",
        latex=r"\frac{1}{R}\sum_{h} \frac{1}{k_h}\left(1 + p_h\,\frac{r_h + \varepsilon}"
        r"{j_h + 2\varepsilon}\right)",
        meaning="average precision where only a sample of the pooled sentences was judged",
        notes=(
            "A grade below 0 says that a sentence was pooled and not judged. Candidates without a "
            "judgement were not pooled, and count as not relevant.",
            "trec_eval's `infAP`, whose ε is 0.00001.",
        ),
        columns=per_query(lambda cases: inferred_average_precision(cases, epsilon, rel)),
        kind=Kind.RANKING,
        fails={
            Property.UNJUDGED_IS_NONRELEVANT: Witness(Toy(".1"), "ε is shared with judged candidates"),
            Property.IDEAL_IS_BEST: Witness(ranking("11"), "ε is taken from a perfect precision"),
        },
        edges=(NO_GOLD, EMPTY, NOTHING, Edge(ranking("01"), (1 + share) / 2, "one judged above")),
    )
