"""Set average precision and relative set precision, whatever the order of the candidates."""

from __future__ import annotations

import numpy as np

from assay.metrics.core.entry import EMPTY, NO_GOLD, NOTHING, Edge, Kind, Metric, Property, Witness, per_query
from assay.metrics.core.family import Level, measure
from assay.metrics.core.rankings import ALL, Convention, Rankings, Values, conventions, ratio, relevant
from assay.metrics.core.toy_cases import ranking
from assay.metrics.retrieved.set_measures import LONGER_IS_WORSE


def set_average_precision(r: Rankings, rel: int) -> Values:
    """Return (relevant candidates)² / (n · R)."""
    view = relevant(r, rel)
    hits = view.hits(ALL)
    return ratio(hits * hits, r.n * view.R), conventions(r.n, (view.R == 0, Convention.NO_GOLD))


def set_relative_precision(r: Rankings, rel: int) -> Values:
    """Return relevant candidates / min(n, R)."""
    view = relevant(r, rel)
    values = ratio(view.hits(ALL), np.minimum(r.n, view.R))
    return values, conventions(r.n, (view.R == 0, Convention.NO_GOLD))


@measure("set_map", spellings=(("ir_measures", "SetAP"), ("trec_eval", "set_map")))
def set_average_precision_entry(rel: Level = 1) -> Metric:
    """Average precision of a set: set precision times set recall."""
    return Metric(
        title="Set average precision",
        formula="(gold among the candidates)² / (n·R)",
        latex=r"\frac{|\mathrm{gold} \cap \mathrm{candidates}|^2}{n\,R}",
        meaning="average precision if every hit had the precision of the whole list",
        columns=per_query(lambda cases: set_average_precision(cases, rel)),
        kind=Kind.RANKING,
        expected_ties=True,
        fails=LONGER_IS_WORSE,
        edges=(NO_GOLD, EMPTY, NOTHING, Edge(ranking("10", R=5), 0.1, "1/2 · 1/5")),
    )


@measure(
    "set_relative_precision",
    spellings=(
        ("ir_measures", "SetRelP"),
        ("ir_measures", "SetP", "", "relative"),
        ("trec_eval", "set_relative_P"),
    ),
)
def set_relative_precision_entry(rel: Level = 1) -> Metric:
    """Set precision over the highest that a list of this length can have."""
    return Metric(
        title="Relative set precision",
        formula="gold among the candidates / min(n, R)",
        latex=r"\frac{|\mathrm{gold} \cap \mathrm{candidates}|}{\min(n, R)}",
        meaning="evidence that was ranked, out of what a list of this length could hold",
        columns=per_query(lambda cases: set_relative_precision(cases, rel)),
        kind=Kind.RANKING,
        expected_ties=True,
        fails={Property.APPEND_UNJUDGED: Witness(ranking("1", R=2), "the list could hold more gold")},
        edges=(NO_GOLD, EMPTY, NOTHING, Edge(ranking("10", R=5), 0.5, "1 of the 2 that fit")),
    )
