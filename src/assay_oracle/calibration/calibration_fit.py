"""Calibration slope and intercept: logistic regressions of the label on the logit of prob."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from assay_oracle.core.decision import prob
from assay_oracle.core.definition import Definition
from assay_oracle.core.logistic import Point, fit, newton
from assay_oracle.core.measure import pooled
from assay_oracle.core.outcome import Summary
from assay_oracle.core.parameters import CLIP
from assay_oracle.core.reduction import NOTHING_DRAWN, Counts, Reduce, Reduction, Resampled, copies
from assay_oracle.core.rows import Row

CLIPPED = {"clip": CLIP}
NOT_IDENTIFIED = Summary(0.0, "not_identified")


def _points(rows: Sequence[Row], definition: Definition) -> list[tuple[float, bool]]:
    """X = log(p / (1 − p)) of p = min(max(prob, clip), 1 − clip), exact up to the logarithm; y."""
    clip = definition.number("clip")
    clipped = [min(max(Fraction(prob(row, definition)), clip), 1 - clip) for row in rows]
    logits = (math.log(p / (1 - p)) for p in clipped)
    return [(x, row.has_evidence) for x, row in zip(logits, rows, strict=True)]


def _identified(points: Sequence[tuple[float, bool]], *, free_slope: bool) -> bool:
    """Return whether there are both classes and, for a slope, whether their x overlap.

    An overlap in a single point is not enough for a finite slope.
    """
    positive = [x for x, label in points if label]
    negative = [x for x, label in points if not label]
    if not positive or not negative:
        return False
    overlap = max(negative) > min(positive) and max(positive) > min(negative)
    return overlap or not free_slope


def _fitted(*, free_slope: bool) -> Callable[[Reduce], Reduction]:
    """Return the maker of a reduction whose resamples are fitted by plain Newton steps.

    The likelihood has one optimum, so steps that settle have found it. If they do not settle, the
    value is that of as many copies of each row.
    """

    def via(value: Reduce) -> Reduction:
        def resample(rows: Sequence[Row], units: Sequence[int], definition: Definition) -> Resampled:
            points = _points(rows, definition)

            def resampled(counts: Counts) -> Summary:
                drawn: list[Point] = [
                    (x, label, counts[unit])
                    for (x, label), unit in zip(points, units, strict=True)
                    if counts[unit]
                ]
                if not drawn:
                    return NOTHING_DRAWN
                if not _identified([(x, y) for x, y, _ in drawn], free_slope=free_slope):
                    return NOT_IDENTIFIED
                found = newton(drawn, free_slope=free_slope)
                if found is None:
                    return value(copies(rows, units, counts), definition)
                return Summary(found[1] if free_slope else found[0])

            return resampled

        return Reduction(value, resample)

    return via


@pooled("calibration_slope", CLIPPED, via=_fitted(free_slope=True))
def slope(rows: Sequence[Row], definition: Definition) -> Summary:
    """The b of the maximum-likelihood fit y ~ a + b·x, with x = logit(p clipped)."""
    points = _points(rows, definition)
    if not _identified(points, free_slope=True):
        return NOT_IDENTIFIED
    found = fit([(x, 0.0, y) for x, y in points], free_slope=True)
    return NOT_IDENTIFIED if found is None else Summary(found[1])


@pooled("calibration_intercept", CLIPPED, via=_fitted(free_slope=False))
def intercept(rows: Sequence[Row], definition: Definition) -> Summary:
    """The a of the maximum-likelihood fit y ~ a + 1·x, with x = logit(p clipped) as an offset."""
    points = _points(rows, definition)
    if not _identified(points, free_slope=False):
        return NOT_IDENTIFIED
    found = fit([(0.0, x, y) for x, y in points], free_slope=False)
    return NOT_IDENTIFIED if found is None else Summary(found[0])
