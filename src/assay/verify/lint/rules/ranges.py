"""A1xx: values that no measure of that name can have."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from assay.verify.lint.known import Kind
from assay.verify.lint.model import Sheet
from assay.verify.lint.rule import NOTHING, Breach, Rule

BOUNDS: dict[Kind, tuple[Fraction | None, Fraction | None]] = {
    Kind.SHARE: (Fraction(0), Fraction(1)),
    Kind.SIGNED: (Fraction(-1), Fraction(1)),
    Kind.RATIO: (Fraction(0), None),
    Kind.COUNT: (Fraction(0), None),
    Kind.PER_1000: (Fraction(0), Fraction(1000)),
    Kind.NUMBER: (None, None),
}


def outside(sheet: Sheet, *kinds: Kind) -> Iterator[Breach]:
    """Figures outside the range of their kind."""
    for figure in sheet.figures:
        if figure.name.kind not in kinds:
            continue
        low, high = BOUNDS[figure.name.kind]
        if low is not None and figure.hi < low:
            yield Breach((figure,), f"{figure} is below {low}")
        if high is not None and figure.lo > high:
            yield Breach((figure,), f"{figure} is above {high}")


def not_whole(sheet: Sheet) -> Iterator[Breach]:
    """Counts of one set that are no whole numbers."""
    for figure in sheet.figures:
        counted = figure.name.kind is Kind.COUNT and not sheet.averaged
        if counted and figure.value.value.denominator != 1:
            yield Breach((figure,), f"{figure} is not a whole number")


RULES = (
    Rule(
        "A101",
        "impossible",
        "range of a share",
        "0 ≤ share ≤ 1",
        NOTHING,
        lambda sheet: outside(sheet, Kind.SHARE),
    ),
    Rule(
        "A102",
        "impossible",
        "range of a correlation",
        "−1 ≤ MCC, κ, informedness, markedness ≤ 1",
        NOTHING,
        lambda sheet: outside(sheet, Kind.SIGNED),
    ),
    Rule(
        "A103",
        "impossible",
        "range of a ratio",
        "ratios, mean K ≥ 0; 0 ≤ rates per 1000 ≤ 1000",
        NOTHING,
        lambda sheet: outside(sheet, Kind.RATIO, Kind.PER_1000),
    ),
    Rule(
        "A104",
        "impossible",
        "range of a count",
        "counts ≥ 0",
        NOTHING,
        lambda sheet: outside(sheet, Kind.COUNT),
    ),
    Rule(
        "A105",
        "impossible",
        "counts are whole",
        "TP, FP, TN, FN, n are whole numbers",
        "the column is of one set and not a mean",
        not_whole,
    ),
)
