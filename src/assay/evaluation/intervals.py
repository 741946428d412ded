"""Bootstrap intervals: posts are drawn, stratified by fold, and every measure sees the same draws.

A draw is a row of counts, how often each post counts. Means and functions of sums need only the
sums of each post, so that all resamples are one matrix product; the other kinds of reduce get the
counts of their queries.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from assay.data.model import Cases, Floats, Grouping, Ints
from assay.errors import InputError
from assay.evaluation.result import Interval
from assay.evaluation.score import Scored
from assay.kernels.binary import Presorted
from assay.metrics.reduce import ByClass, Reduced, Sums

BLOCK = 1 << 21
"""Counts of queries in one block at the most: 16 MB."""


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """How intervals are made. TUNE thresholds stay fixed in it."""

    resamples: int = 10_000
    seed: int = 0
    unit: str = "post"  # or query
    method: str = "percentile"  # or bca
    level: float = 0.95

    def __post_init__(self) -> None:
        for name, value, choices in (
            ("unit", self.unit, ("post", "query")),
            ("method", self.method, ("percentile", "bca")),
        ):
            if value not in choices:
                expected = f"expected {' or '.join(choices)}"
                raise InputError.of("bootstrap", f"{name} is {value!r}", expected)
        if self.resamples < 2 or not 0 < self.level < 1:
            problem = f"{self.resamples} resamples at level {self.level}"
            raise InputError.of("bootstrap", problem, "expected 2 or more, at a level in (0, 1)")


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


def draws(strata: Strata, plan: Bootstrap, at_once: int) -> Iterator[Floats]:
    """Blocks of rows: how often each unit counts. Every stratum has a generator of its own."""
    generators = [
        np.random.default_rng([plan.seed, stratum]) for stratum in range(len(strata.members))
    ]
    units = sum(map(len, strata.members))
    for first in range(0, plan.resamples, at_once):
        rows = min(at_once, plan.resamples - first)
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


def intervals(
    measures: Sequence[tuple[Scored, bool, float]], cases: Cases, plan: Bootstrap
) -> list[Interval | None]:
    """An interval for each (measure, whether its headline is a fold mean, headline)."""
    strata = Strata.of(cases, plan.unit)
    resamplers = [Resampler(scored, strata, fold_mean=folded) for scored, folded, _ in measures]
    limits = [min(plan.resamples, scored.metric.resamples) for scored, _, _ in measures]
    found: list[list[Reduced]] = [[] for _ in measures]
    at_once = max(1, min(plan.resamples, BLOCK // max(1, len(cases))))
    done = 0
    for counts in draws(strata, plan, at_once):
        cache: Cache = {}
        for place, resampler in enumerate(resamplers):
            rows = min(len(counts), limits[place] - done)
            if rows == len(counts):
                found[place].append(resampler(counts, cache))
            elif rows > 0:
                found[place].append(resampler(counts[:rows]))
        done += len(counts)
    return [
        _interval(parts, resampler, headline, strata, plan)
        for parts, resampler, (_, _, headline) in zip(found, resamplers, measures, strict=True)
    ]


def _interval(
    parts: list[Reduced], resampler: Resampler, headline: float, strata: Strata, plan: Bootstrap
) -> Interval | None:
    if not resampler.scored.inside.any():
        return None
    values = np.concatenate([part.values for part in parts])
    codes = np.concatenate([part.codes for part in parts])
    tail = (1 - plan.level) / 2
    tails = (tail, 1 - tail)
    if plan.method == "bca":
        tails = _corrected(values, resampler, headline, strata, tails)
    low, high = np.quantile(values, tails)
    return Interval(
        float(low), float(high), plan.level, plan.method, plan.unit, len(values),
        int(np.count_nonzero(codes)),
    )  # fmt: skip


def _corrected(
    values: Floats,
    resampler: Resampler,
    headline: float,
    strata: Strata,
    tails: tuple[float, float],
) -> tuple[float, float]:
    """Bias-corrected and accelerated tails (Efron 1987), the acceleration by leaving out units."""
    normal = NormalDist()
    units = sum(map(len, strata.members))
    below = (np.count_nonzero(values < headline) + np.count_nonzero(values <= headline)) / 2
    share = min(max(below / len(values), 1 / (2 * len(values))), 1 - 1 / (2 * len(values)))
    bias = normal.inv_cdf(share)
    left_out = np.concatenate(
        [
            resampler(np.ones((len(block), units)) - np.eye(units)[block]).values
            for block in np.array_split(np.arange(units), max(1, units // 64))
        ]
    )
    spread = left_out.mean() - left_out
    scale = 6.0 * float((spread**2).sum()) ** 1.5
    speed = float((spread**3).sum()) / scale if scale > 0 else 0.0

    def corrected(tail: float) -> float:
        z = bias + normal.inv_cdf(tail)
        return normal.cdf(bias + z / (1 - speed * z))

    return corrected(tails[0]), corrected(tails[1])
