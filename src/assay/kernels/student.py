"""Student's t without SciPy: the regularised incomplete beta function by its continued fraction."""

from __future__ import annotations

import math

TINY = 1e-300
PRECISION = 1e-16
STEPS = 100_000


def incomplete_beta(a: float, b: float, x: float, rest: float | None = None) -> float:
    """I_x(a, b), for a, b > 0 and x in [0, 1]. `rest` is 1 − x, for callers that have it exactly.

    The continued fraction converges fast below (a + 1) / (a + b + 2); above it, I_x(a, b) =
    1 − I_{1−x}(b, a) is taken.
    """
    y = 1.0 - x if rest is None else rest
    if x <= 0.0 or y <= 0.0:
        return float(y <= 0.0)
    log_beta = math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    front = math.exp(a * math.log(x) + b * math.log(y) - log_beta)
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(a, b, x) / a
    return 1.0 - front * _fraction(b, a, y) / b


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction, from its front (modified Lentz)."""
    c, d = 1.0, 1.0 / _nonzero(1.0 - (a + b) * x / (a + 1.0))
    value = d
    for m in range(1, STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1.0 / _nonzero(1.0 + term * d)
            c = _nonzero(1.0 + term / c)
            step = c * d
            value *= step
        if abs(step - 1.0) < PRECISION:
            break
    return value


def _nonzero(value: float) -> float:
    return value if abs(value) > TINY else TINY


def two_sided_p(t: float, df: float) -> float:
    """P(|T| ≥ |t|) of Student's t with `df` degrees of freedom: I_{df/(df+t²)}(df/2, 1/2).

    Never 0: the smallest positive number where it would vanish.
    """
    total = df + t * t
    p = incomplete_beta(df / 2.0, 0.5, df / total, t * t / total)
    return min(1.0, max(p, math.ulp(0.0)))


def normal_two_sided_p(z: float) -> float:
    """P(|Z| ≥ |z|) of the standard normal; never 0."""
    return max(math.erfc(abs(z) / math.sqrt(2.0)), math.ulp(0.0))
