"""The delete-a-group jackknife over posts (or queries): how much each group moves a measure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from assay.array_types import Floats, Ints
from assay.evaluation.intervals.resample import Strata

GROUPS = 1000
"""With more units than this, groups of units are left out: a row per unit costs units² in all."""
AT_ONCE = 64


def jackknife_groups(strata: Strata, seed: int, most: int = GROUPS) -> list[list[Ints]]:
    """Return the units of each stratum in groups: one unit each, or as many groups as `most` allows."""
    units = sum(map(len, strata.members))
    if units <= most:
        return [[members[at : at + 1] for at in range(len(members))] for members in strata.members]
    generator = np.random.default_rng([seed, 0, 2])
    grouped = []
    for members in strata.members:
        count = min(len(members), max(2, round(most * len(members) / units)))
        grouped.append(np.array_split(generator.permutation(members), count))
    return grouped


def without_each_group(groups: Sequence[Sequence[Ints]], units: int) -> Iterator[Floats]:
    """Give blocks of rows of counts, each row without the units of one group."""
    every = [group for stratum in groups for group in stratum]
    for first in range(0, len(every), AT_ONCE):
        part = every[first : first + AT_ONCE]
        counts = np.ones((len(part), units))
        for row, group in enumerate(part):
            counts[row, group] = 0.0
        yield counts


def influences(without: Floats, groups: Sequence[Sequence[Ints]]) -> Floats | None:
    """Return how far each group moves a value, scaled so that the squares add up to its variance.

    With J groups in a stratum, u = −√((J−1)/J) · (value without the group − mean of these). None where
    a stratum has fewer than two groups: its variance is unknown.
    """
    made, first = [], 0
    for stratum in groups:
        size = len(stratum)
        if size < 2:
            return None
        values = without[first : first + size]
        made.append(np.sqrt((size - 1) / size) * (values.mean() - values))
        first += size
    return np.concatenate(made)
