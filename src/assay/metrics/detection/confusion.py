"""The four counts of a yes/no decision per query, and the rates computed from them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from assay.array_types import Floats
from assay.data.cases import Cases
from assay.metrics.core.decisions import FOUND, REJECTED, label, needs_of, positive, usual
from assay.metrics.core.entry import INFINITE, Edge, Kind, Metric, Property, Witness
from assay.metrics.core.family import At, measure
from assay.metrics.core.rankings import Convention
from assay.metrics.core.reduce import Columns, Rate, Reduced, Sums, computed, quotient
from assay.metrics.core.toy_cases import decided

Four = Callable[[Floats, Floats, Floats, Floats], Reduced]
"""A function of TP, FP, TN and FN."""


def four_counts(cases: Cases, at: str) -> Columns:
    """Return true and false positive decisions, and labels."""
    y, d = label(cases), positive(cases, at)
    return Columns({"tp": y * d, "fp": (1 - y) * d, "y": y})


def of_four(function: Four) -> Sums:
    """Return the reduce that applies a function to TP, FP, TN and FN."""

    def reduce(n: Floats, tp: Floats, fp: Floats, y: Floats) -> Reduced:
        return function(tp, fp, n - y - fp, y - tp)

    return Sums(("tp", "fp", "y"), reduce)


def f1(tp: Floats, fp: Floats, tn: Floats, fn: Floats) -> Reduced:
    """Return 2·TP / (2·TP + FP + FN)."""
    return quotient(2 * tp, 2 * tp + fp + fn)


def mcc(tp: Floats, fp: Floats, tn: Floats, fn: Floats) -> Reduced:
    """Return (TP·TN − FP·FN) / √((TP+FP)(TP+FN)(TN+FP)(TN+FN))."""
    scale = np.sqrt(tp + fp) * np.sqrt(tp + fn) * np.sqrt(tn + fp) * np.sqrt(tn + fn)
    return quotient(tp * tn - fp * fn, scale)


def balanced_accuracy(tp: Floats, fp: Floats, tn: Floats, fn: Floats) -> Reduced:
    """Return (sensitivity + specificity) / 2; a rate that is 0/0 counts as 0."""
    hit, spared = quotient(tp, tp + fn), quotient(tn, tn + fp)
    return Reduced((hit.values + spared.values) / 2, np.maximum(hit.codes, spared.codes))


def confusion_metric(
    at: str,
    function: Four,
    *,
    title: str,
    formula: str,
    latex: str,
    meaning: str,
    found: tuple[float, bool],
    rejected: tuple[float, bool],
    better: str = "higher",
    range: tuple[float, float] = (0.0, 1.0),  # noqa: A002 # the entry's own word
    kind: Kind = Kind.DECISION,
    doubled: Witness | None = None,
    notes: tuple[str, ...] = (),
) -> Metric:
    """Return the entry of a function of the four counts.

    `found` and `rejected` are its value on one true positive and on one true negative, and whether
    that is 0/0.
    """
    edges = tuple(
        Edge(case, value, why, Convention.ZERO_DENOMINATOR if undefined else Convention.NONE)
        for case, (value, undefined), why in (
            (FOUND, found, "one query with evidence, found"),
            (REJECTED, rejected, "one query without evidence, rejected"),
        )
        if usual(at)
    )
    return Metric(
        title=title,
        formula=formula,
        latex=latex,
        meaning=meaning,
        notes=notes,
        columns=lambda cases: four_counts(cases, at),
        reduce=of_four(function),
        kind=kind,
        range=range,
        better=better,
        needs=needs_of(at),
        edges=edges,
        fails={Property.DUPLICATION: doubled} if doubled and usual(at) else {},
        share=function.of_queries if isinstance(function, Rate) else None,
    )


def _count(at: str, which: int, title: str) -> Metric:
    sign = ("TP", "FP", "TN", "FN")[which]
    alarm, missed = decided("0", 0.9, 1, "POS"), decided("1", 0.1, 0, "NEG")
    return confusion_metric(
        at,
        lambda *four: computed(four[which]),
        title=title,
        formula=sign,
        latex=rf"\mathrm{{{sign}}}",
        meaning=f"number of {title.lower()}",
        better="neither",
        kind=Kind.TOTAL,
        found=(float(which == 0), False),
        rejected=(float(which == 2), False),
        range=(0.0, INFINITE),
        doubled=Witness((FOUND, alarm, REJECTED, missed)[which], "a total doubles"),
    )


@measure("tp", on="all", printed_as=("true positives", "true pos"))
def tp_entry(at: At = "0.5") -> Metric:
    """Queries with evidence on which the decision is positive."""
    return _count(at, 0, "True positives")


@measure("fp", on="all", printed_as=("false positives", "false pos", "false alarms"))
def fp_entry(at: At = "0.5") -> Metric:
    """Queries without evidence on which the decision is positive."""
    return _count(at, 1, "False positives")


@measure("tn", on="all", printed_as=("true negatives", "true neg"))
def tn_entry(at: At = "0.5") -> Metric:
    """Queries without evidence on which the decision is negative."""
    return _count(at, 2, "True negatives")


@measure("fn", on="all", printed_as=("false negatives", "false neg", "misses"))
def fn_entry(at: At = "0.5") -> Metric:
    """Queries with evidence on which the decision is negative."""
    return _count(at, 3, "False negatives")


def _rate(at: str, hits: str, other: str, title: str, meaning: str, better: str = "higher") -> Metric:
    """Return the entry of hits / (hits + other)."""
    rate = Rate(hits, f"{hits} {other}")
    found, rejected = "TP" in rate.trials, "TN" in rate.trials
    return confusion_metric(
        at,
        rate,
        title=title,
        formula=f"{hits} / ({hits} + {other})",
        latex=rf"\frac{{{hits}}}{{{hits} + {other}}}",
        meaning=meaning,
        better=better,
        found=(float(hits == "TP"), not found),
        rejected=(float(hits == "TN"), not rejected),
    )


@measure(
    "sensitivity",
    on="all",
    printed_as=("sens", "tpr", "true positive rate", "hit rate of positives"),
    spellings=(("scikit-learn", "recall recall_score"),),
)
def sensitivity_entry(at: At = "0.5") -> Metric:
    """Share of the queries with evidence on which the decision is positive."""
    return _rate(at, "TP", "FN", "Sensitivity", "share of the queries with evidence that are found")


@measure(
    "specificity",
    on="all",
    aliases=("carefulness",),
    printed_as=("spec", "tnr", "true negative rate", "selectivity"),
)
def specificity_entry(at: At = "0.5") -> Metric:
    """Share of the queries without evidence on which the decision is negative."""
    meaning = "share of the queries without evidence that raise no alarm"
    return _rate(at, "TN", "FP", "Specificity", meaning)


@measure("fpr", on="all", printed_as=("false positive rate", "fall out", "fallout"))
def fpr_entry(at: At = "0.5") -> Metric:
    """Share of the queries without evidence on which the decision is positive."""
    meaning = "share of the queries without evidence that raise a false alarm"
    return _rate(at, "FP", "TN", "False positive rate", meaning, better="lower")


@measure("fnr", on="all", printed_as=("false negative rate", "miss rate"))
def fnr_entry(at: At = "0.5") -> Metric:
    """Share of the queries with evidence on which the decision is negative."""
    meaning = "share of the queries with evidence that are missed"
    return _rate(at, "FN", "TP", "False negative rate", meaning, better="lower")


@measure(
    "ppv",
    on="all",
    printed_as=("positive predictive value",),
    spellings=(("scikit-learn", "precision precision_score"),),
)
def ppv_entry(at: At = "0.5") -> Metric:
    """Share of the positive decisions that are correct."""
    meaning = "share of the alerts that have evidence behind them"
    return _rate(at, "TP", "FP", "Precision of the decision", meaning)


@measure("npv", on="all", printed_as=("negative predictive value",))
def npv_entry(at: At = "0.5") -> Metric:
    """Share of the negative decisions that are correct."""
    meaning = "share of the skipped queries that have no evidence"
    return _rate(at, "TN", "FN", "Negative predictive value", meaning)


@measure(
    "f1",
    on="all",
    printed_as=("f1 score", "f score", "f measure", "dice", "f1p"),
    spellings=(("scikit-learn", "f1 f1_score"),),
)
def f1_entry(at: At = "0.5") -> Metric:
    """Harmonic mean of sensitivity and precision of the decision."""
    return confusion_metric(
        at,
        f1,
        title="F1 of the decision",
        formula="2·TP / (2·TP + FP + FN)",
        latex=r"\frac{2\,TP}{2\,TP + FP + FN}",
        meaning="precision and sensitivity in one number",
        found=(1.0, False),
        rejected=(0.0, True),
    )


@measure(
    "accuracy",
    on="all",
    aliases=("alignment",),
    printed_as=("acc",),
    spellings=(("scikit-learn", "accuracy accuracy_score"),),
)
def accuracy_entry(at: At = "0.5") -> Metric:
    """Share of the decisions that are correct."""
    return confusion_metric(
        at,
        Rate("TP TN", "TP FP TN FN"),
        title="Accuracy",
        formula="(TP + TN) / n",
        latex=r"\frac{TP + TN}{n}",
        meaning="share of correct decisions; with one query in ten positive, always no scores 0.9",
        found=(1.0, False),
        rejected=(1.0, False),
    )


@measure(
    "mcc",
    on="all",
    printed_as=("matthews", "matthews correlation", "matthews correlation coefficient", "phi"),
    spellings=(("scikit-learn", "matthews_corrcoef"),),
)
def mcc_entry(at: At = "0.5") -> Metric:
    """Correlation of decision and label."""
    return confusion_metric(
        at,
        mcc,
        title="Matthews correlation coefficient",
        formula="(TP·TN − FP·FN) / √((TP+FP)(TP+FN)(TN+FP)(TN+FN))",
        latex=r"\frac{TP \cdot TN - FP \cdot FN}{\sqrt{(TP+FP)(TP+FN)(TN+FP)(TN+FN)}}",
        meaning="agreement of decision and label beyond chance; 0 is chance",
        found=(0.0, True),
        rejected=(0.0, True),
        range=(-1.0, 1.0),
    )


@measure(
    "balanced_accuracy",
    on="all",
    printed_as=("bacc", "balanced acc", "bal acc"),
    spellings=(("scikit-learn", "balanced_accuracy balanced_accuracy_score"),),
)
def balanced_accuracy_entry(at: At = "0.5") -> Metric:
    """Mean of sensitivity and specificity."""
    return confusion_metric(
        at,
        balanced_accuracy,
        title="Balanced accuracy",
        formula="(sensitivity + specificity) / 2",
        latex=r"\tfrac12 \left(\frac{TP}{TP+FN} + \frac{TN}{TN+FP}\right)",
        meaning="accuracy as if both classes were equally frequent",
        found=(0.5, True),
        rejected=(0.5, True),
    )
