"""Entries of calibration: do probabilities mean what they say."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from assay.data.model import Cases
from assay.kernels.decimals import bin_of
from assay.kernels.layout import Codes, Convention, Floats
from assay.kernels.logistic import logistic
from assay.metrics.decision import INFINITE, decision_metric, given, label
from assay.metrics.entry import Edge, Metric, Witness
from assay.metrics.family import Clip, Count, On
from assay.metrics.properties import Property
from assay.metrics.ranking import Names
from assay.metrics.reduce import MEAN, Columns, Reduced, Rows, Sums, quotient
from assay.metrics.toy import decided

SURE = Edge(decided("1", 1.0, 1, "POS"), 0.0, "certain and right")
WRONG = Edge(decided("0", 1.0, 1, "POS"), 1.0, "certain and wrong")
HALF = decided("1", 0.5, 1, "POS")
CERTAIN = decided("1", 1.0, 1, "POS")
CERTAIN_WRONG = decided("0", 1.0, 1, "POS")
Binned = Callable[..., Floats]
BIN_NOTES = (
    "Bins have equal width and are (lo, hi], with 0 in the first; probability and edge i/B are "
    "rounded to 12 digits before they are compared, so 0.1 is in the first of ten bins, and 0.3 "
    "and 1 − 0.7 are in the third.",
)


def in_bins(bins: int) -> Callable[[Cases], Columns]:
    """Per query a row of bins: membership, probability, label, and variance of the label."""

    def columns(cases: Cases) -> Columns:
        prob, y = given(cases.prob), label(cases)
        inside = (bin_of(prob, bins)[:, None] == np.arange(bins)).astype(np.float64)
        spread = prob * (1 - prob)
        return Columns(
            {
                "in": inside,
                "p": inside * prob[:, None],
                "y": inside * y[:, None],
                "v": inside * spread[:, None],
            }
        )

    return columns


def of_bins(total: Binned) -> Sums:
    """A sum over bins, divided by n."""

    def reduce(n: Floats, size: Floats, p: Floats, y: Floats, v: Floats) -> Reduced:
        return quotient(total(n, size, p, y, v), n, 0.0, Convention.EMPTY_POPULATION)

    return Sums(("in", "p", "y", "v"), reduce)


def _safe(numerator: Floats, denominator: Floats) -> Floats:
    return np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator > 0)


def _squared_gap(n: Floats, size: Floats, p: Floats, y: Floats, v: Floats) -> Floats:
    return np.asarray(_safe((p - y) ** 2, size).sum(axis=1))


def ece(name: str, params: Names, bins: Count = 10, on: On = "all") -> Metric:
    """Mean gap between probability and frequency over equal-width bins."""
    return decision_metric(
        name, params, on, in_bins(bins),
        of_bins(lambda n, size, p, y, v: np.abs(p - y).sum(axis=1)),
        title="Expected calibration error", formula="Σ over bins of n_b/n · |mean p − mean y|",
        latex=r"\sum_b \frac{n_b}{n} \left|\bar p_b - \bar y_b\right|",
        meaning="how far stated probabilities lie from observed frequencies",
        notes=BIN_NOTES, needs=("prob",),
        edges=(SURE, WRONG, Edge(HALF, 0.5, "half sure, right")), better="lower",
    )  # fmt: skip


def ece_floor(name: str, params: Names, bins: Count = 10, on: On = "all") -> Metric:
    """The ECE that a perfectly calibrated model shows at this n, by the normal approximation."""
    return decision_metric(
        name, params, on, in_bins(bins),
        of_bins(lambda n, size, p, y, v: np.sqrt(2 / np.pi * v).sum(axis=1)),
        title="Noise floor of the ECE", formula="Σ over bins of √(2/π · Σ p(1 − p)) / n",
        latex=r"\frac1n \sum_b \sqrt{\tfrac{2}{\pi} \sum_{i \in b} p_i (1 - p_i)}",
        meaning="calibration error that chance alone shows at this number of queries",
        notes=BIN_NOTES, needs=("prob",),
        edges=(SURE, Edge(HALF, float(np.sqrt(0.5 / np.pi)), "√(2/π · ¼)")),
        better="neither",
        fails={Property.DUPLICATION: Witness(HALF, "more queries, less noise")},
    )  # fmt: skip


def ece_debiased(name: str, params: Names, bins: Count = 10, on: On = "all") -> Metric:
    """Root mean squared gap less its sampling variance (Kumar, Liang and Ma 2019)."""

    def reduce(n: Floats, size: Floats, p: Floats, y: Floats, v: Floats) -> Reduced:
        rate = _safe(y, size)
        noise = _safe(size * rate * (1 - rate), size - 1)
        gap = _safe((p - y) ** 2, size)
        reduced = quotient((gap - noise).sum(axis=1), n, 0.0, Convention.EMPTY_POPULATION)
        return Reduced(np.sqrt(np.maximum(reduced.values, 0.0)), reduced.codes)

    return decision_metric(
        name, params, on, in_bins(bins), Sums(("in", "p", "y", "v"), reduce),
        title="Debiased calibration error (L2)",
        formula="√max(0, Σ n_b/n · [(mean p − mean y)² − mean y(1 − mean y)/(n_b − 1)])",
        latex=r"\sqrt{\max\left(0, \sum_b \frac{n_b}{n}\left[(\bar p_b - \bar y_b)^2"
        r" - \frac{\bar y_b (1 - \bar y_b)}{n_b - 1}\right]\right)}",
        meaning="calibration error with the part that chance adds taken off",
        notes=BIN_NOTES, needs=("prob",),
        edges=(SURE, WRONG, Edge(HALF, 0.5, "one query: nothing to take off")),
        better="lower",
        fails={Property.DUPLICATION: Witness(CERTAIN, "less is taken off", (CERTAIN_WRONG,) * 2)},
    )  # fmt: skip


def brier(name: str, params: Names, on: On = "all") -> Metric:
    """Mean squared error of the probabilities."""

    def columns(cases: Cases) -> Columns:
        codes: Codes = np.zeros(len(cases), dtype=np.uint8)
        return Columns({"value": (given(cases.prob) - label(cases)) ** 2}, codes)

    return decision_metric(
        name, params, on, columns, MEAN, title="Brier score", formula="mean of (p − y)²",
        latex=r"\frac1n \sum_i (p_i - y_i)^2",
        meaning="squared error of the probabilities: calibration and discrimination together",
        needs=("prob",), edges=(SURE, WRONG, Edge(HALF, 0.25, "half sure")), better="lower",
    )  # fmt: skip


def brier_reliability(name: str, params: Names, bins: Count = 10, on: On = "all") -> Metric:
    """The calibration part of the Brier score (Murphy 1973)."""
    return decision_metric(
        name, params, on, in_bins(bins), of_bins(_squared_gap),
        title="Brier score: reliability", formula="Σ over bins of n_b/n · (mean p − mean y)²",
        latex=r"\sum_b \frac{n_b}{n} (\bar p_b - \bar y_b)^2",
        meaning="what miscalibration adds to the squared error",
        notes=BIN_NOTES, needs=("prob",),
        edges=(SURE, WRONG), better="lower",
    )  # fmt: skip


def brier_resolution(name: str, params: Names, bins: Count = 10, on: On = "all") -> Metric:
    """The discrimination part of the Brier score (Murphy 1973)."""

    def resolved(n: Floats, size: Floats, p: Floats, y: Floats, v: Floats) -> Floats:
        overall = _safe(y.sum(axis=1), n)[:, None]
        return np.asarray((size * (_safe(y, size) - overall) ** 2).sum(axis=1))

    return decision_metric(
        name, params, on, in_bins(bins), of_bins(resolved),
        title="Brier score: resolution", formula="Σ over bins of n_b/n · (mean y of bin − mean y)²",
        latex=r"\sum_b \frac{n_b}{n} (\bar y_b - \bar y)^2",
        meaning="how much the bins differ in their frequency of evidence",
        notes=BIN_NOTES, needs=("prob",),
        edges=(Edge(HALF, 0.0, "one query has no spread"),),
    )  # fmt: skip


def brier_uncertainty(name: str, params: Names, on: On = "all") -> Metric:
    """The part of the Brier score that no system can change."""

    def reduce(n: Floats, y: Floats) -> Reduced:
        rate = quotient(y, n, 0.0, Convention.EMPTY_POPULATION)
        return Reduced(rate.values * (1 - rate.values), rate.codes)

    return decision_metric(
        name, params, on, lambda cases: Columns({"y": label(cases)}), Sums(("y",), reduce),
        title="Brier score: uncertainty", formula="mean y · (1 − mean y)",
        latex=r"\bar y (1 - \bar y)", meaning="spread of the labels themselves",
        needs=("prob",), edges=(Edge(HALF, 0.0, "one class"),), range=(0.0, 0.25), better="neither",
    )  # fmt: skip


def _fitted(
    name: str, params: Names, clip: float, on: str, *, slope: bool, title: str, formula: str,
    latex: str, meaning: str,
) -> Metric:  # fmt: skip
    def columns(cases: Cases) -> Columns:
        prob, most = given(cases.prob), np.log1p(-clip) - np.log(clip)
        with np.errstate(divide="ignore"):
            odds = np.log(prob) - np.log1p(-prob)
        # the logit of 1 − clip, not that of the float nearest to it
        return Columns({"x": np.clip(odds, -most, most), "y": label(cases)})

    def function(columns: Columns, counts: Floats) -> Reduced:
        a, b, exists = logistic(columns["x"], columns["y"], counts, slope=slope)
        missing = np.uint8(Convention.NOT_IDENTIFIED)
        codes = np.where(exists, np.uint8(0), missing)
        return Reduced(np.where(exists, b if slope else a, 0.0), codes)

    return decision_metric(
        name, params, on, columns, Rows(function), title=title, formula=formula, latex=latex,
        meaning=meaning, needs=("prob",), range=(-INFINITE, INFINITE), better="neither",
        resamples=500,
        edges=(Edge(HALF, 0.0, "one class only", Convention.NOT_IDENTIFIED),),
    )  # fmt: skip


def calibration_slope(name: str, params: Names, clip: Clip = 0.000001, on: On = "all") -> Metric:
    """Slope of the label's log-odds on the stated ones; 1 is right, below 1 overconfident."""
    return _fitted(
        name, params, clip, on, slope=True, title="Calibration slope",
        formula="b of logit P(y) = a + b·logit(p)",
        latex=r"\operatorname{logit} P(y) = a + b \operatorname{logit}(p)",
        meaning="1 is right; below 1 the probabilities are too extreme",
    )  # fmt: skip


def calibration_intercept(
    name: str, params: Names, clip: Clip = 0.000001, on: On = "all"
) -> Metric:
    """Shift of the label's log-odds against the stated ones; 0 is right."""
    return _fitted(
        name, params, clip, on, slope=False, title="Calibration in the large",
        formula="a of logit P(y) = a + logit(p)",
        latex=r"\operatorname{logit} P(y) = a + \operatorname{logit}(p)",
        meaning="0 is right; below 0 the probabilities are too high on the whole",
    )  # fmt: skip
