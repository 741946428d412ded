"""Calibration slope and intercept: logistic regressions, one per row of counts."""

from __future__ import annotations

import numpy as np

from assay.array_types import Bools, Floats
from assay.data.cases import Cases
from assay.metrics.calibration.ece import HALF
from assay.metrics.core.decisions import given, label
from assay.metrics.core.entry import INFINITE, Edge, Kind, Metric
from assay.metrics.core.family import Clip, measure
from assay.metrics.core.rankings import Convention
from assay.metrics.core.reduce import Columns, Reduced, Rows

AT_ONCE = 1 << 14  # counts: what stays in the L1 or L2 cache
MOST = 200  # Newton steps at most
REACH = 8.0  # most that a step may move any log-odds: with tiny weights Newton overshoots


def logistic(x: Floats, y: Floats, counts: Floats, *, slope: bool) -> tuple[Floats, Floats, Bools]:
    """Fit y ~ a + b·x by maximum likelihood (b = 1 if not `slope`): a, b and whether they exist.

    `counts` (rows × cases) counts the copies of each case. A maximum exists if both classes occur
    and, for a slope, overlap in x (Albert and Anderson 1984). Newton steps are bounded, and halved
    while they overshoot. A slope is fitted around the mean of x, so that probabilities close
    together do not cancel.
    """
    step = max(1, AT_ONCE // max(1, len(x)))
    parts = [
        _fitted(x, y, counts[first : first + step], slope=slope)
        for first in range(0, max(1, len(counts)), step)
    ]
    a, b, exists = (np.concatenate(each) for each in zip(*parts, strict=True))
    return a, b, exists


def _fitted(x: Floats, y: Floats, counts: Floats, *, slope: bool) -> tuple[Floats, Floats, Bools]:
    """Fit some rows at once; rows that have converged are left out of further steps."""
    there = counts.any(axis=0)
    x, y, counts = x[there], y[there], np.ascontiguousarray(counts[:, there])
    centre = float(x.mean()) if slope and len(x) else 0.0
    x = x - centre
    a, b = np.zeros(len(counts)), np.full(len(counts), 0.0 if slope else 1.0)
    span = np.array([x.min(initial=0.0), x.max(initial=0.0)])
    exists = np.zeros(len(counts), dtype=bool)
    live = np.flatnonzero(_identified(x, y, counts, slope=slope))
    counts = counts[live]
    p, q, loss = _at(a[live], b[live], x, y, counts)
    for step in range(MOST):
        if not len(live):
            break
        da, db, sound = _newton(x, y, counts, p, q, slope=slope)
        moved = np.abs(da[:, None] + db[:, None] * span).max(axis=1)
        da, db = (each * np.minimum(1.0, REACH / np.maximum(moved, REACH)) for each in (da, db))
        scale, noise = np.ones(len(live)), 1e-13 * (1.0 + np.abs(loss))
        p, q, reached = _at(a[live] + da, b[live] + db, x, y, counts)
        over = np.flatnonzero(reached > loss + noise)
        while len(over):
            scale[over] /= 2
            rows = live[over]
            tried = (a[rows] + scale[over] * da[over], b[rows] + scale[over] * db[over])
            p[over], q[over], reached[over] = _at(*tried, x, y, counts[over])
            over = over[(reached[over] > (loss + noise)[over]) & (scale[over] > 1e-9)]
        size = scale * np.maximum(np.abs(da), np.abs(db))
        a[live], b[live] = a[live] + scale * da, b[live] + scale * db
        largest = np.maximum(np.abs(a[live]), np.abs(b[live]))
        near = size <= 1e-13 * np.maximum(1.0, largest)
        exists[live] = near if step < MOST - 1 else size < 1e-9
        stay = ~near & sound
        exists[live[~sound]] = False
        if not stay.all():
            live, counts, reached = live[stay], counts[stay], reached[stay]
            p, q = p[stay], q[stay]
        loss = reached
    return a - b * centre, b, exists


def _identified(x: Floats, y: Floats, counts: Floats, *, slope: bool) -> Bools:
    """Return whether both classes occur and, for a slope, overlap in x."""
    ends = []
    for outcome in (1, 0):
        mine = y == outcome
        drawn = counts[:, mine] > 0
        low = np.where(drawn, x[mine], np.inf).min(axis=1, initial=np.inf)
        high = np.where(drawn, x[mine], -np.inf).max(axis=1, initial=-np.inf)
        ends.append((low, high))
    (low1, high1), (low0, high0) = ends
    both: Bools = (high1 > -np.inf) & (high0 > -np.inf)
    return both & (low1 < high0) & (low0 < high1) if slope else both


def _at(a: Floats, b: Floats, x: Floats, y: Floats, counts: Floats) -> tuple[Floats, Floats, Floats]:
    """Return P(evidence), P(no evidence) of each case under each row's coefficients, and the loss.

    Both are computed with full precision: 1 − p would lose digits for p near 1.
    """
    z = a[:, None] + b[:, None] * x
    small = np.exp(-np.abs(z))  # never overflows
    loss = (counts * (np.maximum(z, 0.0) + np.log1p(small) - y * z)).sum(axis=1)
    above = 1.0 + small
    sure, doubt = 1.0 / above, small / above
    positive = z >= 0
    return np.where(positive, sure, doubt), np.where(positive, doubt, sure), loss


def _newton(
    x: Floats, y: Floats, counts: Floats, p: Floats, q: Floats, *, slope: bool
) -> tuple[Floats, Floats, Bools]:
    """Return the step of each row, and whether its curvature allows one."""
    residual, weight = counts * np.where(y == 1, q, -p), counts * (p * q)
    g0, s0 = residual.sum(axis=1), weight.sum(axis=1)
    if not slope:
        sound = s0 > 0
        return g0 / np.where(sound, s0, 1.0), np.zeros(len(g0)), sound
    g1 = (residual * x).sum(axis=1)
    weight *= x
    s1 = weight.sum(axis=1)
    s2 = (weight * x).sum(axis=1)
    determinant = s0 * s2 - s1 * s1
    sound = determinant > 0
    below = np.where(sound, determinant, 1.0)
    da, db = (s2 * g0 - s1 * g1) / below, (s0 * g1 - s1 * g0) / below
    return np.where(sound, da, 0.0), np.where(sound, db, 0.0), sound


def log_odds(cases: Cases, clip: float) -> Columns:
    """Return the log-odds of each probability, clipped to those of `clip` and 1 − `clip`."""
    prob, most = given(cases.prob), np.log1p(-clip) - np.log(clip)
    with np.errstate(divide="ignore"):
        odds = np.log(prob) - np.log1p(-prob)
    # the logit of 1 − clip, not that of the float nearest to it
    return Columns({"x": np.clip(odds, -most, most), "y": label(cases)})


def _fit_metric(clip: float, *, slope: bool, title: str, formula: str, latex: str, meaning: str) -> Metric:
    def function(columns: Columns, counts: Floats) -> Reduced:
        a, b, exists = logistic(columns["x"], columns["y"], counts, slope=slope)
        missing = np.uint8(Convention.NOT_IDENTIFIED)
        codes = np.where(exists, np.uint8(0), missing)
        return Reduced(np.where(exists, b if slope else a, 0.0), codes)

    return Metric(
        title=title,
        formula=formula,
        latex=latex,
        meaning=meaning,
        columns=lambda cases: log_odds(cases, clip),
        reduce=Rows(function),
        kind=Kind.DECISION,
        range=(-INFINITE, INFINITE),
        better="neither",
        needs=("prob",),
        resamples=500,
        edges=(Edge(HALF, 0.0, "one class only", Convention.NOT_IDENTIFIED),),
    )


@measure("calibration_slope", on="all")
def calibration_slope_entry(clip: Clip = 0.000001) -> Metric:
    """Slope of the label's log-odds on the stated log-odds; 1 is calibrated."""
    return _fit_metric(
        clip,
        slope=True,
        title="Calibration slope",
        formula="b of logit P(y) = a + b·logit(p)",
        latex=r"\operatorname{logit} P(y) = a + b \operatorname{logit}(p)",
        meaning="1 is calibrated; below 1 the probabilities are too extreme",
    )


@measure("calibration_intercept", on="all", printed_as=("calibration in the large",))
def calibration_intercept_entry(clip: Clip = 0.000001) -> Metric:
    """Shift of the label's log-odds from the stated log-odds; 0 is calibrated."""
    return _fit_metric(
        clip,
        slope=False,
        title="Calibration in the large",
        formula="a of logit P(y) = a + logit(p)",
        latex=r"\operatorname{logit} P(y) = a + \operatorname{logit}(p)",
        meaning="0 is calibrated; below 0 the probabilities are too high overall",
    )
