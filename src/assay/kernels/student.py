"""P values of Student's t and of the normal, without SciPy."""

from __future__ import annotations

import math

from assay.kernels.beta import incomplete_beta


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
