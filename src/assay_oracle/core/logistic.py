"""Logistic regression by Newton's method: a careful fit, and a quick one of counted points."""

import math
from collections.abc import Sequence

STEPS = 100
QUICK_STEPS = 30
TOLERANCE = 1e-12  # of a step, relative to coefficients above 1
Point = tuple[float, bool, int]  # x, the label, how often it counts
Coefficients = tuple[float, float]  # the intercept a and the slope b


def fit(data: Sequence[tuple[float, float, int]], *, free_slope: bool) -> Coefficients | None:
    """Fit y ~ a + b·x + offset to (x, offset, y), with step halving; b stays 0 unless it is free.

    None if it does not settle in STEPS steps.
    """
    x, offset, y = (list(column) for column in zip(*data, strict=True))
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


def _moves(step: Coefficients, size: float, tolerance: float) -> bool:
    return size * max(abs(step[0]), abs(step[1])) > tolerance


def _linear(a: float, b: float, x: Sequence[float], offset: Sequence[float]) -> list[float]:
    return [a + b * value + shift for value, shift in zip(x, offset, strict=True)]


def _newton_step(
    x: Sequence[float], y: Sequence[float], eta: Sequence[float], *, free_slope: bool
) -> Coefficients | None:
    """(sum of w(1, x)(1, x)ᵀ)⁻¹ · sum of (y − p)(1, x), with w = p(1 − p); None if singular."""
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


def _log_likelihood(y: Sequence[float], eta: Sequence[float]) -> float:
    """Sum of y·η − log(1 + e^η)."""
    return math.fsum(
        label * value - max(value, 0.0) - math.log1p(math.exp(-abs(value)))
        for label, value in zip(y, eta, strict=True)
    )


def newton(points: Sequence[Point], *, free_slope: bool) -> Coefficients | None:
    """Fit y ~ a + b·x from a = 0, b = 1, without step halving; b stays 1 unless it is free.

    None if it does not settle in QUICK_STEPS steps.
    """
    step = _slope_step if free_slope else _intercept_step
    a, b = 0.0, 1.0
    try:
        for _ in range(QUICK_STEPS):
            da, db = step(points, a, b)
            a, b = a + da, b + db
            if max(abs(da), abs(db)) <= TOLERANCE * max(1.0, abs(a), abs(b)):
                return a, b
    except (OverflowError, ZeroDivisionError):
        return None
    return None


def _slope_step(points: Sequence[Point], a: float, b: float) -> Coefficients:
    g0 = g1 = h00 = h01 = h11 = 0.0
    for x, label, count in points:
        odds = math.exp(-a - b * x)
        chance = 1 / (1 + odds)
        residual = count * (label - chance)
        weight = count * odds * chance * chance
        g0 += residual
        g1 += residual * x
        h00 += weight
        weight *= x
        h01 += weight
        h11 += weight * x
    determinant = h00 * h11 - h01 * h01
    return (h11 * g0 - h01 * g1) / determinant, (h00 * g1 - h01 * g0) / determinant


def _intercept_step(points: Sequence[Point], a: float, b: float) -> Coefficients:
    g0 = h00 = 0.0
    for x, label, count in points:
        odds = math.exp(-a - x)
        chance = 1 / (1 + odds)
        g0 += count * (label - chance)
        h00 += count * odds * chance * chance
    return g0 / h00, 0.0
