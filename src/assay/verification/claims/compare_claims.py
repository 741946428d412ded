"""Compare one claimed value with every definition that its name could mean."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

from assay.evaluation.result import Result, Value
from assay.verification.claims.claim_report import MATCH, NONE, OTHER, UNKNOWN, Claim
from assay.verification.claims.explain import apart, difference
from assay.verification.lint.printed_values import Figure

POOLED, FOLDS = "", "as the mean over folds"
SLACK = Fraction(1, 10**12)
"""What floating-point sums may move a value across the end of a rounding interval."""


def judged(figure: Figure, ids: Sequence[str], result: Result) -> Claim:
    """Return the first definition that gives the printed value, else the nearest one."""
    label, claimed = figure.label, figure.value.text
    if not ids:
        return Claim(label, claimed, UNKNOWN, why="assay has no such measure")
    found = {value.name: value for value in result.measures}
    known = [found[each] for each in ids if each in found]
    if not known:
        reasons = dict.fromkeys(result.absent.get(each, "") for each in ids)
        return Claim(label, claimed, UNKNOWN, why=next(filter(None, reasons), "not available"))
    first = known[0]
    # A value set by convention, such as 0.5 for an AUROC of one class, explains no claim.
    meant = [value for value in known if value.convention is None or value is first]
    values = [(value, number, how) for value in meant for number, how in _numbers(value)]
    hits = [each for each in values if _prints_as(figure, each[1])]
    if not hits:
        near = min(values, key=lambda each: abs(each[1] - float(figure.value.value)))
        why = f"{len(known)} definitions tried; the nearest gives {near[1]:.6g}"
        return Claim(label, claimed, NONE, near[0].definition, near[1], first.definition, first.pooled, why)
    value, number, how = min(hits, key=lambda each: _unlikely(each[0], first))
    others = len({each[0].definition for each in hits}) - 1
    if value is first:
        why = how
        return Claim(
            label, claimed, MATCH, value.definition, number, first.definition, first.pooled, why, others
        )
    why = f"{claimed} is {difference(value.definition, first.definition)} {how}".rstrip()
    if others:
        why += f" (or one of {others} other definitions that give it)"
    return Claim(label, claimed, OTHER, value.definition, number, first.definition, first.pooled, why, others)


def _unlikely(value: Value, expected: Value) -> tuple[int, bool]:
    """Return how far a definition is from the expected one; of equals, that over all queries is plainest."""
    return apart(value.definition, expected.definition), value.population != "all"


def _numbers(value: Value) -> Iterator[tuple[float, str]]:
    """Yield the values that a definition has: over all queries, and the mean over folds."""
    if math.isfinite(value.pooled):
        yield value.pooled, POOLED
    if value.folds is not None and math.isfinite(value.folds.mean):
        yield value.folds.mean, FOLDS


def _prints_as(figure: Figure, number: float) -> bool:
    """Return whether a value could have been printed like this, whatever the rounding of halves."""
    return figure.lo - SLACK <= Fraction(number) <= figure.hi + SLACK
