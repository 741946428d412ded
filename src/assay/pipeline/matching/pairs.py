"""Pairs of a query and a candidate sentence, grouped by query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.array_types import Floats, Ints
from assay.pipeline.matching.word_arrays import ragged

Values = NDArray[np.floating[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Queries and their candidates.

    Attributes
    ----------
    criterion
        The criterion of each query: a row of the criteria's surface.
    sentence
        The sentence of each pair: a row of the sentences' surface. The candidates of a query are
        all sentences of its post in reading order.
    offsets
        The pairs of query i are those from `offsets[i]` to `offsets[i + 1]`.

    """

    criterion: Ints
    sentence: Ints
    offsets: Ints

    def __len__(self) -> int:
        return len(self.sentence)

    @property
    def query(self) -> Ints:
        """The query of each pair."""
        return np.repeat(np.arange(len(self.criterion)), np.diff(self.offsets))

    def take(self, queries: Ints) -> Pairs:
        """Return some of the queries with their pairs; sentences keep their numbers."""
        at, offsets = ragged(self.offsets, queries)
        return Pairs(self.criterion[queries], self.sentence[at], offsets)


def lead_of(values: Values, pairs: Pairs) -> Floats:
    """Return by how much a pair exceeds the best other candidate of its query; 0 if it has none."""
    best, second = best_two(values, pairs)
    query = pairs.query
    top = values >= best[query]
    other = np.where(top, second[query], best[query])
    return np.asarray(np.where(np.isfinite(other), values - other, 0.0))


def best_two(values: Values, pairs: Pairs) -> tuple[Floats, Floats]:
    """Return the largest and the second largest value per query, −∞ where there is none."""
    rest = np.array(values, dtype=np.float64)
    first, query = _largest(rest, pairs), pairs.query
    tied = np.flatnonzero(rest == first[query])[::-1]
    one = np.full(len(first), -1)
    one[query[tied]] = tied  # of several, the last assignment wins: the first in reading order
    rest[one[one >= 0]] = -np.inf
    return first, _largest(rest, pairs)


def _largest(values: Floats, pairs: Pairs) -> Floats:
    out = np.full(len(pairs.criterion), -np.inf)
    filled = np.flatnonzero(np.diff(pairs.offsets) > 0)
    if len(filled):
        out[filled] = np.maximum.reduceat(values, pairs.offsets[filled])
    return out
