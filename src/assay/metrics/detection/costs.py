"""What decisions cost or gain at stated exchange rates."""

from __future__ import annotations

from assay.array_types import Floats
from assay.metrics.core.entry import INFINITE, Edge, Kind, Metric
from assay.metrics.core.family import At, Costs, Interior, measure
from assay.metrics.core.rankings import Convention
from assay.metrics.core.reduce import Reduced, quotient
from assay.metrics.core.toy_cases import decided
from assay.metrics.detection.confusion import Four, confusion_metric, four_counts, of_four


def expected_cost(alarm: float, miss: float) -> Four:
    """Return the function (alarm · FP + miss · FN) / n."""

    def function(tp: Floats, fp: Floats, tn: Floats, fn: Floats) -> Reduced:
        n = tp + fp + tn + fn
        return quotient(alarm * fp + miss * fn, n, 0.0, Convention.EMPTY_POPULATION)

    return function


def net_benefit(threshold: float) -> Four:
    """Return the function TP/n − FP/n · t/(1 − t)."""
    odds = threshold / (1 - threshold)

    def function(tp: Floats, fp: Floats, tn: Floats, fn: Floats) -> Reduced:
        return quotient(tp - odds * fp, tp + fp + tn + fn, 0.0, Convention.EMPTY_POPULATION)

    return function


@measure("expected_cost", on="all")
def expected_cost_entry(fp: Costs = 1, fn: Costs = 10, at: At = "0.5") -> Metric:
    """Mean cost of the decisions, at stated costs of a false alarm and of a miss."""
    return confusion_metric(
        at,
        expected_cost(fp, fn),
        title="Expected cost",
        formula="(cost of an alarm · FP + cost of a miss · FN) / n",
        latex=r"\frac{c_{FP}\,FP + c_{FN}\,FN}{n}",
        meaning="average cost of a decision, at the stated costs",
        found=(0.0, False),
        rejected=(0.0, False),
        better="lower",
        range=(0.0, INFINITE),
    )


@measure("net_benefit", on="all")
def net_benefit_entry(x: Interior) -> Metric:
    """True positives less false positives at the exchange rate of a threshold probability."""
    return Metric(
        title="Net benefit",
        formula="TP/n − FP/n · t/(1 − t)",
        latex=r"\frac{TP}{n} - \frac{FP}{n}\,\frac{t}{1-t}",
        meaning="evidence found, less false alarms at the exchange rate of the threshold",
        columns=lambda cases: four_counts(cases, x),
        reduce=of_four(net_benefit(float(x))),
        kind=Kind.DECISION,
        range=(-INFINITE, 1.0),
        needs=("prob",),
        edges=(Edge(decided("1", 1.0, 1, "POS"), 1.0, "one query with evidence, found"),),
    )
