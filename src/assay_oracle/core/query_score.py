"""The value of a measure for one query, and pieces that several formulas share."""

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Score:
    """An exact value; `convention` is the reason code if it does not follow from the formula."""

    value: Fraction
    convention: str | None = None


def by_convention(reason: str) -> Score:
    """Return 0, the value by convention if the formula has none."""
    return Score(Fraction(0), reason)


def at_most(count: int, k: int | None) -> int:
    """Return min(count, k), where k = None means infinity."""
    return count if k is None else min(count, k)


def cut_size(k: int | None, n: int) -> int:
    """Return the k of `denominator=k`: k itself, or n if there is no cut."""
    return n if k is None else k


def weighted_f(precision: Fraction, recall: Fraction, beta: Fraction) -> Fraction:
    """Return (1 + b²)·P·R / (b²·P + R); 0 if both are 0."""
    if precision == 0 and recall == 0:
        return Fraction(0)
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall)


def two_to_the(grade: Fraction) -> Fraction:
    """Return 2^grade: exact for a whole grade, else the nearest float."""
    return Fraction(Fraction(2) ** grade)
