"""A1xx: values outside the range of their measure."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from assay.verification.lint.names.known_measures import ValueKind
from assay.verification.lint.printed_values import Sheet
from assay.verification.lint.rule import NOTHING, Breach, LintRule


def outside(sheet: Sheet, *kinds: ValueKind) -> Iterator[Breach]:
    """Find values of these kinds outside the range of their measure."""
    for figure in sheet.figures:
        if figure.name.kind not in kinds:
            continue
        low, high = figure.name.bounds
        if low is not None and figure.hi < low:
            yield Breach((figure,), f"{figure} is below {_shown(low)}")
        if high is not None and figure.lo > high:
            yield Breach((figure,), f"{figure} is above {_shown(high)}")


def not_whole(sheet: Sheet) -> Iterator[Breach]:
    """Find counts of one set that are not whole numbers."""
    for figure in sheet.figures:
        counted = figure.name.kind is ValueKind.COUNT and not sheet.averaged
        if counted and figure.value.value.denominator != 1:
            yield Breach((figure,), f"{figure} is not a whole number")


def _shown(limit: Fraction) -> str:
    return f"{float(limit):g}"


RULES = (
    LintRule(
        "A101",
        "impossible",
        "range of a share",
        "0 ≤ share ≤ 1",
        NOTHING,
        lambda sheet: outside(sheet, ValueKind.SHARE),
    ),
    LintRule(
        "A102",
        "impossible",
        "range of a correlation",
        "−1 ≤ MCC, κ, informedness, markedness ≤ 1",
        NOTHING,
        lambda sheet: outside(sheet, ValueKind.SIGNED),
    ),
    LintRule(
        "A103",
        "impossible",
        "range of a ratio",
        "ratios, mean K ≥ 0; 0 ≤ rates per 1000 ≤ 1000",
        NOTHING,
        lambda sheet: outside(sheet, ValueKind.RATIO, ValueKind.PER_1000),
    ),
    LintRule(
        "A104",
        "impossible",
        "range of a count",
        "counts ≥ 0",
        NOTHING,
        lambda sheet: outside(sheet, ValueKind.COUNT),
    ),
    LintRule(
        "A105",
        "impossible",
        "counts are whole",
        "TP, FP, TN, FN, n are whole numbers",
        "the column is from one set and not a mean",
        not_whole,
    ),
)
