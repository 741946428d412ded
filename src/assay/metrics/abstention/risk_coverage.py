"""Area under the risk–coverage curve: errors that remain when the least confident are set aside."""

from __future__ import annotations

import numpy as np

from assay.array_types import Floats
from assay.data.cases import Cases
from assay.metrics.core.decimals import distance
from assay.metrics.core.decisions import given, label
from assay.metrics.core.entry import Edge, Kind, Metric, Property, Witness
from assay.metrics.core.family import Share, measure
from assay.metrics.core.ranked_steps import Steps, sum_products
from assay.metrics.core.rankings import Convention
from assay.metrics.core.reduce import ByClass, Columns, Reduced, quotient
from assay.metrics.core.toy_cases import decided

ERR = decided("1", 0.1, 0, "NEG")
SURE = decided("1", 1.0, 1, "POS")
NOTES = (
    "Confidence is |p − at|, which for at=0.5 orders queries as max(p, 1 − p) does; confidences "
    "that are equal at 12 digits, such as those of 0.3 and 0.7, are tied, and tied queries share "
    "their errors evenly.",
)


def risk_area(steps: Steps) -> tuple[Floats, Floats, Floats]:
    """Return Σ over coverages of the error rate among the most confident, its minimum, and n.

    Errors are the marked rows, sorted by confidence; errors of equal confidence are spread evenly.
    With H the harmonic numbers and E errors before a value with s rows and e errors that begins
    after b rows, the value adds e + (E − b·e/s)·(H(b + s) − H(b)); the correct rows between two
    values add E times the difference of H.
    """
    n = (steps.positives + steps.negatives).astype(np.int64)
    harmonic = np.concatenate(([0.0], np.cumsum(1.0 / np.arange(1, n.max(initial=0) + 1))))
    errors_before = steps.hits - steps.gained
    before, through = errors_before + steps.above, steps.hits + steps.alarms
    at_before, at_through = harmonic[before], harmonic[through]
    rate = steps.gained / np.maximum(through - before, 1)
    within = steps.gained + (errors_before - rate * before) * (at_through - at_before)
    area = sum_products(np.ones_like(rate), within)
    # between the last row of one value and the first of the next there are only correct rows
    area += sum_products(errors_before[1:], at_before[1:] - at_through[:-1])
    wrongs = steps.positives.astype(np.float64)
    if len(steps.hits):
        area += wrongs * (harmonic[n] - at_through[-1])
    best = wrongs - steps.negatives * (harmonic[n] - harmonic[steps.negatives])
    return area, best, n.astype(np.float64)


def _risk_metric(at: float, *, excess: bool) -> Metric:
    def columns(cases: Cases) -> Columns:
        prob = given(cases.prob)
        wrong = np.abs((prob >= at) - label(cases))
        return Columns({"confidence": distance(prob, at), "wrong": wrong})

    def function(steps: Steps) -> Reduced:
        area, best, n = risk_area(steps)
        return quotient(area - best if excess else area, n, 0.0, Convention.EMPTY_POPULATION)

    more = (decided("0", 0.95, 1, "POS"), decided("1", 0.9, 1, "POS"), ERR)
    best = "less its lowest possible value" if excess else "averaged over coverages"
    return Metric(
        title="Excess area under the risk–coverage curve" if excess else "Area under the risk–coverage curve",
        formula=f"mean over i of (errors among the i most confident / i), {best}",
        latex=r"\frac1n \sum_{i=1}^n \frac{E_i}{i}"
        + (r" - \frac1n \sum_{j=1}^{E} \frac{j}{n - E + j}" if excess else ""),
        meaning="errors that remain when the least certain decisions are sent to human review",
        notes=NOTES,
        columns=columns,
        reduce=ByClass(function, "confidence", "wrong"),
        kind=Kind.DECISION,
        better="lower",
        needs=("prob",),
        fails={Property.DUPLICATION: Witness(SURE, "more queries, finer steps", more)},
        edges=(
            Edge(SURE, 0.0, "no error"),
            Edge(decided("0", 1.0, 1, "POS"), 0.0 if excess else 1.0, "one query, wrong"),
        ),
    )


@measure("aurc", on="all")
def aurc_entry(at: Share = 0.5) -> Metric:
    """Mean error rate over all coverages, most confident first."""
    return _risk_metric(at, excess=False)


@measure("eaurc", on="all", printed_as=("e aurc",))
def eaurc_entry(at: Share = 0.5) -> Metric:
    """AURC less that of the best order of the same decisions."""
    return _risk_metric(at, excess=True)
