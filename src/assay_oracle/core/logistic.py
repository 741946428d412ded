"""Logistic regression by Newton's method: a careful fit, and a quick one of counted points."""

import math
from collections.abc import Callable, Sequence
from operator import mul

STEPS = 100
QUICK_STEPS = 30
TOLERANCE = 1e-12  # of a step, relative to coefficients above 1
QUICK_TOLERANCE = 1e-8
NEXT_STEP = 1e-12
Coefficients = tuple[float, float]  # the intercept a and the slope b


def fit(data: Sequence[tuple[float, float, int]], *, free_slope: bool) -> Coefficients | None:
    """Fit y ~ a + b·x + offset to (x, offset, y), with step halving; b stays 0 unless it is free.

    None if it does not settle in STEPS steps.
    """
    x, offset, y = (list(column) for column in zip(*data, strict=True))
    a, b = 0.0, 0.0
    for _ in range(STEPS):
        eta = _linear(a, b, x, offset)
        step = _newton_step(x, y, eta, free_slope=free_slope)
        if step is None:
            return None
        before = _log_likelihood(y, eta)
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
    weight = [p * _sigmoid(-value) for p, value in zip(chance, eta, strict=True)]
    residual = [label - p for label, p in zip(y, chance, strict=True)]
    g0, h00 = math.fsum(residual), math.fsum(weight)
    if not free_slope:
        return (g0 / h00, 0.0) if h00 > 0 else None
    bent = list(map(mul, weight, x))
    g1, h01, h11 = math.fsum(map(mul, residual, x)), math.fsum(bent), math.fsum(map(mul, bent, x))
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


def newton(
    x: Sequence[float],
    hits: Sequence[int],
    count: Sequence[int],
    start: Coefficients,
    sums: Sequence[float] | None = None,
    *,
    free_slope: bool,
    odds: Sequence[float] | None = None,
) -> Coefficients | None:
    """Fit y ~ a + b·x without step halving; b stays 1 unless it is free.

    A point counts `count` times, `hits` of them with y = 1. `sums` are those of the points' `terms`
    at the start, and `odds` their e^−x, if they are known. Convergence is quadratic: after a step of
    size s, the next one would be K·s², and the last two steps tell K. None if it does not settle in
    QUICK_STEPS steps.
    """
    here, steps, before = sums, 0, 0.0
    a, b = start
    try:
        at = _slope_sums(x, hits, count) if free_slope else _shift_sums(odds or odds_of(x), hits, count)
        while steps < QUICK_STEPS:
            da, db = _step(at(a, b) if here is None else here, free_slope=free_slope)
            a, b, here, steps = a + da, b + db, None, steps + 1
            size = max(abs(da), abs(db)) / max(1.0, abs(a), abs(b))
            if size <= QUICK_TOLERANCE or size**3 <= NEXT_STEP * before**2:
                return a, b
            before = size
    except (OverflowError, ZeroDivisionError):
        return None
    return None


def terms(points: Sequence[tuple[float, bool]], at: Coefficients) -> list[tuple[float, ...]]:
    """Return r, r·x, w, w·x and w·x² of each point, with the residual r = y − p and w = p(1 − p)."""
    found: list[tuple[float, ...]] = []
    for x, label in points:
        chance = _sigmoid(at[0] + at[1] * x)
        weight = chance * _sigmoid(-at[0] - at[1] * x)
        found.append((label - chance, (label - chance) * x, weight, weight * x, weight * x * x))
    return found


Sums = Callable[[float, float], tuple[float, ...]]
"""From a and b to the number of points and the sums of their terms."""


def _slope_sums(x: Sequence[float], hits: Sequence[int], count: Sequence[int]) -> Sums:
    """Sum all terms; what does not depend on a and b is summed once."""
    y, yx, exp = sum(hits), sum(map(mul, hits, x)), math.exp

    def sums(a: float, b: float) -> tuple[float, ...]:
        chance = [1 / (1 + exp(-a - b * value)) for value in x]
        expected = list(map(mul, count, chance))
        weight = [many * (1 - p) for many, p in zip(expected, chance, strict=True)]
        bent = list(map(mul, weight, x))
        g0, g1 = y - sum(expected), yx - sum(map(mul, expected, x))
        return len(x), g0, g1, sum(weight), sum(bent), sum(map(mul, bent, x))

    return sums


def odds_of(x: Sequence[float]) -> list[float]:
    """Return e^−x of each point."""
    return [math.exp(-value) for value in x]


def _shift_sums(odds: Sequence[float], hits: Sequence[int], count: Sequence[int]) -> Sums:
    """Sum the terms without x: e^(−a−x) is e^−a times what is computed once per point."""
    y = sum(hits)

    def sums(a: float, b: float) -> tuple[float, ...]:
        scale = math.exp(-a)
        chance = [1 / (1 + scale * each) for each in odds]
        expected = list(map(mul, count, chance))
        total = sum(expected)
        return len(odds), y - total, 0.0, total - sum(map(mul, expected, chance)), 0.0, 0.0

    return sums


def _step(sums: Sequence[float], *, free_slope: bool) -> Coefficients:
    _, g0, g1, h00, h01, h11 = sums
    if not free_slope:
        return g0 / h00, 0.0
    determinant = h00 * h11 - h01 * h01
    return (h11 * g0 - h01 * g1) / determinant, (h00 * g1 - h01 * g0) / determinant
