"""Sensitivity when false alarms may not exceed a budget, and the false positive rate reached."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

import numpy as np

from assay.array_types import Floats
from assay.metrics.core.entry import Edge, Kind, Metric, Property, Witness
from assay.metrics.core.family import Interior, measure
from assay.metrics.core.names.parameter import TUNED
from assay.metrics.core.ranked_steps import Steps, at_step
from assay.metrics.core.rankings import Convention
from assay.metrics.core.reduce import ByClass, Reduced, Sums, quotient
from assay.metrics.core.toy_cases import decided
from assay.metrics.detection.areas import NONE, ONE, by_prob, one_class
from assay.metrics.detection.confusion import four_counts

Threshold = Literal["same", "tune"]
FLIP = Witness(
    decided("1", 0.9, 1, "POS"),
    "only false alarms are limited",
    (decided("0", 0.8, 1, "POS"), decided("1", 0.1, 0, "NEG")),
)


def most_within_budget(steps: Steps, budget: Fraction) -> Floats:
    """Return the most positives at or above a threshold whose negatives stay within the budget."""
    totals = steps.negatives.astype(np.int64)
    if max(budget.numerator * int(totals.max(initial=0)), budget.denominator) >= 1 << 63:
        totals = totals.astype(object)  # Python integers do not overflow
    limit = totals * budget.numerator // budget.denominator
    allowed = np.count_nonzero(steps.alarms <= limit.astype(steps.alarms.dtype), axis=0)
    return at_step(steps.hits, allowed - 1)


def fewest_alarms(steps: Steps, hits: Floats) -> Floats:
    """Return the negatives at or above the largest threshold with that many hits; 0 for none."""
    short = np.count_nonzero(steps.hits < hits.astype(steps.hits.dtype), axis=0)
    return np.where(hits > 0, at_step(steps.alarms, np.minimum(short, len(steps.hits) - 1)), 0.0)


def _budget_metric(x: str, threshold: str, *, alarms: bool, edges: tuple[Edge, ...]) -> Metric:
    budget, rule = Fraction(x), f"{TUNED}fpr_{x}"

    def same(steps: Steps) -> Reduced:
        hits = most_within_budget(steps, budget)
        if alarms:
            value = quotient(fewest_alarms(steps, hits), steps.negatives)
        else:
            value = quotient(hits, steps.positives)
        return Reduced(value.values, one_class(steps))

    def tune(n: Floats, tp: Floats, fp: Floats, y: Floats) -> Reduced:
        return quotient(fp, n - y) if alarms else quotient(tp, y)

    is_same = threshold == "same"
    what = "FPR" if alarms else "TPR"
    return Metric(
        title="FPR reached at a budget" if alarms else "TPR at an FPR budget",
        formula=f"{what} at the threshold with the highest TPR whose FPR ≤ x, chosen on "
        + ("the scored queries themselves" if is_same else "TUNE"),
        latex=rf"\mathrm{{{what}}}(t^*),\quad t^* = \arg\max_{{t:\,\mathrm{{FPR}}(t) \le x}}"
        r" \mathrm{TPR}(t)",
        meaning="false positive rate at the threshold that the budget chose"
        if alarms
        else "share of the evidence found when false alarms may not exceed the budget",
        columns=by_prob if is_same else lambda cases: four_counts(cases, rule),
        reduce=ByClass(same) if is_same else Sums(("tp", "fp", "y"), tune),
        kind=Kind.GATE if is_same else Kind.DECISION,
        better="lower" if alarms else "higher",
        needs=("prob",) if is_same else ("prob", rule),
        fails={Property.LABEL_FLIP: FLIP} if is_same else {},
        edges=edges,
    )


@measure("tpr_at_fpr", on="all")
def tpr_at_fpr_entry(x: Interior, threshold: Threshold = "same") -> Metric:
    """Sensitivity when false alarms may not exceed a budget."""
    edges: tuple[Edge, ...] = (
        Edge(NONE, 0.0, "no positives", Convention.ONE_CLASS),
        Edge(ONE, 1.0, "no negatives: no alarm can be false", Convention.ONE_CLASS),
    )
    if threshold == "tune":
        edges = (Edge(NONE, 0.0, "no positives", Convention.ZERO_DENOMINATOR),)
    usable = threshold == "same" or x == "0.05"
    return _budget_metric(x, threshold, alarms=False, edges=edges if usable else ())


@measure("fpr_reached", on="all")
def fpr_reached_entry(x: Interior, threshold: Threshold = "same") -> Metric:
    """False positive rate at the threshold that a budget chose."""
    same = threshold == "same"
    code = Convention.ONE_CLASS if same else Convention.ZERO_DENOMINATOR
    edges = (Edge(ONE, 0.0, "no negatives", code),) if same or x == "0.05" else ()
    return _budget_metric(x, threshold, alarms=True, edges=edges)
