"""R-precision: precision at R."""

from __future__ import annotations

from assay.metrics.core.entry import EMPTY, NO_GOLD, NOTHING, Edge, Kind, Metric, Property, Witness, per_query
from assay.metrics.core.family import Level, measure
from assay.metrics.core.rankings import Convention, Rankings, Values, conventions, ratio, relevant
from assay.metrics.core.toy_cases import ranking


def r_precision(r: Rankings, rel: int) -> Values:
    """Return hits in the top R, over R."""
    view = relevant(r, rel)
    return ratio(view.hits(view.R), view.R), conventions(r.n, (view.R == 0, Convention.NO_GOLD))


@measure(
    "rprec",
    printed_as=("r-precision", "r precision", "r prec"),
    spellings=(("ir_measures", "Rprec RPrec"), ("trec_eval", "Rprec"), ("ranx", "r-precision")),
)
def r_precision_entry(rel: Level = 1) -> Metric:
    """Precision at R."""
    return Metric(
        title="R-precision",
        formula="hits in the top R / R",
        latex=r"\frac{|\mathrm{gold} \cap \mathrm{top}_R|}{R}",
        meaning="share of evidence in the first R sentences, R being the number of gold sentences",
        columns=per_query(lambda cases: r_precision(cases, rel)),
        kind=Kind.RANKING,
        fails={Property.MISSED_GOLD_NEVER_HELPS: Witness(ranking("01"), "a larger R looks further down")},
        edges=(NO_GOLD, EMPTY, NOTHING, Edge(ranking("10", R=2), 0.5, "1 of the top 2")),
    )
