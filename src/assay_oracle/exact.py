"""Exact (Clopper–Pearson) bounds of a rate."""

from collections.abc import Callable
from fractions import Fraction
from itertools import count
from math import copysign, ulp

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
    low = (
        0.0
        if not found
        else _crossing(lambda p: Fraction(incomplete_beta(p, found, missed + 1)) - tail)
    )
    high = (
        1.0
        if not missed
        else _crossing(lambda p: tail - Fraction(incomplete_beta(1 - p, missed, found + 1)))
    )
    return low, high


def _crossing(excess: Callable[[Fraction], Fraction]) -> float:
    """The smallest float from 0 to 1 at which a rising `excess` is no longer negative.

    By false position, until no float lies between. A guess is moved a little towards the middle,
    so that both ends close in; an end that stays where it is counts half from then on (the Illinois
    rule); and every sixth guess is the middle, whatever the function.
    """
    low, high = 0.0, 1.0
    below, above = float(excess(Fraction(0))), float(excess(Fraction(1)))
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
