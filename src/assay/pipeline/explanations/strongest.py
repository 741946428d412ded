"""The strongest features of each query, by the mean contributions of cross-fitted stages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import reduce
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.array_types import Floats, Ints
from assay.pipeline.explanations.explanation import Explanation, WordContributions

MOST = 5
"""Features that are kept per query."""


@dataclass(frozen=True, slots=True, eq=False)
class Strongest:
    """The strongest features: row i is about query `query[i]`, whose best feature has rank 1.

    `feature` is a place in `names`; of words, which have no names, it is their number.
    """

    query: Ints
    rank: Ints
    feature: Ints
    value: Floats
    contribution: Floats
    names: NDArray[np.str_]

    def arrays(self, key: str) -> dict[str, NDArray[Any]]:
        """Return everything as plain arrays, named after the key."""
        return {f"{key}.{each.name}": getattr(self, each.name) for each in fields(self)}


def strongest_features(made: Sequence[Explanation], stages: int) -> Strongest:
    """Return the strongest features of one thing that several stages explain.

    Parameters
    ----------
    made
        The explanations of the stages, of the same queries. A feature that one of them lacks, such
        as the score for a criterion that it learned nothing about, contributes 0 there.
    stages
        How many stages there are, with those that explain nothing.

    """
    first: dict[str, int] = {}
    for each in made:
        for name in each.names:
            first.setdefault(name, len(first))
    shape = (len(made[0].contributions), len(first))
    total, values = np.zeros(shape), np.full(shape, np.nan)
    for each in made:
        at = [first[name] for name in each.names]
        total[:, at] += each.contributions / stages
        values[:, at] = np.where(np.isnan(values[:, at]), each.values, values[:, at])
    order = np.argsort(-np.abs(total), axis=1, kind="stable")[:, :MOST]
    query = np.repeat(np.arange(shape[0]), order.shape[1])
    rank = np.tile(np.arange(1, order.shape[1] + 1), shape[0])
    feature = order.ravel()
    contribution = total[query, feature]
    kept = contribution != 0
    query, rank, feature = query[kept], rank[kept], feature[kept]
    return Strongest(
        query, rank, feature, values[query, feature], contribution[kept], np.array(list(first), dtype=np.str_)
    )


def strongest_words(made: Sequence[WordContributions], stages: int) -> Strongest:
    """Return the strongest words of each query, by the mean of several stages."""
    values = reduce(add, (each.values for each in made)) / len(made)
    whole = (reduce(add, (each.contributions for each in made)) / stages).tocoo()
    order = np.lexsort((whole.col, -np.abs(whole.data), whole.row))
    query, word, contribution = whole.row[order], whole.col[order], whole.data[order]
    starts = np.searchsorted(query, query)  # of each row's query
    rank = np.arange(1, len(query) + 1) - starts
    kept = (rank <= MOST) & (contribution != 0)
    query, word = query[kept].astype(np.int64), word[kept].astype(np.int64)
    value = np.asarray(values.tocsr()[query, word], dtype=np.float64).ravel() if len(query) else np.zeros(0)
    return Strongest(query, rank[kept], word, value, contribution[kept], np.array([], dtype=np.str_))


def joined_strongest(parts: Sequence[tuple[int, Strongest]]) -> Strongest:
    """Return the strongest features of several parts of the queries, each with its first query."""
    if len(parts) == 1 and not parts[0][0]:
        return parts[0][1]
    names = list(dict.fromkeys(name for _, each in parts for name in each.names.tolist()))
    place = {name: at for at, name in enumerate(names)}

    def feature(each: Strongest) -> Ints:
        return (
            np.array([place[name] for name in each.names.tolist()])[each.feature] if names else each.feature
        )

    return Strongest(
        np.concatenate([first + each.query for first, each in parts]),
        np.concatenate([each.rank for _, each in parts]),
        np.concatenate([feature(each) for _, each in parts]),
        np.concatenate([each.value for _, each in parts]),
        np.concatenate([each.contribution for _, each in parts]),
        np.array(names, dtype=np.str_),
    )


def strongest_from(arrays: Any, key: str) -> Strongest:
    """Return what `arrays` was called on."""
    return Strongest(**{each.name: np.asarray(arrays[f"{key}.{each.name}"]) for each in fields(Strongest)})
