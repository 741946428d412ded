"""Risk and coverage of the queries that a system answers, as papers on abstention in RAG name them.

Their Carefulness is `specificity` and their Alignment `accuracy` (Chen et al. 2024): a query is kept
where the decision is positive, and answerable where it has evidence.
"""

from __future__ import annotations

from assay.metrics.core.entry import Metric
from assay.metrics.core.family import At, measure
from assay.metrics.core.reduce import Rate
from assay.metrics.detection.confusion import confusion_metric

NOTE = (
    "Chen, Zhang, Guo, Fan and Cheng 2024 (Findings of EMNLP): kept is a positive decision, answerable a "
    "query with evidence. Carefulness is `specificity`, Alignment is `accuracy`."
)


@measure("risk", on="all", printed_as=("false discovery rate", "fdr"))
def risk_entry(at: At = "0.5") -> Metric:
    """Share of the positive decisions that are wrong."""
    return confusion_metric(
        at,
        Rate("FP", "TP FP"),
        title="Risk",
        formula="FP / (TP + FP)",
        latex=r"\frac{FP}{TP + FP}",
        meaning="share of the answered queries that should not have been answered; 1 − precision",
        notes=(NOTE,),
        found=(0.0, False),
        rejected=(0.0, True),
        better="lower",
    )


@measure("coverage", on="all", printed_as=("answer rate", "response rate"))
def coverage_entry(at: At = "0.5") -> Metric:
    """Share of the queries on which the decision is positive."""
    return confusion_metric(
        at,
        Rate("TP FP", "TP FP TN FN"),
        title="Coverage",
        formula="(TP + FP) / n",
        latex=r"\frac{TP + FP}{n}",
        meaning="share of the queries that are answered",
        notes=(NOTE,),
        found=(1.0, False),
        rejected=(0.0, False),
        better="neither",
    )
