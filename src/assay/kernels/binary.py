"""Counts-weighted kernels of query-level decisions: ranked scores, quantiles, calibration.

`counts` is a (resamples × queries) matrix: how often each query counts in each resample.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from assay.kernels.layout import Floats, Ints

Pair = tuple[Floats, Floats]


@dataclass(frozen=True, slots=True)
class Presorted:
    """An order by value, and where each group of equal values starts in it."""

    order: Ints
    starts: Ints
    values: Floats

    @classmethod
    def of(cls, values: Floats) -> Presorted:
        """Sort once; every resample reuses it."""
        order = np.argsort(values, kind="stable")
        ranked = values[order]
        first = np.ones(len(values), dtype=bool)
        first[1:] = ranked[1:] != ranked[:-1]
        return cls(order, np.flatnonzero(first), ranked)

    def classes(self, positive: Floats, counts: Floats) -> Pair:
        """Positives and negatives of each group of equal values, lowest value first."""
        weighted = counts[:, self.order]
        label = positive[self.order]
        pos = weighted * label
        return self.grouped(pos), self.grouped(weighted - pos)

    def grouped(self, columns: Floats) -> Floats:
        """Sums within the groups: differences of running sums, which are faster than `reduceat`."""
        if len(self.starts) == len(self.order):
            return columns
        ends = np.append(self.starts[1:], len(self.order)) - 1
        return np.diff(np.cumsum(columns, axis=1)[:, ends], axis=1, prepend=0.0)


def auroc(pos: Floats, neg: Floats) -> Pair:
    """Mann–Whitney with ties counted half, and the product positives × negatives it divides by."""
    below = np.cumsum(neg, axis=1) - neg
    wins = np.einsum("ij,ij->i", pos, below + 0.5 * neg)
    return wins, pos.sum(axis=1) * neg.sum(axis=1)


def from_top(counts: Floats) -> Floats:
    """How many stand at or above each group."""
    return np.cumsum(counts[:, ::-1], axis=1)[:, ::-1]


def average_precision(pos: Floats, neg: Floats) -> Pair:
    """Σ over groups of positives × precision at their value, and the positives it divides by."""
    hits, listed = from_top(pos), from_top(pos + neg)
    precision = np.divide(hits, listed, out=np.zeros_like(hits), where=listed > 0)
    return np.einsum("ij,ij->i", pos, precision), pos.sum(axis=1)


def best_within_budget(pos: Floats, neg: Floats, budget: Fraction) -> Pair:
    """Most positives at or above a threshold whose negatives stay within the budget.

    Of thresholds with as many positives the largest counts; its negatives are the second value.
    """
    hits, alarms = from_top(pos), from_top(neg)
    total = neg.sum(axis=1)[:, None]
    allowed = alarms * budget.denominator <= budget.numerator * total
    best = np.where(allowed, hits, 0.0).max(axis=1, initial=0.0)
    reached = allowed & (hits == best[:, None])
    fewest = np.where(reached, alarms, np.inf).min(axis=1, initial=np.inf)
    return best, np.where(best > 0, fewest, 0.0)


def quantile(sorted_by: Presorted, counts: Floats, q: float) -> Pair:
    """Quantile by linear interpolation of the values repeated `counts` times, and how many."""
    cumulative = np.cumsum(counts[:, sorted_by.order], axis=1)
    total = cumulative[:, -1] if cumulative.shape[1] else np.zeros(len(counts))
    position = np.maximum(total - 1.0, 0.0) * q
    low = np.floor(position)
    out = np.zeros(len(counts))
    for row in np.flatnonzero(total > 0):
        at = np.searchsorted(cumulative[row], [low[row], np.ceil(position[row])], side="right")
        lower, upper = sorted_by.values[at]
        out[row] = lower + (upper - lower) * (position[row] - low[row])
    return out, total


def risk_area(
    confidence: Presorted, wrong: Floats, counts: Floats
) -> tuple[Floats, Floats, Floats]:
    """Σ over coverages of the error rate among the most confident; its least value; and how many.

    The errors of a group of equal confidence are spread evenly over its members.
    """
    weighted = counts[:, confidence.order]
    errors = confidence.grouped(weighted * wrong[confidence.order])[:, ::-1]
    sizes = confidence.grouped(weighted)[:, ::-1]
    before = np.cumsum(sizes, axis=1) - sizes
    errors_before = np.cumsum(errors, axis=1) - errors
    total = sizes.sum(axis=1)
    harmonic = np.concatenate(([0.0], np.cumsum(1.0 / np.arange(1, int(total.max(initial=0)) + 1))))
    rate = np.divide(errors, sizes, out=np.zeros_like(errors), where=sizes > 0)
    span = harmonic[(before + sizes).astype(int)] - harmonic[before.astype(int)]
    # Σ over i of a group of (E + rate·(i − before)) / i, with H the harmonic numbers:
    # rate·size + (E − rate·before)·(H(last) − H(before))
    area = (rate * sizes + (errors_before - rate * before) * span).sum(axis=1)
    wrongs = errors.sum(axis=1)
    right = total - wrongs
    best = wrongs - right * (harmonic[total.astype(int)] - harmonic[right.astype(int)])
    return area, best, total


def bin_of(prob: Floats, bins: int) -> Ints:
    """Equal-width bins (lo, hi], 0 in the first, decided exactly: p > i/bins as rationals."""
    at = np.zeros(len(prob), dtype=np.int64)
    for step in range(1, bins):
        edge = Fraction(step, bins)
        nearest = float(edge)
        # where the float nearest to the edge lies above it, p equal to that float is above it too
        at += prob >= nearest if Fraction(nearest) > edge else prob > nearest
    return at


def logistic(x: Floats, y: Floats, counts: Floats, *, slope: bool) -> tuple[float, float, bool]:
    """Maximum likelihood of y ~ a + b·x (b = 1 where not `slope`): a, b, and whether it exists.

    A slope exists where the two classes overlap in x; Newton's steps are halved while they
    overshoot.
    """
    ones, zeros = x[y == 1], x[y == 0]
    apart = ones.min() >= zeros.max() or zeros.min() >= ones.max()
    if slope and apart:
        return 0.0, 0.0, False
    a, b = 0.0, 1.0
    loss = _loss(a, b, x, y, counts)
    for _ in range(200):
        p = 1.0 / (1.0 + np.exp(-np.clip(a + b * x, -700, 700)))
        residual, weight = counts * (y - p), counts * p * (1.0 - p)
        g0, g1 = residual.sum(), (residual * x).sum()
        s0, s1, s2 = weight.sum(), (weight * x).sum(), (weight * x * x).sum()
        if slope:
            determinant = s0 * s2 - s1 * s1
            if determinant <= 0:
                return a, b, False
            da, db = (s2 * g0 - s1 * g1) / determinant, (s0 * g1 - s1 * g0) / determinant
        else:
            da, db = g0 / s0, 0.0
        scale, noise = 1.0, 1e-13 * (1.0 + abs(loss))
        while scale > 1e-9 and _loss(a + scale * da, b + scale * db, x, y, counts) > loss + noise:
            scale /= 2
        a, b = a + scale * da, b + scale * db
        loss = _loss(a, b, x, y, counts)
        if max(abs(a), abs(b)) > 1000:
            return a, b, False
        if scale * max(abs(da), abs(db)) <= 1e-13 * max(1.0, abs(a), abs(b)):
            return a, b, True
    return a, b, bool(max(abs(da), abs(db)) < 1e-9)


def _loss(a: float, b: float, x: Floats, y: Floats, counts: Floats) -> float:
    z = a + b * x
    return float((counts * (np.logaddexp(0.0, z) - y * z)).sum())
