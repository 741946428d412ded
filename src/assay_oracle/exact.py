"""Exact (Clopper–Pearson) bounds of a rate."""

from collections.abc import Callable
from fractions import Fraction

from assay_oracle.beta import Real, incomplete_beta


def bounds(hits: Real, n: Real, level: float) -> tuple[float, float]:
    """The rates at which P(Bin(n, p) >= hits), and P(Bin(n, p) <= hits), are (1 − level)/2.

    The lower one is 0 where there are no hits, the upper one 1 where all are. Neither count need be
    whole: P(Bin(n, p) >= h) is I_p(h, n − h + 1).
    """
    if not 0 <= hits <= n:
        raise ValueError(f"hits is {hits}; expected 0 to n = {n}")
    if not 0 < level < 1:
        raise ValueError(f"level is {level}; expected a number between 0 and 1, both excluded")
    found, missed = Fraction(hits), Fraction(n) - Fraction(hits)
    tail = (1 - Fraction(level)) / 2
    low = _crossing(lambda p: incomplete_beta(p, found, missed + 1) >= tail) if found else 0.0
    high = _crossing(lambda p: incomplete_beta(1 - p, missed, found + 1) <= tail) if missed else 1.0
    return low, high


def _crossing(passed: Callable[[Fraction], bool]) -> float:
    """Bisect for the p from 0 to 1 at which `passed` turns true, until no float lies between."""
    low, high = 0.0, 1.0
    while low < (middle := (low + high) / 2) < high:
        if passed(Fraction(middle)):
            high = middle
        else:
            low = middle
    return high
