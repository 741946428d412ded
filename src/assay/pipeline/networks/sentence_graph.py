"""Edges between the candidates of a query: the previous sentence, the next, the most similar."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from assay.array_types import Floats, Ints
from assay.pipeline.view_layout import Layout, runs

RELATIONS = ("previous", "next", "alike")
CELLS = 4_000_000
"""Cosines held at a time, unless one sentence has more."""


def edges_of(layout: Layout, dense: Floats, nearest: int) -> tuple[Ints, ...]:
    """Return two rows per relation, source and target: one array for each of `RELATIONS`.

    previous: i − 1 → i. next: i + 1 → i. alike: the `nearest` other sentences of the same post
    with the highest cosine of embeddings → i; ties go to the earlier. No edge leaves a post.
    """
    after = np.flatnonzero(layout.owner[:-1] == layout.owner[1:])
    return (np.stack([after, after + 1]), np.stack([after + 1, after]), _alike(layout, dense, nearest))


def pair_edges(edges: Ints, layout: Layout) -> Ints:
    """Return edges of sentences as edges of pairs: one per query of the post.

    No edge leaves a query.
    """
    source, target = edges
    post = layout.owner[target]
    first = np.searchsorted(layout.query_post, np.arange(len(layout.posts) + 1))
    counts = np.diff(first)[post]
    start = layout.pair_offsets[runs(first[post], counts)]
    return np.stack([start + np.repeat(layout.place[end], counts) for end in (source, target)])


def _alike(layout: Layout, dense: Floats, nearest: int) -> Ints:
    none = np.empty((2, 0), dtype=np.int64)
    if not nearest:
        return none
    bounds = pairwise(layout.offsets.tolist())
    return np.concatenate([none, *(_nearest(dense[a:b], nearest) + a for a, b in bounds)], axis=1)


def _nearest(dense: Floats, nearest: int) -> Ints:
    """Return source and target of each edge of one post."""
    size = len(dense)
    count = min(nearest, size - 1)
    source = np.empty((size, count), dtype=np.int64)
    step = max(CELLS // size, 1)
    for start in range(0, size, step):
        rows = np.arange(start, min(start + step, size))
        alike = dense[rows] @ dense.T
        alike[rows - start, rows] = -np.inf
        source[rows] = np.argsort(-alike, axis=1, kind="stable")[:, :count]
    return np.stack([source.reshape(-1), np.repeat(np.arange(size), count)])
