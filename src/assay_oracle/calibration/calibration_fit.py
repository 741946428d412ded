"""Calibration slope and intercept: logistic regressions of the label on the logit of prob."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import compress
from operator import mul, not_

from assay_oracle.core.decision import prob
from assay_oracle.core.definition import Definition
from assay_oracle.core.logistic import fit, newton, odds_of, terms
from assay_oracle.core.measure import pooled
from assay_oracle.core.outcome import Summary
from assay_oracle.core.parameters import CLIP
from assay_oracle.core.reduction import NOTHING_DRAWN, Reduce, Reduction, Resampled
from assay_oracle.core.resamples import Counts, Resamples
from assay_oracle.core.rows import Row
from assay_oracle.core.sums import unit_sums

CLIPPED = {"clip": CLIP}
NOT_IDENTIFIED = Summary(0.0, "not_identified")
Labelled = tuple[float, bool]  # x and the label


def _point(row: Row, definition: Definition) -> Labelled:
    """X = log(p / (1 − p)) of p = min(max(prob, clip), 1 − clip), exact up to the logarithm; y."""
    clip = definition.number("clip")
    p = min(max(Fraction(prob(row, definition)), clip), 1 - clip)
    return math.log(p / (1 - p)), row.has_evidence


def _columns(points: Sequence[Labelled]) -> tuple[list[float], list[bool]]:
    return [x for x, _ in points], [y for _, y in points]


def _identified(x: Sequence[float], y: Sequence[bool], *, free_slope: bool) -> bool:
    """Return whether there are both classes and, for a slope, whether their x overlap.

    An overlap in a single point is not enough for a finite slope.
    """
    if all(y) or not any(y):
        return False
    if not free_slope:
        return True
    positive = list(compress(x, y))
    negative = list(compress(x, map(not_, y)))
    return max(negative) > min(positive) and max(positive) > min(negative)


def _fitted(*, free_slope: bool) -> Callable[[Reduce], Reduction]:
    """Return the maker of a reduction whose resamples are fitted by plain Newton steps.

    The likelihood has one optimum, so steps that settle have found it. If they do not settle, the
    value is that of as many copies of each row.
    """

    def via(value: Reduce) -> Reduction:
        def resample(points: Sequence[Labelled], units: Sequence[int], definition: Definition) -> Resampled:
            x, label = _columns(points)
            start = newton(x, label, [1] * len(x), (0.0, 1.0), free_slope=free_slope) or (0.0, 1.0)
            first_sums = unit_sums(units, terms(points, start)) if points else None
            odds = [] if free_slope else odds_of(x)

            def resampled(counts: Counts, sums: Sequence[float]) -> Summary:
                count = [counts[unit] for unit in units]
                drawn, known = list(compress(x, count)), list(compress(odds, count))
                y, many = list(compress(label, count)), list(compress(count, count))
                if not drawn:
                    return NOTHING_DRAWN
                if not _identified(drawn, y, free_slope=free_slope):
                    return NOT_IDENTIFIED
                found = newton(
                    drawn, list(map(mul, y, many)), many, start, sums, free_slope=free_slope, odds=known
                )
                if found is None:
                    points_drawn = zip(drawn, y, many, strict=True)
                    return value([point[:2] for point in points_drawn for _ in range(point[2])], definition)
                return Summary(found[1] if free_slope else found[0])

            def all_resampled(resamples: Resamples) -> list[Summary]:
                if first_sums is None:
                    return [NOTHING_DRAWN] * len(resamples.counts)
                return list(map(resampled, resamples.counts, first_sums(resamples)))

            return all_resampled

        return Reduction(value, resample, _point)

    return via


@pooled("calibration_slope", CLIPPED, via=_fitted(free_slope=True))
def slope(points: Sequence[Labelled], definition: Definition) -> Summary:
    """The b of the maximum-likelihood fit y ~ a + b·x, with x = logit(p clipped)."""
    if not _identified(*_columns(points), free_slope=True):
        return NOT_IDENTIFIED
    found = fit([(x, 0.0, y) for x, y in points], free_slope=True)
    return NOT_IDENTIFIED if found is None else Summary(found[1])


@pooled("calibration_intercept", CLIPPED, via=_fitted(free_slope=False))
def intercept(points: Sequence[Labelled], definition: Definition) -> Summary:
    """The a of the maximum-likelihood fit y ~ a + 1·x, with x = logit(p clipped) as an offset."""
    if not _identified(*_columns(points), free_slope=False):
        return NOT_IDENTIFIED
    found = fit([(0.0, x, y) for x, y in points], free_slope=False)
    return NOT_IDENTIFIED if found is None else Summary(found[0])
