"""Calibration slope and intercept under counts: Newton's method from perfect calibration."""

import math
from collections.abc import Callable, Sequence

from assay_oracle import logistic
from assay_oracle.definition import Definition
from assay_oracle.draws.sums import Counts, Reduce
from assay_oracle.rows import Row

STEPS = 30
TOLERANCE = 1e-12
FITS = ("calibration_slope", "calibration_intercept")
Point = tuple[float, bool, int]  # the logit of prob, the label, how often it counts


def of_fit(rows: Sequence[Row], units: Sequence[int], definition: Definition) -> Reduce:
    """The coefficient; 0 where no finite one exists or no query counts.

    The likelihood has one optimum, so plain steps that settle have found it; where they do not,
    the plain path decides on as many copies of each row.
    """
    x = logistic.logits(rows, definition)
    labels = [row.has_evidence for row in rows]
    free = definition.name == "calibration_slope"
    plain = logistic.slope if free else logistic.intercept
    step = _slope_step if free else _intercept_step

    def reduce(counts: Counts) -> float | None:
        points = [
            (value, label, counts[unit])
            for value, label, unit in zip(x, labels, units, strict=True)
            if counts[unit]
        ]
        if not points or not _identified(points, free):
            return 0.0
        found = _newton(points, step)
        if found is not None:
            return found[1] if free else found[0]
        pairs = zip(rows, units, strict=True)
        copies = [row for row, unit in pairs for _ in range(counts[unit])]
        return plain(copies, definition).value

    return reduce


def _identified(points: Sequence[Point], free: bool) -> bool:
    positive = [x for x, label, _ in points if label]
    negative = [x for x, label, _ in points if not label]
    if not positive or not negative:
        return False
    overlap = max(negative) > min(positive) and max(positive) > min(negative)
    return overlap or not free


def _newton(
    points: Sequence[Point],
    step: Callable[[Sequence[Point], float, float], tuple[float, float]],
) -> tuple[float, float] | None:
    a, b = 0.0, 1.0
    try:
        for _ in range(STEPS):
            da, db = step(points, a, b)
            a, b = a + da, b + db
            if max(abs(da), abs(db)) <= TOLERANCE * max(1.0, abs(a), abs(b)):
                return a, b
    except (OverflowError, ZeroDivisionError):
        return None
    return None


def _slope_step(points: Sequence[Point], a: float, b: float) -> tuple[float, float]:
    g0 = g1 = h00 = h01 = h11 = 0.0
    for x, label, count in points:
        odds = math.exp(-a - b * x)
        chance = 1 / (1 + odds)
        residual = count * (label - chance)
        weight = count * odds * chance * chance
        g0 += residual
        g1 += residual * x
        h00 += weight
        weight *= x
        h01 += weight
        h11 += weight * x
    determinant = h00 * h11 - h01 * h01
    return (h11 * g0 - h01 * g1) / determinant, (h00 * g1 - h01 * g0) / determinant


def _intercept_step(points: Sequence[Point], a: float, b: float) -> tuple[float, float]:
    g0 = h00 = 0.0
    for x, label, count in points:
        odds = math.exp(-a - x)
        chance = 1 / (1 + odds)
        g0 += count * (label - chance)
        h00 += count * odds * chance * chance
    return g0 / h00, 0.0
