"""Calibration slope and intercept: logistic regressions of the label on the logit of prob."""

import math
from collections.abc import Sequence
from fractions import Fraction

from assay_oracle.decision import prob
from assay_oracle.definition import Definition
from assay_oracle.outcome import Summary
from assay_oracle.rows import Row

STEPS = 100
TOLERANCE = 1e-12  # of a step, relative to coefficients above 1
NOT_IDENTIFIED = Summary(0.0, "not_identified")


def slope(rows: Sequence[Row], definition: Definition) -> Summary:
    """The b of the maximum-likelihood fit y ~ a + b·x, with x = logit(p clipped).

    It has a finite optimum only where the x of the two classes overlap beyond a single point.
    """
    x, y = logits(rows, definition), _labels(rows)
    positive = [value for value, label in zip(x, y, strict=True) if label]
    negative = [value for value, label in zip(x, y, strict=True) if not label]
    if not positive or not negative:
        return NOT_IDENTIFIED
    if max(negative) <= min(positive) or max(positive) <= min(negative):
        return NOT_IDENTIFIED
    fit = _fit(x, y, [0.0] * len(x), free_slope=True)
    return NOT_IDENTIFIED if fit is None else Summary(fit[1])


def intercept(rows: Sequence[Row], definition: Definition) -> Summary:
    """The a of the maximum-likelihood fit y ~ a + 1·x, with x = logit(p clipped) as an offset."""
    x, y = logits(rows, definition), _labels(rows)
    if len(set(y)) < 2:
        return NOT_IDENTIFIED
    fit = _fit([0.0] * len(x), y, x, free_slope=False)
    return NOT_IDENTIFIED if fit is None else Summary(fit[0])


def logits(rows: Sequence[Row], definition: Definition) -> list[float]:
    """log(p / (1 − p)) of p = min(max(prob, clip), 1 − clip), exact up to the logarithm."""
    clip = definition.number("clip")
    clipped = [min(max(Fraction(prob(row, definition)), clip), 1 - clip) for row in rows]
    return [math.log(p / (1 - p)) for p in clipped]


def _labels(rows: Sequence[Row]) -> list[int]:
    return [int(row.has_evidence) for row in rows]


def _fit(
    x: Sequence[float], y: Sequence[int], offset: Sequence[float], *, free_slope: bool
) -> tuple[float, float] | None:
    """Newton's method with step halving for y ~ a + b·x + offset; b stays 0 unless it is free.

    None where it does not settle in STEPS steps.
    """
    a, b = 0.0, 0.0
    for _ in range(STEPS):
        step = _newton_step(x, y, _linear(a, b, x, offset), free_slope=free_slope)
        if step is None:
            return None
        before = _log_likelihood(y, _linear(a, b, x, offset))
        least = before - TOLERANCE * max(1.0, abs(before))  # a likelihood is only so exact
        size, tolerance = 1.0, TOLERANCE * max(1.0, abs(a), abs(b))
        while _moves(step, size, tolerance) and (
            _log_likelihood(y, _linear(a + size * step[0], b + size * step[1], x, offset)) < least
        ):
            size /= 2
        a, b = a + size * step[0], b + size * step[1]
        if not _moves(step, size, tolerance):
            return a, b
    return None


def _moves(step: tuple[float, float], size: float, tolerance: float) -> bool:
    return size * max(abs(step[0]), abs(step[1])) > tolerance


def _linear(a: float, b: float, x: Sequence[float], offset: Sequence[float]) -> list[float]:
    return [a + b * value + shift for value, shift in zip(x, offset, strict=True)]


def _newton_step(
    x: Sequence[float], y: Sequence[int], eta: Sequence[float], *, free_slope: bool
) -> tuple[float, float] | None:
    """(sum of w(1, x)(1, x)ᵀ)⁻¹ · sum of (y − p)(1, x), with w = p(1 − p); None where singular."""
    chance = [_sigmoid(value) for value in eta]
    weight = [_sigmoid(value) * _sigmoid(-value) for value in eta]
    residual = [label - p for label, p in zip(y, chance, strict=True)]
    g0, h00 = math.fsum(residual), math.fsum(weight)
    if not free_slope:
        return (g0 / h00, 0.0) if h00 > 0 else None
    g1 = math.fsum(r * value for r, value in zip(residual, x, strict=True))
    h01 = math.fsum(w * value for w, value in zip(weight, x, strict=True))
    h11 = math.fsum(w * value * value for w, value in zip(weight, x, strict=True))
    determinant = h00 * h11 - h01 * h01
    if determinant <= 0:
        return None
    return (h11 * g0 - h01 * g1) / determinant, (h00 * g1 - h01 * g0) / determinant


def _sigmoid(value: float) -> float:
    """1 / (1 + e^−v), without overflow."""
    if value >= 0:
        return 1 / (1 + math.exp(-value))
    return math.exp(value) / (1 + math.exp(value))


def _log_likelihood(y: Sequence[int], eta: Sequence[float]) -> float:
    """Sum of y·η − log(1 + e^η)."""
    return math.fsum(
        label * value - max(value, 0.0) - math.log1p(math.exp(-abs(value)))
        for label, value in zip(y, eta, strict=True)
    )
