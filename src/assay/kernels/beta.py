"""The regularised incomplete beta function, and the exact binomial bounds that follow from it."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, floor, lgamma, log, log1p

Rising = Callable[[float], float]
TINY = 1e-300
STEPS = 10_000


def regularised_beta(a: float, b: float, x: float) -> float:
    """I_x(a, b) = ∫₀ˣ tᵃ⁻¹(1−t)ᵇ⁻¹ dt / B(a, b), by Lentz's continued fraction.

    The fraction converges fast where x < (a+1)/(a+b+2); elsewhere 1 − I_{1−x}(b, a) is used.
    """
    if x <= 0.0:
        return 0.0
    if x >= 1.0:
        return 1.0
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x))
    if x < (a + 1.0) / (a + b + 2.0):
        return front * _fraction(a, b, x) / a
    return 1.0 - front * _fraction(b, a, 1.0 - x) / b


def _fraction(a: float, b: float, x: float) -> float:
    c, d = 1.0, 1.0 - (a + b) * x / (a + 1.0)
    d = 1.0 / (d if abs(d) > TINY else TINY)
    value = d
    for m in range(1, STEPS):
        for step in (
            m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0)),
        ):
            d = 1.0 + step * d
            d = 1.0 / (d if abs(d) > TINY else TINY)
            c = 1.0 + step / c
            c = c if abs(c) > TINY else TINY
            value *= d * c
        if abs(d * c - 1.0) < 1e-16:
            break
    return value


def binomial_cdf(at_most: float, n: float, rate: float) -> float:
    """P(Bin(n, rate) ≤ at_most) = I_{1−rate}(n − at_most, at_most + 1).

    The right-hand side is defined for any real n and count, which is what an effective number of
    independent units needs.
    """
    if at_most >= n:
        return 1.0
    return 0.0 if at_most < 0 else regularised_beta(n - at_most, at_most + 1.0, 1.0 - rate)


def exact_bounds(hits: float, n: float, level: float) -> tuple[float, float]:
    """Clopper–Pearson: the rates under which as many hits, or as few, are not yet unlikely.

    lower: P(Bin(n, lower) ≥ hits) = (1 − level)/2; upper: P(Bin(n, upper) ≤ hits) = (1 − level)/2.
    """
    tail = (1.0 - level) / 2.0
    lower = 0.0 if hits <= 0 else _solve(lambda p: regularised_beta(hits, n - hits + 1.0, p), tail)
    if hits >= n:
        return lower, 1.0
    upper = _solve(lambda p: regularised_beta(hits + 1.0, n - hits, p), 1.0 - tail)
    return lower, upper


def _solve(rising: Rising, wanted: float) -> float:
    """Where a rising function of a rate reaches a value, by bisection to the last bit."""
    low, high = 0.0, 1.0
    while True:
        middle = (low + high) / 2.0
        if middle in (low, high):
            return middle
        if rising(middle) < wanted:
            low = middle
        else:
            high = middle


def units_needed(target: float, confidence: float) -> int:
    """Independent positives without a miss that show a rate of at least `target`.

    The smallest n with targetⁿ ≤ 1 − confidence.

    >>> units_needed(0.995, 0.9)
    460
    """
    exact = log(1.0 - confidence) / log(target)
    return floor(exact) + 1 if exact != floor(exact) else int(exact)
