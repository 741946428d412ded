"""The value of a measure for one query, and how a cut bounds a count."""

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Score:
    """An exact value; `convention` is the reason code where it is not the formula's own."""

    value: Fraction
    convention: str | None = None


def by_convention(reason: str) -> Score:
    """The 0 that stands where the formula has no value."""
    return Score(Fraction(0), reason)


def at_most(count: int, k: int | None) -> int:
    """min(count, k), with None for an infinite k."""
    return count if k is None else min(count, k)


def cut_size(k: int | None, n: int) -> int:
    """The k of a `denominator=k`: k itself, or n where there is no cut."""
    return n if k is None else k


def weighted_f(precision: Fraction, recall: Fraction, beta: Fraction) -> Fraction:
    """(1 + b²)·P·R / (b²·P + R); 0 where both are 0."""
    if precision == 0 and recall == 0:
        return Fraction(0)
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall)
