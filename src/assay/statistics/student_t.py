"""P values of Student's t and of the normal, without SciPy."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

from assay.statistics.exact_binomial import incomplete_beta

STEPS = 100
"""Of Newton's method; it takes fewer than ten where the tail is not extreme."""


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


def upper_p(t: float, df: float) -> float:
    """P(T ≥ t) of Student's t; never 0."""
    half = two_sided_p(t, df) / 2.0
    return max(half, math.ulp(0.0)) if t >= 0 else 1.0 - half


@lru_cache(maxsize=256)
def t_quantile(share: float, df: float) -> float:
    """Return the t with P(T ≤ t) = share, for a share above one half.

    Newton's method from the quantile of the normal, which lies below; the tail is convex there, so the
    steps approach the quantile from below and never pass it.

    >>> round(t_quantile(0.95, 29), 3)
    1.699
    """
    t = NormalDist().inv_cdf(share)
    log_scale = math.lgamma((df + 1) / 2) - math.lgamma(df / 2) - math.log(df * math.pi) / 2
    for _ in range(STEPS):
        density = math.exp(log_scale - (df + 1) / 2 * math.log1p(t * t / df))
        step = (upper_p(t, df) - (1 - share)) / density
        t += step
        if abs(step) <= 1e-13 * t:
            break
    return t
