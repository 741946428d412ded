"""Expectations over the orders of tied candidates, all equally likely (McSherry and Najork 2008).

Of a tie group of t candidates at the ranks s + 1 … s + t, m are relevant.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from assay.array_types import Bools, Floats, Ints
from assay.metrics.core.rankings import Rankings, starts_of_groups


def chance_of_none(size: Ints, relevant: Ints, drawn: Ints) -> Floats:
    """Return the chance that none of m relevant candidates is among c of t: C(t − c, m) / C(t, m)."""
    chance = np.ones(len(size))
    for step in range(int(relevant.max(initial=0))):
        counts = step < relevant
        left = np.maximum(size - drawn - step, 0) / np.maximum(size - step, 1)
        chance[counts] *= left[counts]
    return chance


def chances_of_hits(size: int, relevant: int, drawn: int) -> Iterator[tuple[int, float]]:
    """Yield each number of relevant candidates among c of t, and its hypergeometric chance."""
    low, high = max(0, relevant + drawn - size), min(relevant, drawn)
    logs = np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, size + 1)))))

    def choose(n: int, k: int) -> float:
        return float(logs[n] - logs[k] - logs[n - k])

    for hits in range(low, high + 1):
        log = choose(relevant, hits) + choose(size - relevant, drawn - hits) - choose(size, drawn)
        yield hits, float(np.exp(log))


def chances_of_first(size: int, relevant: int) -> Floats:
    """Return the chance that the first relevant candidate of a group is its 1st, 2nd, …"""
    left = size - np.arange(size - relevant + 1)
    missed = np.concatenate(([1.0], np.cumprod(1.0 - relevant / left)[:-1]))
    chances: Floats = missed * relevant / left
    return chances


def mean_of_prefix_products(factors: Floats, ones: int) -> Floats:
    """Return for j = 0, 1, … the mean product of j factors drawn from these and from so many ones.

    A factor that joins n others is among j of n + 1 with the chance j / (n + 1).
    """
    mean = np.ones(ones + 1)
    for factor in factors:
        share = np.arange(len(mean) + 1) / len(mean)
        longer, shorter = np.append(mean, 0.0), np.concatenate(([0.0], mean))
        mean = (1.0 - share) * longer + share * factor * shorter
    return mean


def groups_of_hits(r: Rankings, keep: Bools) -> Iterator[tuple[int, int, int, Ints]]:
    """Yield query, s, t and the places of the kept candidates of each tie group."""
    places = np.flatnonzero(keep)
    query, first = r.hit_query[places], r.hit_first[places]
    begin = np.flatnonzero(starts_of_groups(query, first))
    for low, high in zip(begin, np.append(begin, len(places))[1:], strict=True):
        at = places[low:high]
        above = int(r.hit_first[at[0]]) - 1
        yield int(r.hit_query[at[0]]), above, int(r.hit_last[at[0]]) - above, at
