"""Calibration error over equal-width bins of probability."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from assay.array_types import Floats
from assay.data.cases import Cases
from assay.metrics.core.decimals import bin_of
from assay.metrics.core.decisions import given, label
from assay.metrics.core.entry import Edge, Kind, Metric, Property, Witness
from assay.metrics.core.family import Count, measure
from assay.metrics.core.rankings import Convention
from assay.metrics.core.reduce import Columns, Reduced, Sums, quotient
from assay.metrics.core.toy_cases import decided

Binned = Callable[[Floats, Floats, Floats, Floats, Floats], Floats]
"""From n and the sums per bin of membership, p, y and p(1 − p) to a sum over bins."""
CERTAIN = decided("1", 1.0, 1, "POS")
CERTAIN_WRONG = decided("0", 1.0, 1, "POS")
HALF = decided("1", 0.5, 1, "POS")
SURE = Edge(CERTAIN, 0.0, "certain and right")
WRONG = Edge(CERTAIN_WRONG, 1.0, "certain and wrong")
BIN_NOTES = (
    "Bins have equal width and are (lo, hi], with 0 in the first; probability and edge i/B are "
    "rounded to 12 digits before they are compared, so 0.1 is in the first of ten bins, and 0.3 "
    "and 1 − 0.7 are in the third.",
)


def in_bins(cases: Cases, bins: int) -> Columns:
    """Return a row of bins per query: membership, probability, label, variance of the label."""
    prob, y = given(cases.prob), label(cases)
    inside = (bin_of(prob, bins)[:, None] == np.arange(bins)).astype(np.float64)
    spread = prob * (1 - prob)
    return Columns(
        {"in": inside, "p": inside * prob[:, None], "y": inside * y[:, None], "v": inside * spread[:, None]}
    )


def safe_ratio(numerator: Floats, denominator: Floats) -> Floats:
    """Divide elementwise; 0 where the denominator is not positive."""
    return np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator > 0)


def gaps(n: Floats, size: Floats, p: Floats, y: Floats, v: Floats) -> Floats:
    """Return Σ over bins of n_b · |mean p − mean y|."""
    return np.asarray(np.abs(p - y).sum(axis=1))


def expected_gaps(n: Floats, size: Floats, p: Floats, y: Floats, v: Floats) -> Floats:
    """Return Σ over bins of √(2/π · Σ p(1 − p)): the gaps of a calibrated model."""
    return np.asarray(np.sqrt(2 / np.pi * v).sum(axis=1))


def debiased_gaps(n: Floats, size: Floats, p: Floats, y: Floats, v: Floats) -> Floats:
    """Return Σ over bins of n_b · [(mean p − mean y)² − mean y(1 − mean y)/(n_b − 1)]."""
    rate = safe_ratio(y, size)
    noise = safe_ratio(size * rate * (1 - rate), size - 1)
    return np.asarray((safe_ratio((p - y) ** 2, size) - noise).sum(axis=1))


def mean_over_bins(total: Binned) -> Sums:
    """Return the reduce that divides a sum over bins by n."""

    def reduce(n: Floats, size: Floats, p: Floats, y: Floats, v: Floats) -> Reduced:
        return quotient(total(n, size, p, y, v), n, 0.0, Convention.EMPTY_POPULATION)

    return Sums(("in", "p", "y", "v"), reduce)


def root_mean_over_bins(total: Binned) -> Sums:
    """Return the reduce that takes the root of a sum over bins divided by n; 0 below 0."""
    mean = mean_over_bins(total)

    def reduce(*sums: Floats) -> Reduced:
        reduced = mean.function(*sums)
        return Reduced(np.sqrt(np.maximum(reduced.values, 0.0)), reduced.codes)

    return Sums(mean.names, reduce)


def binned_metric(bins: int, reduce: Sums, **fields: Any) -> Metric:
    """Return the entry of a function of the sums per bin."""
    return Metric(
        columns=lambda cases: in_bins(cases, bins),
        reduce=reduce,
        kind=Kind.DECISION,
        needs=("prob",),
        notes=BIN_NOTES,
        **fields,
    )


@measure("ece", on="all", printed_as=("expected calibration error",))
def ece_entry(bins: Count = 10) -> Metric:
    """Mean gap between probability and frequency over equal-width bins."""
    return binned_metric(
        bins,
        mean_over_bins(gaps),
        title="Expected calibration error",
        abbreviation="ECE",
        formula="Σ over bins of n_b/n · |mean p − mean y|",
        latex=r"\sum_b \frac{n_b}{n} \left|\bar p_b - \bar y_b\right|",
        meaning="distance between stated probabilities and observed frequencies",
        better="lower",
        edges=(SURE, WRONG, Edge(HALF, 0.5, "half sure, right")),
    )


@measure("ece_floor", on="all")
def ece_floor_entry(bins: Count = 10) -> Metric:
    """ECE of a perfectly calibrated model at this n, by the normal approximation."""
    return binned_metric(
        bins,
        mean_over_bins(expected_gaps),
        title="Noise floor of the ECE",
        formula="Σ over bins of √(2/π · Σ p(1 − p)) / n",
        latex=r"\frac1n \sum_b \sqrt{\tfrac{2}{\pi} \sum_{i \in b} p_i (1 - p_i)}",
        meaning="calibration error due to chance alone at this number of queries",
        better="neither",
        edges=(SURE, Edge(HALF, float(np.sqrt(0.5 / np.pi)), "√(2/π · ¼)")),
        fails={Property.DUPLICATION: Witness(HALF, "more queries, less noise")},
    )


@measure("ece_debiased", on="all")
def ece_debiased_entry(bins: Count = 10) -> Metric:
    """Root mean squared gap less its sampling variance (Kumar, Liang and Ma 2019)."""
    return binned_metric(
        bins,
        root_mean_over_bins(debiased_gaps),
        title="Debiased calibration error (L2)",
        formula="√max(0, Σ n_b/n · [(mean p − mean y)² − mean y(1 − mean y)/(n_b − 1)])",
        latex=r"\sqrt{\max\left(0, \sum_b \frac{n_b}{n}\left[(\bar p_b - \bar y_b)^2"
        r" - \frac{\bar y_b (1 - \bar y_b)}{n_b - 1}\right]\right)}",
        meaning="calibration error without the part that chance adds",
        better="lower",
        edges=(SURE, WRONG, Edge(HALF, 0.5, "one query: nothing to subtract")),
        fails={Property.DUPLICATION: Witness(CERTAIN, "less is subtracted", (CERTAIN_WRONG,) * 2)},
    )
