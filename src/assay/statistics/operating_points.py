"""Thresholds from scores, labels and posts. Every decision is p ≥ t; +inf decides nothing.

Confidence rests on independent units. The positives of a post are not independent, so n of them
count as Kish's effective number (Σ m)² / Σ m², with m the number in each post: as if those of a
post stood or fell together. With one per post that is n itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, inf, log

import numpy as np

from assay.array_types import Bools, Floats, Ints
from assay.statistics.exact_binomial import binomial_cdf

GROWTH = 1.5
"""Between the numbers of alerts that a precision target tries."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A threshold, what it reaches on the data that chose it, and the confidence behind it."""

    value: float
    reached: float
    units: float = 0.0  # effective number of independent units
    confidence: float | None = None  # the best that the data allow for the target; None: no claim


@dataclass(frozen=True, slots=True)
class _Steps:
    """Positives and negatives at or above each distinct probability, highest first."""

    values: Floats
    hits: Ints
    alarms: Ints

    @classmethod
    def of(cls, prob: Floats, label: Bools) -> _Steps:
        order = np.argsort(-prob, kind="stable")
        ranked, y = prob[order], label[order].astype(np.int64)
        last = np.append(ranked[1:] != ranked[:-1], True) if len(ranked) else np.zeros(0, dtype=bool)
        return cls(ranked[last], np.cumsum(y)[last], np.cumsum(1 - y)[last])


def effective(posts: Ints) -> float:
    """(Σ m)² / Σ m², with m the number in each post: how many independent ones they are worth."""
    if not len(posts):
        return 0.0
    sizes = np.bincount(posts).astype(np.float64)
    return float(sizes.sum() ** 2 / (sizes**2).sum())


def within_budget(prob: Floats, label: Bools, budget: Fraction) -> Choice:
    """Return the largest threshold with the highest TPR among those with FPR ≤ budget."""
    steps = _Steps.of(prob, label)
    negatives = int((~label).sum())
    allowed = steps.alarms * budget.denominator <= budget.numerator * negatives
    hits = np.where(allowed, steps.hits, 0)
    if not hits.any():
        return Choice(inf, 0.0)
    at = int(np.argmax(hits))  # the first of equal ones is the largest threshold
    return Choice(float(steps.values[at]), _rate(steps.alarms[at], negatives))


def best_f1(prob: Floats, label: Bools) -> Choice:
    """Return the largest threshold with the highest F1 = 2·TP / (alerts + positives)."""
    steps = _Steps.of(prob, label)
    if not label.any():
        return Choice(inf, 0.0)
    f1 = 2 * steps.hits / (steps.hits + steps.alarms + label.sum())
    at = int(np.argmax(f1))
    return Choice(float(steps.values[at]), float(f1[at]))


def sensitivity(prob: Floats, label: Bools, posts: Ints, target: float, confidence: float) -> Choice:
    """Return the highest threshold whose sensitivity is at least `target` with this confidence.

    An order statistic of the positives' probabilities: at most j of n may lie below, where j is the
    most with P(Bin(n*, 1 − target) ≤ j·n*/n) ≤ 1 − confidence and n* the effective number. Where
    even j = 0 says too little, the lowest positive is the threshold and the confidence the best
    there is: 1 − target^n*.
    """
    ordered = np.sort(prob[label])
    n, units = len(ordered), effective(posts[label])
    if not n:
        return Choice(0.0, 0.0, 0.0, 0.0)
    spare, too_many = 0, n  # the doubt grows with the misses: halve between
    while too_many - spare > 1:
        middle = (spare + too_many) // 2
        if _doubt(middle, n, units, target) <= 1.0 - confidence:
            spare = middle
        else:
            too_many = middle
    value = float(ordered[spare])
    below = int(np.searchsorted(ordered, value))  # fewer than `spare` where values are tied
    return Choice(value, _rate(n - below, n), units, 1.0 - _doubt(spare, n, units, target))


def conformal(prob: Floats, label: Bools, posts: Ints, target: Fraction) -> Choice:
    """Conformal risk control: the highest threshold with (Σ loss + 1) / (posts + 1) ≤ 1 − target.

    The loss of a post is the share of its positives below the threshold. The share missed in a new
    post is then at most 1 − target in expectation (Angelopoulos et al. 2024), with no confidence.
    """
    chances, owners = prob[label], posts[label]
    if not len(chances):
        return Choice(0.0, 0.0)
    sizes = np.bincount(owners)
    order = np.argsort(chances, kind="stable")
    shares = 1.0 / sizes[owners[order]]
    below = np.concatenate(([0.0], np.cumsum(shares)))  # loss when the first j are missed
    ranked = chances[order]
    first = np.searchsorted(ranked, ranked)  # of tied positives, the threshold misses none
    lost = below[first]
    limit = float((1 - target) * (int(np.count_nonzero(sizes)) + 1) - 1)
    fits = lost <= limit + 1e-9  # sums of shares such as 1/3
    if not fits.any():
        return Choice(0.0, 1.0)
    at = int(np.flatnonzero(fits)[-1])
    return Choice(float(ranked[at]), _rate(len(ranked) - int(first[at]), len(ranked)))


def precision(prob: Floats, label: Bools, posts: Ints, target: float, confidence: float) -> Choice:
    """Return the lowest threshold whose precision is at least `target` with this confidence.

    Thresholds are tried at numbers of alerts that grow by half each, chosen without a look at the
    labels; each must pass P(Bin(a*, 1 − target) ≤ false alerts · a*/a) ≤ its part of the doubt.
    The parts are equal, and what a passed test had goes on to the next (the fallback procedure of
    Wiens), so that the chance of any wrong pass stays within 1 − confidence.
    """
    steps = _Steps.of(prob, label)
    tried = _tried(steps, target, confidence)
    share = (1.0 - confidence) / max(1, len(tried))
    best, carried, chosen = 0.0, 0.0, None
    for at in tried:
        value, alerts = steps.values[at], int(steps.hits[at] + steps.alarms[at])
        units = effective(posts[prob >= value])
        doubt = _doubt(int(steps.alarms[at]), alerts, units, target)
        allowed = share + carried
        carried = allowed if doubt <= allowed else 0.0
        best = max(best, 1.0 - doubt * len(tried))
        if doubt <= allowed:
            chosen = Choice(float(value), _rate(steps.hits[at], alerts), units, confidence)
    if chosen is not None:
        return chosen
    plain = np.flatnonzero(steps.hits >= target * (steps.hits + steps.alarms))
    if not len(plain):
        return Choice(inf, 0.0, 0.0, best)
    at = int(plain[-1])
    alerts = int(steps.hits[at] + steps.alarms[at])
    units = effective(posts[prob >= steps.values[at]])
    return Choice(float(steps.values[at]), _rate(steps.hits[at], alerts), units, best)


def _tried(steps: _Steps, target: float, confidence: float) -> list[int]:
    """Places of the thresholds that are tried, few alerts first."""
    alerts = steps.hits + steps.alarms
    size = ceil(log(1.0 - confidence) / log(target))
    places: list[int] = []
    while len(alerts) and size <= alerts[-1]:
        at = int(np.searchsorted(alerts, size))
        if not places or places[-1] != at:
            places.append(at)
        size = ceil(size * GROWTH)
    return places


def _doubt(misses: int, n: int, units: float, target: float) -> float:
    """Return the chance of so few misses were the true rate of hits just below the target."""
    return binomial_cdf(misses * units / n, units, 1.0 - target)


def _rate(part: float, whole: float) -> float:
    return float(part / whole) if whole else 0.0
