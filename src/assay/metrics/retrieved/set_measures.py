"""Precision, recall and F of all candidates as a set, whatever their order."""

from __future__ import annotations

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
    per_query,
)
from assay.metrics.core.family import Level, Weight, measure
from assay.metrics.core.rankings import ALL, Convention, Rankings, Values, conventions, ratio, relevant
from assay.metrics.core.toy_cases import ranking

LONGER_IS_WORSE: Fails = {
    Property.APPEND_UNJUDGED: Witness(ranking("1"), "a longer list is less precise"),
    Property.IDEAL_IS_BEST: Witness(ranking("10"), "not all candidates are gold"),
}


def set_precision(r: Rankings, rel: int) -> Values:
    """Return relevant candidates / candidates."""
    return ratio(relevant(r, rel).hits(ALL), r.n), conventions(r.n)


def set_recall(r: Rankings, rel: int) -> Values:
    """Return relevant candidates / R."""
    view = relevant(r, rel)
    return ratio(view.hits(ALL), view.R), conventions(r.n, (view.R == 0, Convention.NO_GOLD))


def set_f(r: Rankings, beta: float, rel: int) -> Values:
    """Return (1+β²)·P·R / (β²·P + R) of set precision and set recall, computed from counts."""
    view = relevant(r, rel)
    weight = beta * beta
    values = ratio((1.0 + weight) * view.hits(ALL), weight * view.R + r.n)
    return values, conventions(r.n, (view.R == 0, Convention.NO_GOLD))


@measure(
    "set_precision",
    printed_as=("set p",),
    spellings=(("ir_measures", "SetP"), ("trec_eval", "set_P"), ("ranx", "precision")),
)
def set_precision_entry(rel: Level = 1) -> Metric:
    """Share of the candidates that is gold."""
    return Metric(
        title="Set precision",
        formula="gold among the candidates / n",
        latex=r"\frac{|\mathrm{gold} \cap \mathrm{candidates}|}{n}",
        meaning="share of all ranked sentences that is evidence",
        columns=per_query(lambda cases: set_precision(cases, rel)),
        kind=Kind.RANKING,
        expected_ties=True,
        fails=LONGER_IS_WORSE,
        edges=(EMPTY, NOTHING, Edge(ranking("10", R=5), 0.5, "1 of 2")),
    )


@measure("set_recall", spellings=(("ir_measures", "SetR"), ("trec_eval", "set_recall"), ("ranx", "recall")))
def set_recall_entry(rel: Level = 1) -> Metric:
    """Share of the gold that is among the candidates."""
    return Metric(
        title="Set recall",
        formula="gold among the candidates / R",
        latex=r"\frac{|\mathrm{gold} \cap \mathrm{candidates}|}{R}",
        meaning="evidence that was ranked at all: the upper bound of recall at any k",
        columns=per_query(lambda cases: set_recall(cases, rel)),
        kind=Kind.RANKING,
        expected_ties=True,
        edges=(NO_GOLD, EMPTY, NOTHING, Edge(ranking("10", R=5), 0.2, "1 of 5")),
    )


@measure("set_f", spellings=(("ir_measures", "SetF"), ("trec_eval", "set_F"), ("ranx", "f1")))
def set_f_entry(beta: Weight = 1, rel: Level = 1) -> Metric:
    """Harmonic mean of set precision and set recall."""
    return Metric(
        title="Set F measure",
        formula="(1 + β²)·P·R / (β²·P + R)",
        latex=r"\frac{(1+\beta^2)\,P\,R}{\beta^2\,P + R}",
        meaning="precision and recall of everything that was ranked",
        notes=(
            "trec_eval's `set_F.x` and ir_measures' `SetF(beta=x)` weigh recall by x where this "
            "formula has β²: their x = 2 is β = √2 here.",
        ),
        columns=per_query(lambda cases: set_f(cases, beta, rel)),
        kind=Kind.RANKING,
        expected_ties=True,
        fails=LONGER_IS_WORSE,
        edges=(NO_GOLD, EMPTY, NOTHING),
    )
