"""One-sided bounds and p-values of an estimate from few, unequal or skewed units (such as posts).

Two bounds, of which the weaker one counts:

- t: the jackknife variance over units, Student's t with the degrees of freedom that the spread of the
  units' influences supports, and a correction for skewness against the claim (Johnson 1978, Hall 1992);
- percentile: the share of bootstrap resamples at or beyond the value in question.

A measure that chance inflates, such as the ECE, is inflated again in every resample. Where resamples show
such a bias in favour of the claim, both bounds move against it by (1 + √2) times the bias: the resamples
of a value whose true distance from its bound is 0 show 1 / (1 + √2) of its bias, those of others show more.

Where no unit and no resample changes the estimate, there is no spread to estimate. Then P units only
exclude that a share of more than 1 − α^(1/P) of the units differs, and each of those may differ by the
full range of the measure (the exact binomial bound of no change in P trials).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from assay.array_types import Floats
from assay.statistics.student_t import t_quantile, upper_p

SAME = 1e-12
"""Estimates that differ by no more are equal: sums of the same numbers in another order."""
KURTOSIS = 3.0  # of the normal distribution
INFLATED = 1 + math.sqrt(2)
"""Bias of |x| at a true 0 over what resamples show of it: E|N(0, 1)| / (E|N(0, √2)| − E|N(0, 1)|)."""


def resampling_bias(estimate: float, drawn: Floats) -> tuple[float, float]:
    """Return by how much an estimate may be too high, and by how much too low, as its resamples show.

    A bias within three Monte Carlo standard errors of 0 is none.
    """
    bias = float(drawn.mean()) - estimate
    noise = 3 * float(drawn.std(ddof=1)) / math.sqrt(len(drawn))
    return INFLATED * max(0.0, bias - noise), INFLATED * max(0.0, -bias - noise)


@dataclass(frozen=True, slots=True)
class OneSided:
    """An estimate with what its one-sided claims rest on."""

    estimate: float
    se: float
    df: float
    skew: float  # of the sampling distribution: Σu³ / (Σu²)^1.5 over the influences u of the units
    units: float  # independent units: Kish's effective number where some weigh more than others
    width: float  # of the measure's range
    over: float  # by how much the estimate may be too high
    under: float  # by how much it may be too low
    drawn: Floats  # sorted values over bootstrap resamples

    @classmethod
    def of(
        cls,
        estimate: float,
        influences: Floats,
        drawn: Floats,
        units: float,
        width: float,
        bias: tuple[float, float] = (0.0, 0.0),
    ) -> OneSided:
        """Derive the spread from influences, whose squares add up to the jackknife variance.

        The degrees of freedom are those of P units with normal influences, or fewer where few of them
        make up most of the variance: 3 (Σu²)² / Σu⁴ − 1. The larger of the jackknife's and the
        bootstrap's standard error is used. `bias` is by how much the estimate may be too high, and by how
        much too low.
        """
        square = float((influences**2).sum())
        jackknife = math.sqrt(square)
        if jackknife <= SAME:
            skew, spread = 0.0, math.inf
        else:
            scaled = influences / jackknife  # powers of the raw influences could underflow
            skew = float((scaled**3).sum())
            spread = KURTOSIS / float((scaled**4).sum())
        se = max(jackknife, float(drawn.std(ddof=1)))
        df = max(1.0, min(units, spread) - 1.0)
        return cls(estimate, 0.0 if se <= SAME else se, df, skew, units, width, *bias, np.sort(drawn))

    @property
    def constant(self) -> bool:
        """Whether neither leaving out nor resampling units changes the estimate."""
        return self.se == 0.0

    def flipped(self) -> OneSided:
        """Return the estimate with its sign changed, so that lower bounds become upper ones."""
        return replace(
            self,
            estimate=-self.estimate,
            skew=-self.skew,
            over=self.under,
            under=self.over,
            drawn=-self.drawn[::-1],
        )

    def lower_bound(self, alpha: float) -> float:
        """Return the one-sided 1 − α bound: minus infinity where there are too few units for any."""
        if self.units < 2:
            return -math.inf
        if self.constant:
            return self.estimate - self._reach * (1 - math.pow(alpha, 1 / self.units))
        place = math.floor(alpha * (len(self.drawn) + 1))  # p ≤ α where values from here on lie above
        if place < 1:
            return -math.inf
        t = t_quantile(1 - alpha, self.df)
        against = max(0.0, -self.skew)
        below = self.estimate - self.se * (t + against * (1 + 2 * t * t) / 6)
        return min(below, float(self.drawn[place - 1])) - self.over

    def p_above(self, value: float) -> float:
        """Return the p-value of the claim that the true value lies above: p ≤ α where the bound does."""
        gap = self.estimate - value
        if self.units < 2 or (self.constant and gap <= SAME):
            return 1.0
        if self.constant:
            return math.pow(max(0.0, 1 - gap / self._reach), self.units)
        beyond = int(np.searchsorted(self.drawn, value + self.over, side="right"))
        resampled = (1 + beyond) / (1 + len(self.drawn))
        return max(upper_p(self._uncorrected((gap - self.over) / self.se), self.df), resampled)

    @property
    def _reach(self) -> float:
        """How far a unit that has not shown itself may lie below the estimate."""
        return self.width + abs(self.estimate)

    def _uncorrected(self, t: float) -> float:
        """Return the x with x + c (1 + 2x²) / 6 = t on the rising branch; c is the skewness against."""
        c = max(0.0, -self.skew)
        if c == 0.0:
            return t
        inner = 1 - 4 * (c / 3) * (c / 6 - t)
        return -1.5 / c if inner <= 0 else (math.sqrt(inner) - 1) / (2 * c / 3)
