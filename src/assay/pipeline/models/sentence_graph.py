"""Edges between the sentences of a post: the previous, the next, the most similar."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from assay.array_types import Floats, Ints
from assay.pipeline.views import Unlabelled

RELATIONS = ("previous", "next", "alike")


def edges_of(view: Unlabelled, nearest: int) -> tuple[Ints, ...]:
    """Return two rows per relation, source and target: one array for each of `RELATIONS`.

    previous: i − 1 → i. next: i + 1 → i. alike: the `nearest` other sentences of the same post
    with the highest cosine of embeddings → i; ties go to the earlier. No edge leaves a post.
    """
    after = np.flatnonzero(view.owner[:-1] == view.owner[1:])
    return (np.stack([after, after + 1]), np.stack([after + 1, after]), _alike(view, nearest))


def _alike(view: Unlabelled, nearest: int) -> Ints:
    dense = view.tokens.dense
    if dense is None or not nearest:
        return np.empty((2, 0), dtype=np.int64)
    pairs = [_nearest(dense[start:end], nearest) + start for start, end in pairwise(view.offsets.tolist())]
    return np.concatenate([np.empty((2, 0), dtype=np.int64), *pairs], axis=1)


def _nearest(dense: Floats, nearest: int) -> Ints:
    """Return source and target of each edge of one post."""
    count = min(nearest, len(dense) - 1)
    alike = dense @ dense.T
    np.fill_diagonal(alike, -np.inf)
    source = np.argsort(-alike, axis=1, kind="stable")[:, :count]
    return np.stack([source.reshape(-1), np.repeat(np.arange(len(dense)), count)])
