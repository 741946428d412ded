"""Precision and negative predictive value that a decision would have at a stated prevalence."""

from __future__ import annotations

from assay.array_types import Floats
from assay.metrics.core.entry import Metric
from assay.metrics.core.family import At, Interior, measure
from assay.metrics.core.reduce import Reduced, quotient
from assay.metrics.detection.confusion import confusion_metric


def predictive_value(right: Floats, its_class: Floats, wrong: Floats, other: Floats, share: float) -> Reduced:
    """Return share·right/class over itself plus (1 − share)·wrong/other class, as a ratio of products."""
    kept = right * other * share
    return quotient(kept, kept + wrong * its_class * (1.0 - share))


BAYES = ("Altman and Bland 1994 (Diagnostic tests 2: predictive values).",)


@measure("prevalence_ppv", on="all", printed_as=("ppv at prevalence", "adjusted ppv"))
def prevalence_ppv_entry(x: Interior, at: At = "0.5") -> Metric:
    """Precision of the decision where a share x of the queries has evidence."""
    return confusion_metric(
        at,
        lambda tp, fp, tn, fn: predictive_value(tp, tp + fn, fp, fp + tn, float(x)),
        title="Precision at a stated prevalence",
        formula="sensitivity·x / (sensitivity·x + (1 − specificity)·(1 − x))",
        latex=r"\frac{\mathrm{sens}\cdot x}{\mathrm{sens}\cdot x + (1 - \mathrm{spec})(1 - x)}",
        meaning="share of alerts with evidence behind them in a population with prevalence x (Bayes)",
        notes=BAYES,
        found=(0.0, True),
        rejected=(0.0, True),
    )


@measure("prevalence_npv", on="all", printed_as=("npv at prevalence", "adjusted npv"))
def prevalence_npv_entry(x: Interior, at: At = "0.5") -> Metric:
    """Negative predictive value of the decision where a share x of the queries has evidence."""
    return confusion_metric(
        at,
        lambda tp, fp, tn, fn: predictive_value(tn, fp + tn, fn, tp + fn, 1.0 - float(x)),
        title="Negative predictive value at a stated prevalence",
        formula="specificity·(1 − x) / (specificity·(1 − x) + (1 − sensitivity)·x)",
        latex=r"\frac{\mathrm{spec}\cdot(1 - x)}{\mathrm{spec}\cdot(1 - x) + (1 - \mathrm{sens})\,x}",
        meaning="share of skipped queries without evidence in a population with prevalence x (Bayes)",
        notes=BAYES,
        found=(0.0, True),
        rejected=(0.0, True),
    )
