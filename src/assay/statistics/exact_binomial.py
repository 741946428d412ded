"""The regularised incomplete beta function, and the exact binomial bounds that follow from it."""

from __future__ import annotations

from functools import lru_cache
from math import exp, floor, lgamma, log

TINY = 1e-300
PRECISION = 1e-16
STEPS = 100_000
LARGEST = 700.0
"""Largest exponent: exp of it is still a float."""


def incomplete_beta(a: float, b: float, x: float, rest: float | None = None) -> float:
    """I_x(a, b), for a, b > 0 and x in [0, 1]. `rest` is 1 − x, for callers that have it exactly.

    The continued fraction converges fast below (a + 1) / (a + b + 2); above it, I_x(a, b) =
    1 − I_{1−x}(b, a) is taken.
    """
    y = 1.0 - x if rest is None else rest
    if x <= 0.0 or y <= 0.0:
        return float(y <= 0.0)
    front = exp(a * log(x) + b * log(y) - _log_beta(a, b))
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(a, b, x) / a
    return 1.0 - front * _fraction(b, a, y) / b


def _log_beta(a: float, b: float) -> float:
    return lgamma(a) + lgamma(b) - lgamma(a + b)


def _fraction(a: float, b: float, x: float) -> float:
    """Return the continued fraction, from its front (modified Lentz)."""
    c, d = 1.0, 1.0 / _nonzero(1.0 - (a + b) * x / (a + 1.0))
    value = d
    for m in range(1, STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d, c = 1.0 + term * d, 1.0 + term / c
            if abs(d) <= TINY or abs(c) <= TINY:
                d, c = _nonzero(d), _nonzero(c)
            d = 1.0 / d
            step = c * d
            value *= step
        if abs(step - 1.0) < PRECISION:
            break
    return value


def _nonzero(value: float) -> float:
    return value if abs(value) > TINY else TINY


def binomial_cdf(at_most: float, n: float, rate: float) -> float:
    """P(Bin(n, rate) ≤ at_most) = I_{1−rate}(n − at_most, at_most + 1).

    The right-hand side is defined for any real n and count, which is what an effective number of
    independent units needs.
    """
    if at_most >= n:
        return 1.0
    return 0.0 if at_most < 0 else incomplete_beta(n - at_most, at_most + 1.0, 1.0 - rate, rate)


@lru_cache(4096)
def exact_bounds(hits: float, n: float, level: float) -> tuple[float, float]:
    """Clopper–Pearson: the rates under which as many hits, or as few, are not yet unlikely.

    lower: P(Bin(n, lower) ≥ hits) = (1 − level)/2; upper: P(Bin(n, upper) ≤ hits) = (1 − level)/2.
    """
    tail = (1.0 - level) / 2.0
    lower = 0.0 if hits <= 0 else _solve(hits, n - hits + 1.0, tail)
    upper = 1.0 if hits >= n else _solve(hits + 1.0, n - hits, 1.0 - tail)
    return lower, upper


def _solve(a: float, b: float, wanted: float) -> float:
    """Return the rate p at which I_p(a, b) reaches a value: Newton's steps from the mean.

    Where a step leaves the floats that are left, these are halved instead.
    """
    low, high = 0.0, 1.0
    rate, log_beta = a / (a + b), _log_beta(a, b)
    while low < rate < high:
        excess = incomplete_beta(a, b, rate) - wanted
        low, high = (rate, high) if excess < 0 else (low, rate)
        density = (a - 1.0) * log(rate) + (b - 1.0) * log(1.0 - rate) - log_beta
        step = excess * exp(min(-density, LARGEST))
        if abs(step) <= rate * PRECISION:
            break
        guess = rate - step
        rate = guess if low < guess < high else (low + high) / 2.0
    return rate


def units_needed(target: float, confidence: float) -> int:
    """Independent positives without a miss that show a rate of at least `target`.

    The smallest n with targetⁿ ≤ 1 − confidence.

    >>> units_needed(0.995, 0.9)
    460
    """
    exact = log(1.0 - confidence) / log(target)
    return floor(exact) + 1 if exact != floor(exact) else int(exact)
