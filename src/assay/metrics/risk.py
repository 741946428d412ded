"""Entries of selective decisions: error rate against how many queries are decided at all."""

from __future__ import annotations

import numpy as np

from assay.data.model import Cases
from assay.kernels import binary as kernel
from assay.kernels.decimals import distance
from assay.kernels.layout import Convention
from assay.metrics.decision import decision_metric, given, label
from assay.metrics.entry import Edge, Metric, Witness
from assay.metrics.family import On, Share
from assay.metrics.properties import Property
from assay.metrics.ranking import Names
from assay.metrics.reduce import ByClass, Columns, Reduced, quotient
from assay.metrics.toy import decided

ERR = decided("1", 0.1, 0, "NEG")
SURE = decided("1", 1.0, 1, "POS")
NOTES = (
    "Confidence is |p − at|, which for at=0.5 orders queries as max(p, 1 − p) does; confidences "
    "that are equal at 12 digits, such as those of 0.3 and 0.7, are tied, and tied queries share "
    "their errors evenly.",
)


def _risk(name: str, params: Names, at: float, on: str, *, excess: bool) -> Metric:
    def columns(cases: Cases) -> Columns:
        prob = given(cases.prob)
        wrong = np.abs((prob >= at) - label(cases))
        return Columns({"confidence": distance(prob, at), "wrong": wrong})

    def function(steps: kernel.Steps) -> Reduced:
        area, best, total = kernel.risk_area(steps)
        return quotient(area - best if excess else area, total, 0.0, Convention.EMPTY_POPULATION)

    witness = Witness(
        SURE,
        "more queries, finer steps",
        (decided("0", 0.95, 1, "POS"), decided("1", 0.9, 1, "POS"), ERR),
    )
    best = "less its least possible value" if excess else "averaged over coverages"
    return decision_metric(
        name, params, on, columns, ByClass(function, "confidence", "wrong"),
        title="Excess area under the risk–coverage curve" if excess
        else "Area under the risk–coverage curve",
        formula=f"mean over i of (errors among the i most confident / i), {best}",
        latex=r"\frac1n \sum_{i=1}^n \frac{E_i}{i}"
        + (r" - \frac1n \sum_{j=1}^{E} \frac{j}{n - E + j}" if excess else ""),
        meaning="errors that remain when the least certain decisions are left to people",
        needs=("prob",), notes=NOTES, better="lower", fails={Property.DUPLICATION: witness},
        edges=(
            Edge(SURE, 0.0, "no error"),
            Edge(decided("0", 1.0, 1, "POS"), 0.0 if excess else 1.0, "one query, wrong"),
        ),
    )  # fmt: skip


def aurc(name: str, params: Names, at: Share = 0.5, on: On = "all") -> Metric:
    """Mean error rate over all coverages, most confident first."""
    return _risk(name, params, at, on, excess=False)


def eaurc(name: str, params: Names, at: Share = 0.5, on: On = "all") -> Metric:
    """AURC less that of the best order of the same decisions."""
    return _risk(name, params, at, on, excess=True)
