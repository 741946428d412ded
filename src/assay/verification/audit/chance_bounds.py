"""Bounds on probabilities that several checks need."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import comb, exp, lgamma, log, sqrt
from statistics import NormalDist

import numpy as np

from assay.array_types import Floats
from assay.statistics.student_t import two_sided_p

NORMAL = NormalDist()


def log_choose(n: int, k: int) -> float:
    """Return the log of the number of ways to choose k of n."""
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)


def at_least(number: int, logs: Sequence[float]) -> float:
    """Bound the chance that this many independent events happen, from their log chances.

    The union over all sets of that size: C(n, number) times the product of the largest chances.
    """
    likely = sorted(logs, reverse=True)[:number]
    return exp(min(0.0, log_choose(len(logs), number) + sum(likely)))


def first_by_chance(sizes: Iterable[int], gold: Iterable[int]) -> list[float]:
    """Return the log chance that the g gold items of s come first: 1 / C(s, g)."""
    return [-log(comb(s, g)) for s, g in zip(sizes, gold, strict=True)]


@lru_cache(maxsize=10_000)
def perfect_by_chance(positives: int, negatives: int, auroc: float) -> float:
    """Return the chance that an honest system ranks every positive above every negative.

    Scores of both classes are normal, as far apart as this AUROC implies. The integral runs over
    the highest negative: its density times the chance that all positives are above it.
    """
    below, above = _tails(auroc)
    highest = np.diff(below**negatives)
    middle = (above[:-1] ** positives + above[1:] ** positives) / 2
    return float((highest * middle).sum())


@lru_cache(maxsize=8)
def _tails(auroc: float) -> tuple[Floats, Floats]:
    """Return, over a grid of scores, the chance of a negative below and of a positive above."""
    apart = sqrt(2) * NORMAL.inv_cdf(auroc)
    grid = np.linspace(-6.0, 9.0, 1501).tolist()
    below = np.array([NORMAL.cdf(x) for x in grid])
    return below, np.array([NORMAL.cdf(apart - x) for x in grid])


def least_variance(number: int) -> float:
    """Return the least variance assumed for a share: that of one error more than observed.

    Without it, 100% of a few would be certain.
    """
    error = 1 / (number + 2)
    return error * (1 - error) / number


def share_difference(one: tuple[Floats, Floats], other: tuple[Floats, Floats]) -> tuple[float, float, float]:
    """Return two shares Σ hits / Σ trials of the same posts, and the two-sided p of the difference.

    Hits and trials have one value per post. The variance is that of a ratio estimate over posts.
    """
    shares, parts, doubt = [], [], 0.0
    for hits, trials in (one, other):
        total = float(trials.sum())
        share = float(hits.sum()) / total
        parts.append((hits - share * trials) / total)
        shares.append(share)
        doubt += least_variance(int((trials > 0).sum()))
    apart = parts[0] - parts[1]
    posts = len(apart)
    if posts < 3:
        return shares[0], shares[1], 1.0
    variance = max(float(np.square(apart).sum()) * posts / (posts - 1), doubt)
    return shares[0], shares[1], two_sided_p((shares[0] - shares[1]) / sqrt(variance), posts - 1)
