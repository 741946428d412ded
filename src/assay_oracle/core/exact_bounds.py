"""Exact (Clopper–Pearson) bounds of a rate."""

from collections.abc import Callable
from fractions import Fraction
from itertools import count
from math import copysign, ulp

from assay_oracle.core.beta import Real, incomplete_beta, rough_beta

AROUND = 1e-11


def bounds(hits: Real, n: Real, level: float) -> tuple[float, float]:
    """Return the rates p at which P(Bin(n, p) >= hits) and P(Bin(n, p) <= hits) are (1 − level)/2.

    The lower bound is 0 without hits, the upper one 1 if all trials are hits. The counts need not
    be whole: P(Bin(n, p) >= h) is I_p(h, n − h + 1).
    """
    if not 0 <= hits <= n:
        raise ValueError(f"hits is {hits}; expected 0 to n = {n}")
    if not 0 < level < 1:
        raise ValueError(f"level is {level}; expected a number between 0 and 1, both excluded")
    found, missed = Fraction(hits), Fraction(n) - Fraction(hits)
    tail = (1 - Fraction(level)) / 2
    low, high = 0.0, 1.0
    if found:
        low = _crossing(
            lambda p: Fraction(incomplete_beta(p, found, missed + 1)) - tail,
            _near(float(found), float(missed + 1), float(tail)),
        )
    if missed:
        high = _crossing(
            lambda p: tail - Fraction(incomplete_beta(1 - p, missed, found + 1)),
            1 - _near(float(missed), float(found + 1), float(tail)),
        )
    return low, high


def _near(a: float, b: float, tail: float) -> float:
    """Return roughly the p at which I_p(a, b) is `tail`, by bisection."""
    low, high = 0.0, 1.0
    while high - low > 1e-14:
        middle = (low + high) / 2
        low, high = (middle, high) if rough_beta(middle, a, b) < tail else (low, middle)
    return high


def _crossing(excess: Callable[[Fraction], Fraction], near: float) -> float:
    """Return the smallest float from 0 to 1 at which an increasing `excess` is not negative.

    By false position, until no float lies between the two ends. It starts from an interval around
    `near` if that contains the root, else from 0 and 1. A guess is moved slightly towards the
    middle, so that both ends close in; the value at an end that stays is halved (the Illinois
    rule); and every sixth guess is the middle, whatever the function.
    """
    for low, high in ((max(near - AROUND, 0.0), min(near + AROUND, 1.0)), (0.0, 1.0)):
        below, above = float(excess(Fraction(low))), float(excess(Fraction(high)))
        if below < 0 <= above:
            break
    before: bool | None = None
    for number in count(1):
        middle, width = (low + high) / 2, high - low
        if not low < middle < high:
            break
        line = low - below * width / (above - below)
        guess = line + copysign(max(width**2, ulp(line)), middle - line)
        if number % 6 == 0 or not low < guess < high:
            guess = middle
        value = excess(Fraction(guess))
        passed = value >= 0
        if passed:
            high, above = guess, float(value)
            below /= 2 if before is True else 1
        else:
            low, below = guess, float(value)
            above /= 2 if before is False else 1
        before = passed
    return high
