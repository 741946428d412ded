"""A8xx, A9xx: standard deviations, confidence intervals, values of folds."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import sqrt

from assay.verification.lint.numbers import Quantity
from assay.verification.lint.printed_values import Figure, Sheet
from assay.verification.lint.rule import NOTHING, SAME, Breach, LintRule, allowance

ZERO_ONE = frozenset(["hit", "exact_match", "accuracy", "sensitivity", "specificity"])
CONSTANTS = (1.0, 1.645, 1.96, 2.0, 2.576, 3.0)
SLACK = Fraction(1, 10**9)
WIDE = 2
"""The most standard deviations that papers print after ±."""


def _limits(figure: Figure) -> tuple[Fraction, Fraction] | None:
    low, high = figure.name.bounds
    return None if low is None or high is None else (low, high)


def _factor(sheet: Sheet) -> Fraction:
    """Return n/(n−1), the greatest that the number of values allows; for two values if unknown."""
    folds = sheet.given.folds
    number = folds.values if folds is not None and folds.values > 1 else 2
    return Fraction(number, number - 1)


def std_too_large(sheet: Sheet) -> Iterator[Breach]:
    """Check that values in [lo, hi] with mean m have a variance ≤ (m − lo)(hi − m)·n/(n − 1)."""
    factor = _factor(sheet)
    for figure in sheet.figures:
        if figure.std is None:
            continue
        if figure.std.hi < 0:
            yield Breach((figure,), f"{figure} ± {figure.std.text}: a std cannot be negative")
            continue
        ends = _limits(figure)
        if ends is None:
            continue
        low, high = ends
        at = min(max((low + high) / 2, figure.lo), figure.hi)
        at = min(max(at, low), high)
        most = (at - low) * (high - at) * factor
        if figure.plus_minus:
            most *= WIDE**2
        if figure.std.lo > 0 and figure.std.lo**2 > most + SLACK:
            numbers = f"{figure} ± {figure.std.text}: at most ± {sqrt(most):.4f}"
            yield Breach((figure,), numbers, allowance([figure, figure.std]))


def _ends(figure: Figure) -> str:
    low, high = figure.interval if figure.interval is not None else (figure.value, figure.value)
    return f"{figure} [{low.text}, {high.text}]"


def _symmetric(figure: Figure) -> bool:
    """Return whether the interval is value ± something, within rounding, like a normal one."""
    if figure.interval is None:
        return False
    low, high = figure.interval
    slack = low.half + high.half + 2 * figure.value.half
    return abs((high.value - figure.value.value) - (figure.value.value - low.value)) <= slack


def interval_cannot_be(sheet: Sheet) -> Iterator[Breach]:
    """Check for ends in the wrong order, or outside the range of the measure."""
    for figure in sheet.figures:
        if figure.interval is None:
            continue
        low, high = figure.interval
        rounding = allowance([low, high])
        if low.lo > high.hi:
            yield Breach((figure,), f"{_ends(figure)}: the lower end is above the upper", rounding)
            continue
        ends = _limits(figure)
        if ends is None:
            continue
        out = [end.text for end in (low, high) if end.lo > ends[1] or end.hi < ends[0]]
        if len(out) == 2 or (out and not _symmetric(figure)):
            text = f"{_ends(figure)}: {' and '.join(out)} not in [{ends[0]}, {ends[1]}]"
            yield Breach((figure,), text, rounding)


def interval_beyond(sheet: Sheet) -> Iterator[Breach]:
    """Check the range of an interval: value ± c·se may leave it, a percentile interval cannot."""
    for figure in sheet.figures:
        ends = _limits(figure)
        if figure.interval is None or ends is None or not _symmetric(figure):
            continue
        out = [e.text for e in figure.interval if e.lo > ends[1] or e.hi < ends[0]]
        if len(out) == 1:
            text = f"{_ends(figure)}: {out[0]} not in [{ends[0]}, {ends[1]}]"
            yield Breach((figure,), text, allowance(figure.interval))


def estimate_outside(sheet: Sheet) -> Iterator[Breach]:
    """Check for an interval without its own estimate; for ECE that can be correct."""
    for figure in sheet.figures:
        if figure.interval is None:
            continue
        low, high = figure.interval
        if low.lo <= high.hi and (figure.hi < low.lo or figure.lo > high.hi):
            yield Breach(
                (figure,), f"{_ends(figure)}: the estimate is not inside", allowance([figure, low, high])
            )


def _multiple(figure: Figure) -> tuple[Fraction, Fraction] | None:
    """Return the range of c in value ± c·std if the interval is symmetric and printed finely."""
    if figure.interval is None or figure.std is None or figure.std.lo <= 0 or not _symmetric(figure):
        return None
    low, high = figure.interval
    width, slack = high.value - low.value, low.half + high.half
    if width <= 20 * slack or figure.std.value <= 10 * figure.std.half:
        return None
    return (width - slack) / 2 / figure.std.hi, (width + slack) / 2 / figure.std.lo


def interval_of_std(sheet: Sheet) -> Iterator[Breach]:
    """Check for the same c for several values, or a textbook c for one."""
    found = [(f, c) for f in sheet.figures if (c := _multiple(f)) is not None]
    if not found:
        return
    low, high = max(c[0] for _, c in found), min(c[1] for _, c in found)
    folds = sheet.given.folds
    roots = [1.0] if folds is None else [1.0, sqrt(folds.values)]
    textbook = any(low <= c / root <= high for c in CONSTANTS for root in roots)
    if low <= high and (len(found) > 1 or textbook):
        figures = tuple(figure for figure, _ in found)
        yield Breach(
            figures,
            f"{', '.join(map(_ends, figures))}: value ± c·std with c from {float(low):.3f} to "
            f"{float(high):.3f}",
        )


def std_of_queries(sheet: Sheet) -> Iterator[Breach]:
    """Check that means of many queries vary less than the queries."""
    for figure in sheet.figures:
        if figure.std is None or figure.std.lo <= 0:
            continue
        if figure.query_std is not None:
            if figure.std.lo >= figure.query_std.hi:
                text = f"{figure} ± {figure.std.text}: over queries it is {figure.query_std.text}"
                yield Breach((figure,), text, allowance([figure.std, figure.query_std]))
            continue
        single = figure.name.key in ZERO_ONE or (
            figure.name.cut == 1 and figure.name.key in ("ndcg", "precision", "mrr")
        )
        folds = sheet.given.folds
        if folds is None or not single or not 0 < figure.lo < figure.hi < 1:
            continue
        least = min(figure.lo * (1 - figure.lo), figure.hi * (1 - figure.hi))
        if figure.std.hi**2 >= least * Fraction(81, 100) and _factor(sheet) * least >= figure.std.lo**2:
            text = f"{figure} ± {figure.std.text}: single queries vary by ± {sqrt(least):.4f}"
            yield Breach((figure,), text, allowance([figure, figure.std]))


def _mean(folds: tuple[Quantity, ...]) -> tuple[Fraction, Fraction]:
    none = Fraction(0)
    low, high = sum((f.lo for f in folds), none), sum((f.hi for f in folds), none)
    return low / len(folds), high / len(folds)


def fold_mean(sheet: Sheet) -> Iterator[Breach]:
    """Check that the printed mean is the mean of the printed folds."""
    for figure in sheet.figures:
        if len(figure.folds) < 2 or not (figure.is_fold_mean or figure.std is not None):
            continue
        low, high = _mean(figure.folds)
        if figure.hi < low - SLACK or figure.lo > high + SLACK:
            listed = ", ".join(fold.text for fold in figure.folds)
            numbers = f"{figure}: folds {listed} have the mean {float((low + high) / 2):.5f}"
            yield Breach((figure,), numbers, allowance([figure, *figure.folds]))


# Student's t at 97.5% by degrees of freedom, for the half-width of an interval of few folds.
STUDENT = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262}


def _factors(number: int) -> tuple[float, ...]:
    root = 1 / sqrt(number)
    student = STUDENT.get(number - 1, 1.96)
    return (1.0, 2.0, 1.96, root, 1.96 * root, 2 * root, student * root)


def fold_std(sheet: Sheet) -> Iterator[Breach]:
    """Check that the printed std is that of the printed folds, with n − 1 or with n.

    After ±, papers also print two standard deviations, the standard error, or the half-width of a
    95% interval.
    """
    for figure in sheet.figures:
        number = len(figure.folds)
        if number < 2 or figure.std is None:
            continue
        values = [fold.value for fold in figure.folds]
        mean = sum(values) / number
        squares = sum((value - mean) ** 2 for value in values)
        slack = max(float(fold.half) for fold in figure.folds) * sqrt(number / (number - 1))
        slack += float(figure.std.half) + 1e-9
        found = [sqrt(squares / (number - 1)), sqrt(squares / number)]
        factors = _factors(number) if figure.plus_minus else (1.0,)
        wanted = [(factor, std * factor) for factor in factors for std in found]
        if all(abs(float(figure.std.value) - std) > slack * max(f, 1) for f, std in wanted):
            listed = ", ".join(fold.text for fold in figure.folds)
            numbers = f"{figure} ± {figure.std.text}: folds {listed} have {found[0]:.5f}"
            yield Breach((figure,), numbers, allowance([figure.std, *figure.folds]))


RULES = (
    LintRule(
        "A801",
        "impossible",
        "std too large",
        "0 ≤ std ≤ √(m(1 − m)·n/(n − 1)) for values in [0, 1]",
        "n is the number of folds, else at least 2; ± may be two standard deviations",
        std_too_large,
    ),
    LintRule(
        "A802",
        "impossible",
        "impossible interval",
        "low ≤ high, both within the range of the measure",
        NOTHING,
        interval_cannot_be,
    ),
    LintRule(
        "A803",
        "unusual",
        "interval beyond the range",
        "an interval is within the range of its measure",
        "a normal approximation may leave it",
        interval_beyond,
    ),
    LintRule(
        "A804",
        "unusual",
        "estimate outside its interval",
        "low ≤ estimate ≤ high",
        "a percentile interval of a biased measure, such as ECE, may exclude it",
        estimate_outside,
    ),
    LintRule(
        "A805",
        "unusual",
        "interval derived from the std",
        "a bootstrap interval is not exactly value ± c·std",
        NOTHING,
        interval_of_std,
    ),
    LintRule(
        "A806",
        "unusual",
        "std as large as one over queries",
        "a std of fold means is well below the std of single queries",
        "± is over folds of many queries",
        std_of_queries,
    ),
    LintRule(
        "A901",
        "impossible",
        "mean of folds",
        "the printed mean is the mean of the printed folds",
        SAME,
        fold_mean,
    ),
    LintRule(
        "A902",
        "impossible",
        "std of folds",
        "the printed std is the std of the printed folds, with n − 1 or n",
        SAME + "; ± may also be 2 std, a standard error or half a 95% interval",
        fold_std,
    ),
)
