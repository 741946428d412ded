"""A7xx: printed improvements and differences compared with the values they are between."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations

from assay.verification.lint.numbers import Quantity
from assay.verification.lint.printed_values import Change, Figure
from assay.verification.lint.rule import Breach, LintRule, allowance

Range = tuple[Fraction, Fraction]


def relative(a: Figure, b: Figure) -> Range | None:
    """Return (b − a)/a for everything that prints as a and b; None if a may be 0 or negative."""
    if a.lo <= 0:
        return None
    low = (b.lo - a.hi) / a.hi if b.lo >= 0 else (b.lo - a.lo) / a.lo
    high = (b.hi - a.lo) / a.lo if b.hi >= 0 else (b.hi - a.hi) / a.hi
    return low, high


def difference(a: Figure, b: Figure) -> Range:
    """Return b − a within the rounding of both."""
    return b.lo - a.hi, b.hi - a.lo


def _meets(printed: Range, wanted: Range | None) -> bool:
    return wanted is None or (printed[0] <= wanted[1] and wanted[0] <= printed[1])


def _readings(printed: Quantity) -> list[Range]:
    """Yield the readings of a change: without a percent sign, it may be a share or in percent."""
    whole = (printed.lo, printed.hi)
    if printed.percent:
        return [whole]
    return [whole, (printed.lo / 100, printed.hi / 100)]


def follows(change: Change, a: Figure, b: Figure) -> bool:
    """Return whether the printed change is the relative one or the difference, from a to b."""
    for reading in _readings(change.printed):
        signs = [reading, (-reading[1], -reading[0])] if change.lower_is_better else [reading]
        for each in signs:
            if _meets(each, relative(a, b)) or _meets(each, difference(a, b)):
                return True
    return False


def does_not_follow(change: Change) -> Iterator[Breach]:
    """Check that some pair of the systems gives the printed change, in either direction."""
    figures = [figure for _, figure in change.figures]
    if any(follows(change, a, b) for a, b in permutations(figures, 2)):
        return
    a, b = figures[0], figures[-1]
    wanted = relative(a, b)
    middle = b.value.value / a.value.value - 1 if a.value.value else None
    should = "" if middle is None else f"; should be {100 * float(middle):+.2f}%"
    if wanted is not None:
        should += f" ({100 * float(wanted[0]):+.2f}% to {100 * float(wanted[1]):+.2f}% with rounding)"
    if len(figures) > 2:
        should = "; no pair of the systems gives it"
    listed = " → ".join(figure.value.text for figure in figures)
    printed = change.printed.text
    yield Breach(
        tuple(figures),
        f"{change.label} {listed}: printed {printed}{should}",
        allowance([*figures, change.printed]),
    )


RULES = (
    LintRule(
        "A701",
        "impossible",
        "change that does not follow",
        "improvement = (b − a)/a, or difference = b − a, of the two printed values",
        "the change is that of the printed means, not a mean of changes per fold",
        change=does_not_follow,
    ),
)
