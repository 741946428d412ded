"""Bounds on chances that several checks need."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import comb, exp, lgamma, log, sqrt

import numpy as np

from assay.data.model import Floats
from assay.kernels.student import two_sided_p


def log_choose(n: int, k: int) -> float:
    """Log of the number of ways to choose k of n."""
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)


def at_least(number: int, logs: Sequence[float]) -> float:
    """Bound on the chance that so many of some independent events happen, from their log chances.

    The union over all sets of that size: C(n, number) times the product of the largest chances.
    """
    likely = sorted(logs, reverse=True)[:number]
    return exp(min(0.0, log_choose(len(logs), number) + sum(likely)))


def first_by_chance(sizes: Iterable[int], gold: Iterable[int]) -> list[float]:
    """Log chance that the g gold ones of s are the first: 1 / C(s, g)."""
    return [-log(comb(s, g)) for s, g in zip(sizes, gold, strict=True)]


def least_variance(number: int) -> float:
    """The least variance that is believed of a share: one error more than none of so many.

    Without it, 100% of a few would be certain.
    """
    error = 1 / (number + 2)
    return error * (1 - error) / number


def share_difference(
    one: tuple[Floats, Floats], other: tuple[Floats, Floats]
) -> tuple[float, float, float]:
    """Two shares Σ hits / Σ trials of the same posts, and the two-sided p of their difference.

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
