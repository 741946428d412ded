"""The Brier score and its three parts (Murphy 1973)."""

from __future__ import annotations

import numpy as np

from assay.array_types import Floats
from assay.data.cases import Cases
from assay.metrics.calibration.ece import HALF, SURE, WRONG, binned_metric, mean_over_bins, safe_ratio
from assay.metrics.core.decisions import given, label
from assay.metrics.core.entry import Edge, Kind, Metric, per_query
from assay.metrics.core.family import Count, measure
from assay.metrics.core.rankings import Convention, Values
from assay.metrics.core.reduce import Columns, Reduced, Sums, quotient


def squared_error(cases: Cases) -> Values:
    """Return (p − y)² of each query."""
    return (given(cases.prob) - label(cases)) ** 2, np.zeros(len(cases), dtype=np.uint8)


def reliability(n: Floats, size: Floats, p: Floats, y: Floats, v: Floats) -> Floats:
    """Return Σ over bins of n_b · (mean p − mean y)²."""
    return np.asarray(safe_ratio((p - y) ** 2, size).sum(axis=1))


def resolution(n: Floats, size: Floats, p: Floats, y: Floats, v: Floats) -> Floats:
    """Return Σ over bins of n_b · (mean y of the bin − mean y)²."""
    overall = safe_ratio(y.sum(axis=1), n)[:, None]
    return np.asarray((size * (safe_ratio(y, size) - overall) ** 2).sum(axis=1))


def uncertainty(n: Floats, y: Floats) -> Reduced:
    """Return mean y · (1 − mean y)."""
    rate = quotient(y, n, 0.0, Convention.EMPTY_POPULATION)
    return Reduced(rate.values * (1 - rate.values), rate.codes)


@measure("brier", on="all", printed_as=("brier score",), spellings=(("scikit-learn", "brier_score_loss"),))
def brier_entry() -> Metric:
    """Mean squared error of the probabilities."""
    return Metric(
        title="Brier score",
        formula="mean of (p − y)²",
        latex=r"\frac1n \sum_i (p_i - y_i)^2",
        meaning="squared error of the probabilities: calibration and discrimination together",
        columns=per_query(squared_error),
        kind=Kind.DECISION,
        better="lower",
        needs=("prob",),
        edges=(SURE, WRONG, Edge(HALF, 0.25, "half sure")),
    )


@measure("brier_reliability", on="all")
def brier_reliability_entry(bins: Count = 10) -> Metric:
    """The calibration part of the Brier score."""
    return binned_metric(
        bins,
        mean_over_bins(reliability),
        title="Brier score: reliability",
        formula="Σ over bins of n_b/n · (mean p − mean y)²",
        latex=r"\sum_b \frac{n_b}{n} (\bar p_b - \bar y_b)^2",
        meaning="what miscalibration adds to the squared error",
        better="lower",
        edges=(SURE, WRONG),
    )


@measure("brier_resolution", on="all")
def brier_resolution_entry(bins: Count = 10) -> Metric:
    """The discrimination part of the Brier score."""
    return binned_metric(
        bins,
        mean_over_bins(resolution),
        title="Brier score: resolution",
        formula="Σ over bins of n_b/n · (mean y of bin − mean y)²",
        latex=r"\sum_b \frac{n_b}{n} (\bar y_b - \bar y)^2",
        meaning="how much the bins differ in their frequency of evidence",
        edges=(Edge(HALF, 0.0, "one query has no spread"),),
    )


@measure("brier_uncertainty", on="all")
def brier_uncertainty_entry() -> Metric:
    """The part of the Brier score that no system can change."""
    return Metric(
        title="Brier score: uncertainty",
        formula="mean y · (1 − mean y)",
        latex=r"\bar y (1 - \bar y)",
        meaning="variance of the labels themselves",
        columns=lambda cases: Columns({"y": label(cases)}),
        reduce=Sums(("y",), uncertainty),
        kind=Kind.DECISION,
        range=(0.0, 0.25),
        better="neither",
        needs=("prob",),
        edges=(Edge(HALF, 0.0, "one class"),),
    )
