"""How sure a ranking is of itself, by its scores: the highest, their spread, the lead of the first.

Only computed where a measure asks for it: it needs every score of every list.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from assay.array_types import Floats, Ints

NAMES = ("max", "std", "diff1")


def confidence_of(lists: Sequence[Sequence[float]]) -> Mapping[str, Floats]:
    """Of scores in lists; −inf, 0 and 0 where a list is empty."""
    starts = np.cumsum([0, *map(len, lists)])[:-1]
    scores = np.array([score for each in lists for score in each], dtype=np.float64)
    return of_scores(scores, np.asarray(starts), np.array(list(map(len, lists)), dtype=np.int64))


def of_scores(scores: Floats, starts: Ints, lengths: Ints, depth: int | None = None) -> Mapping[str, Floats]:
    """Highest score, population standard deviation, and highest less second highest.

    `depth`: of the best so many scores of a list.
    """
    highest, std, lead = np.full(len(starts), -np.inf), np.zeros(len(starts)), np.zeros(len(starts))
    for length in sorted(set(lengths.tolist()) - {0}):  # lists of one length are one matrix
        mine = np.flatnonzero(lengths == length)
        given = scores[starts[mine][:, None] + np.arange(length)]
        best = np.sort(given, axis=1)[:, ::-1][:, :depth]
        highest[mine] = best[:, 0]
        std[mine] = np.std(best, axis=1)
        if best.shape[1] > 1:
            lead[mine] = best[:, 0] - best[:, 1]
    return {"max": highest, "std": std, "diff1": lead}
