"""Counts-weighted kernels of query-level decisions: ranked scores and quantiles.

`counts` is a (resamples × queries) matrix: how often each query counts in each resample.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.kernels.layout import Floats, Ints


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


Pair = tuple[Floats, Floats]


def auroc(sorted_by: Presorted, positive: Floats, counts: Floats) -> Pair:
    """Mann–Whitney with ties counted half, and the product positives × negatives it divides by."""
    weighted = counts[:, sorted_by.order]
    label = positive[sorted_by.order]
    pos = np.add.reduceat(weighted * label, sorted_by.starts, axis=1)
    neg = np.add.reduceat(weighted * (1.0 - label), sorted_by.starts, axis=1)
    below = np.cumsum(neg, axis=1) - neg
    wins = np.einsum("ij,ij->i", pos, below + 0.5 * neg)
    pairs = pos.sum(axis=1) * neg.sum(axis=1)
    return wins, pairs


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
