"""Every measure under many rows of counts: how often each post (or query) counts.

A bootstrap draws the rows, a comparison swaps systems in them, a jackknife leaves a unit out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.array_types import Floats, Ints
from assay.data.cases import Cases, Grouping
from assay.evaluation.intervals.measures_by_post import Block, Place, replicate
from assay.metrics.core.entry import Scored
from assay.metrics.core.ranked_steps import Presorted
from assay.metrics.core.reduce import Reduced

ROWS = 256
"""Largest number of rows in one block."""
COUNTS = 1 << 21
"""Largest number of counts in one block: 16 MB."""
DRAWN_AT_ONCE = 32
"""Rows that are drawn at once: what is made for them stays in the cache."""
KEPT = 1 << 24
"""Largest number of counts that are kept for the next measures: 16 MB."""


@dataclass(frozen=True, slots=True)
class Strata:
    """The units that are drawn: which one each query belongs to, and the units of each stratum."""

    unit: Ints
    members: tuple[Ints, ...]

    @classmethod
    def of(cls, cases: Cases, unit: str) -> Strata:
        """Return posts (or queries) in the strata of the folds; one stratum where there are none."""
        posts = cases.groupings.get("post_id")
        if unit == "query" or posts is None:
            posts = Grouping(np.arange(len(cases)), tuple(map(str, range(len(cases)))))
        folds = cases.groupings.get("fold")
        size = len(posts.labels)
        if folds is None:
            return cls(posts.codes, (np.arange(size),))
        fold_of = np.zeros(size, dtype=np.int64)
        fold_of[posts.codes] = folds.codes
        members = tuple(np.flatnonzero(fold_of == code) for code in range(len(folds.labels)))
        return cls(posts.codes, members)


@dataclass(frozen=True, slots=True)
class _Kept:
    """The last draws: an evaluation asks for the same ones for groups, curves and thresholds."""

    seed: int
    resamples: int
    members: tuple[Ints, ...]
    blocks: tuple[NDArray[np.uint8], ...]

    def are(self, strata: Strata, resamples: int, seed: int) -> bool:
        """Return whether these are the draws of a plan."""
        same = (seed, resamples, len(strata.members)) == (self.seed, self.resamples, len(self.members))
        return same and all(map(np.array_equal, strata.members, self.members))


_kept: list[_Kept] = []  # none or one


def draws(strata: Strata, resamples: int, seed: int) -> Iterator[Floats]:
    """Give blocks of rows: how often each unit counts. Every stratum has its own generator."""
    for last in _kept[:1]:
        if last.are(strata, resamples, seed):
            yield from (each.astype(np.float64) for each in last.blocks)
            return
    blocks: list[NDArray[np.uint8]] = []
    small = resamples * sum(map(len, strata.members)) <= KEPT
    for counts in _drawn(strata, resamples, seed):
        small = small and counts.max(initial=0) <= np.iinfo(np.uint8).max
        if small:
            blocks.append(counts.astype(np.uint8))
        yield counts
    if small:
        _kept[:] = [_Kept(seed, resamples, strata.members, tuple(blocks))]


def _drawn(strata: Strata, resamples: int, seed: int) -> Iterator[Floats]:
    generators = [np.random.default_rng([seed, stratum]) for stratum in range(len(strata.members))]
    units = sum(map(len, strata.members))
    at_once = max(1, min(ROWS, COUNTS // max(1, units)))
    for first in range(0, resamples, at_once):
        counts = np.zeros((min(at_once, resamples - first), units))
        for generator, members in zip(generators, strata.members, strict=True):
            for begin in range(0, len(counts), DRAWN_AT_ONCE):
                rows = counts[begin : begin + DRAWN_AT_ONCE]
                drawn = _times_drawn(generator, len(rows), len(members))
                if len(members) == units:  # one stratum: its members are all units, in order
                    rows[:] = drawn
                else:
                    rows[:, members] = drawn
        yield counts


def _times_drawn(generator: np.random.Generator, rows: int, size: int) -> Ints:
    """Draw as many of the members as there are, in each row, and count how often each was drawn."""
    drawn = generator.integers(0, size, (rows, size))
    drawn += np.arange(rows)[:, None] * size
    return np.bincount(drawn.ravel(), minlength=rows * size).reshape(rows, size)


def replicates(
    measures: Sequence[tuple[Scored, bool]], strata: Strata, blocks: Iterable[Floats], *, limited: bool = True
) -> list[Reduced]:
    """Headlines of each (measure, whether its headline is a fold mean) under every row of counts.

    Where `limited`, a measure whose resamples are expensive gets only its first `resamples` rows. A
    measure on a part of its population is a `Scored` with fewer queries inside.
    """
    units = sum(map(len, strata.members))
    whole = Place(0, np.arange(units), strata.unit, units)
    folds = [Place(1 + at, each, strata.unit, units) for at, each in enumerate(strata.members)]
    orders: dict[bytes, Presorted] = {}
    asked = [
        [replicate(scored, place, orders) for place in (folds if folded else [whole])]
        for scored, folded in measures
    ]
    limits = [scored.metric.resamples if limited else None for scored, _ in measures]
    found: list[list[Reduced]] = [[] for _ in measures]
    done = 0
    for counts in blocks:
        seen = {len(counts): Block.of(counts)}
        for parts, limit, values in zip(asked, limits, found, strict=True):
            rows = len(counts) if limit is None else min(len(counts), limit - done)
            if rows > 0:
                if rows not in seen:
                    seen[rows] = Block.of(counts[:rows])
                values.append(_fold_mean([part(seen[rows]) for part in parts]))
        done += len(counts)
    return [_joined(parts) for parts in found]


def _fold_mean(parts: Sequence[Reduced]) -> Reduced:
    if len(parts) == 1:
        return parts[0]
    values = np.mean([part.values for part in parts], axis=0)
    return Reduced(values, np.max([part.codes for part in parts], axis=0))


def _joined(parts: Sequence[Reduced]) -> Reduced:
    return Reduced(
        np.concatenate([part.values for part in parts]), np.concatenate([part.codes for part in parts])
    )
