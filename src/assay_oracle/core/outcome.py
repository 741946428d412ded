"""The results of an evaluation, and the statistics they contain."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from assay_oracle.core.query_score import Score


@dataclass(frozen=True)
class Summary:
    """The value over a set of queries; std, median and quartiles only if it is a mean."""

    value: float | None
    reason: str | None = None
    by_convention: dict[str, int] = field(default_factory=dict)
    std: float | None = None
    median: float | None = None
    p25: float | None = None
    p75: float | None = None


@dataclass(frozen=True)
class Outcome:
    """The value of one definition over its population and in each fold, with its spread."""

    value: float | None
    n: int
    per_query: dict[str, float] | None
    by_convention: dict[str, int]
    std: float | None
    median: float | None
    p25: float | None
    p75: float | None
    folds: dict[int | str, float]
    fold_mean: float | None
    fold_std: float | None
    reason: str | None


def mean(values: Sequence[Fraction]) -> Fraction:
    """Return the exact mean."""
    return sum(values, Fraction(0)) / len(values)


def std(values: Sequence[Fraction]) -> float | None:
    """Return sqrt(sum of (x − mean)² / (n − 1)), exact under the root; None below two values."""
    if len(values) < 2:
        return None
    centre = mean(values)
    squares = sum(((value - centre) ** 2 for value in values), Fraction(0))
    return math.sqrt(squares / (len(values) - 1))


def quantile(values: Sequence[Fraction], share: Fraction) -> Fraction:
    """Interpolate linearly between the order statistics around position share·(n − 1)."""
    ordered = sorted(values)
    position = share * (len(ordered) - 1)
    below = math.floor(position)
    above = math.ceil(position)
    return ordered[below] + (position - below) * (ordered[above] - ordered[below])


def mean_summary(scores: Sequence[Score]) -> Summary:
    """Return the mean of the scores, their spread, and how many were set by convention."""
    values = [score.value for score in scores]
    reasons = Counter(score.convention for score in scores if score.convention is not None)
    return Summary(
        value=float(mean(values)),
        by_convention=dict(reasons),
        std=std(values),
        median=float(quantile(values, Fraction(1, 2))),
        p25=float(quantile(values, Fraction(1, 4))),
        p75=float(quantile(values, Fraction(3, 4))),
    )
