"""Verdicts on one measure and on several: better, not worse, worse, undecided.

"Not worse" needs no correction for several measures: the overall claim is made only where it holds for
every measure, so its error is at most α (an intersection–union test, Berger 1982). "Better" and "worse"
are claims about any of the measures, so their p-values are adjusted with Holm's method.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.statistics.multiple_testing import holm
from assay.statistics.one_sided import SAME as NOTHING
from assay.statistics.one_sided import OneSided

BETTER, NOT_WORSE, WORSE, UNDECIDED = "better", "not worse", "worse", "undecided"


@dataclass(frozen=True, slots=True)
class Guarded:
    """The gain of one measure, positive for the better, and how much it may lose."""

    gain: OneSided | None  # None: a fold has too few posts for a variance
    margin: float


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict with its reason, one-sided bounds of the gain, and the p-value of each claim."""

    verdict: str
    reason: str
    low: float | None  # None: the posts are too few for a bound
    high: float | None
    p_not_worse: float
    p_better: float  # adjusted over the measures with Holm's method, as is p_worse
    p_worse: float


SAME = Judged(NOT_WORSE, "both bundles have the same predictions", 0.0, 0.0, 0.0, 1.0, 1.0)
"""Where no ranking and no decision differs, nothing is estimated."""


def judge(measures: Sequence[Guarded], alpha: float) -> list[Judged]:
    """Return the verdict on each measure at the one-sided level α."""
    not_worse = [_p_above(each.gain, -each.margin) for each in measures]
    better = holm(np.array([_p_above(each.gain, 0.0) for each in measures]))
    losses = [each.gain and each.gain.flipped() for each in measures]
    worse = holm(np.array([_p_above(loss, each.margin) for loss, each in zip(losses, measures, strict=True)]))
    made = []
    for at, each in enumerate(measures):
        low = None if each.gain is None else _finite(each.gain.lower_bound(alpha))
        loss = losses[at]
        high = None if loss is None else _finite(-loss.lower_bound(alpha))
        p = (not_worse[at], float(better[at]), float(worse[at]))
        made.append(_judged(each, low, high, p, alpha, len(measures)))
    return made


def overall(verdicts: Sequence[str]) -> str:
    """Return worse or undecided if any measure is; better if one is better and all are not worse."""
    for verdict in (WORSE, UNDECIDED, BETTER):
        if verdict in verdicts:
            return verdict
    return NOT_WORSE


def _p_above(gain: OneSided | None, value: float) -> float:
    return 1.0 if gain is None else gain.p_above(value)


def _finite(bound: float) -> float | None:
    return bound if math.isfinite(bound) else None


def _judged(
    each: Guarded,
    low: float | None,
    high: float | None,
    p: tuple[float, float, float],
    alpha: float,
    measures: int,
) -> Judged:
    """Choose the verdict by the p-values; say why with the bound that decided."""
    not_worse, better, worse = p
    allowed = f"and {each.margin:g} is allowed" if each.margin else "and no loss is allowed"
    bound = f"({100 * (1 - alpha):g}% bound)"
    if each.gain is None or low is None or high is None:
        verdict, reason = UNDECIDED, "there are too few posts for a bound"
    elif better <= alpha:
        verdict, reason = BETTER, f"the gain is at least {_size(low)} {bound}"
    elif not_worse <= alpha:
        verdict, reason = NOT_WORSE, f"the loss is at most {_size(-low)} {bound}, {allowed}"
    elif worse <= alpha:
        verdict, reason = WORSE, f"the loss is at least {_size(-high)} {bound}, {allowed}"
    elif -high > each.margin:
        found = f"the loss would be at least {_size(-high)} {bound}"
        verdict, reason = UNDECIDED, f"{found}, but not with Holm's correction for {measures} measures"
    else:
        still = each.gain.constant and abs(each.gain.estimate) <= NOTHING
        unchanged = "no post changed, but " if still else ""
        verdict, reason = UNDECIDED, f"{unchanged}the loss could be {_size(-low)} {bound}, {allowed}"
    return Judged(verdict, reason, low, high, *p)


def _size(value: float) -> str:
    return f"{max(0.0, value):.4f}"
