"""Every measure under many rows of counts: how often each post (or query) counts.

A bootstrap draws the rows, a comparison swaps systems in them, a jackknife leaves a unit out. Means
and functions of sums need only the sums of each unit, so that all rows are one matrix product; the
other kinds of reduce get the counts of their queries.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from assay.data.model import Cases, Floats, Grouping, Ints
from assay.errors import InputError
from assay.evaluation.score import Scored
from assay.kernels.binary import Presorted
from assay.metrics.reduce import ByClass, Reduced, Sums

BLOCK = 1 << 21
"""Counts of queries in one block at the most: 16 MB."""


@dataclass(frozen=True, slots=True)
class Strata:
    """The units that are drawn: which one each query belongs to, and the units of each stratum."""

    unit: Ints
    members: tuple[Ints, ...]

    @classmethod
    def of(cls, cases: Cases, unit: str) -> Strata:
        """Posts (or queries) in the strata of the folds; one stratum where there are none."""
        posts = cases.groupings.get("post_id")
        if unit == "query" or posts is None:
            posts = Grouping(np.arange(len(cases)), tuple(map(str, range(len(cases)))))
        folds = cases.groupings.get("fold")
        size = len(posts.labels)
        if folds is None:
            return cls(posts.codes, (np.arange(size),))
        fold_of = np.zeros(size, dtype=np.int64)
        fold_of[posts.codes] = folds.codes
        if (fold_of[posts.codes] != folds.codes).any():
            problem = "a post has queries in two folds"
            raise InputError.of("folds", problem, "folds must not share a post")
        members = tuple(np.flatnonzero(fold_of == code) for code in range(len(folds.labels)))
        return cls(posts.codes, members)


def draws(strata: Strata, resamples: int, seed: int) -> Iterator[Floats]:
    """Blocks of rows: how often each unit counts. Every stratum has a generator of its own."""
    generators = [np.random.default_rng([seed, stratum]) for stratum in range(len(strata.members))]
    units = sum(map(len, strata.members))
    at_once = max(1, min(resamples, BLOCK // max(1, len(strata.unit))))
    for first in range(0, resamples, at_once):
        rows = min(at_once, resamples - first)
        counts = np.zeros((rows, units))
        for generator, members in zip(generators, strata.members, strict=True):
            size = len(members)
            drawn = generator.integers(0, size, (rows, size)) + np.arange(rows)[:, None] * size
            counts[:, members] = np.bincount(drawn.ravel(), minlength=rows * size).reshape(
                rows, size
            )
        yield counts


Cache = dict[tuple[str, int], tuple[Floats, Floats]]


class Resampler:
    """One measure under any counts of units: the headline of each row."""

    def __init__(self, scored: Scored, strata: Strata, *, fold_mean: bool) -> None:
        self.scored, self.strata = scored, strata
        members = strata.members if fold_mean else (np.concatenate(strata.members),)
        self.parts = tuple((each, np.flatnonzero(np.isin(strata.unit, each))) for each in members)
        self.sums = _unit_sums(scored, strata) if isinstance(scored.metric.reduce, Sums) else None

    def __call__(self, counts: Floats, cache: Cache | None = None) -> Reduced:
        """Mean over the folds, or pooled. `cache` holds what measures share under these counts."""
        reduced = [self._part(counts, place, cache) for place in range(len(self.parts))]
        values = np.mean([part.values for part in reduced], axis=0)
        codes = np.max([part.codes for part in reduced], axis=0)
        return Reduced(values, codes)

    def _part(self, counts: Floats, place: int, cache: Cache | None) -> Reduced:
        reduce, (members, queries) = self.scored.metric.reduce, self.parts[place]
        if self.sums is not None and isinstance(reduce, Sums):
            chosen = counts[:, members]
            n, *sums = (np.tensordot(chosen, column[members], axes=1) for column in self.sums)
            return self.scored.settled(reduce.function(n, *sums), n == 0)
        if isinstance(reduce, ByClass):
            pos, neg = self._classes(counts, place, queries, cache)
            empty = (pos.sum(axis=1) + neg.sum(axis=1)) == 0
            return self.scored.settled(reduce.of(pos, neg), empty)
        drawn = np.zeros((len(counts), len(self.strata.unit)))
        drawn[:, queries] = counts[:, self.strata.unit[queries]]
        return self.scored.reduce(drawn)

    def _classes(
        self, counts: Floats, place: int, queries: Ints, cache: Cache | None
    ) -> tuple[Floats, Floats]:
        """Positives and negatives of each distinct probability, once for all measures."""
        key = (f"{self.scored.metric.population} of {len(self.parts)}", place)
        if cache is None or key not in cache:
            kept = queries[self.scored.inside[queries]]
            columns = self.scored.columns
            order = Presorted.of(columns["prob"][kept])
            found = order.classes(columns["label"][kept], counts[:, self.strata.unit[kept]])
            if cache is None:
                return found
            cache[key] = found
        return cache[key]


def _unit_sums(scored: Scored, strata: Strata) -> list[Floats]:
    """Sums of the population's columns within each unit; the first is the number of queries."""
    reduce = scored.metric.reduce
    assert isinstance(reduce, Sums)
    inside = scored.inside.astype(np.float64)
    columns = [inside, *(scored.columns[name] for name in reduce.names)]
    out = []
    for column in columns:
        table = np.zeros((strata.unit.max(initial=-1) + 1, *column.shape[1:]))
        weights = column * (inside if column.ndim == 1 else inside[:, None])
        np.add.at(table, strata.unit, weights)
        out.append(table)
    return out


def replicates(
    measures: Sequence[tuple[Scored, bool]],
    strata: Strata,
    blocks: Iterable[Floats],
    *,
    limited: bool = True,
) -> list[Reduced]:
    """Headlines of each (measure, whether its headline is a fold mean) under every row of counts.

    Where `limited`, a measure whose resample is dear is given its first `resamples` rows only.
    """
    resamplers = [Resampler(scored, strata, fold_mean=folded) for scored, folded in measures]
    found: list[list[Reduced]] = [[] for _ in measures]
    done = 0
    for counts in blocks:
        cache: Cache = {}
        for place, resampler in enumerate(resamplers):
            left = resampler.scored.metric.resamples - done
            rows = min(len(counts), left) if limited else len(counts)
            if rows == len(counts):
                found[place].append(resampler(counts, cache))
            elif rows > 0:
                found[place].append(resampler(counts[:rows]))
        done += len(counts)
    return [
        Reduced(
            np.concatenate([part.values for part in parts]),
            np.concatenate([part.codes for part in parts]),
        )
        for parts in found
    ]
