"""Products of sentence and criterion vectors, for the pairs that are asked."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.array_types import Floats, Ints
from assay.pipeline.models.token_counts import Matrix
from assay.pipeline.view_layout import Layout

COMMON = 16
"""A criterion asked of at least this many posts is multiplied with their sentences at once."""
ENTRIES = 4_000_000
"""Vector entries held at a time for the other pairs."""


def sparse_products(sentences: Matrix, criteria: Matrix, layout: Layout) -> Floats:
    """Return the product of the two sparse rows of each pair."""
    out = np.zeros(len(layout.pair_query))
    asked = np.bincount(layout.query_criterion, minlength=len(layout.criteria))
    common = asked >= COMMON
    by_column = criteria[np.flatnonzero(common)]
    place = np.cumsum(common) - 1
    for rows in np.array_split(np.flatnonzero(common), -(-int(common.sum()) // COMMON) or 1):
        if not len(rows):
            continue
        grid = (sentences @ by_column[place[rows]].T).toarray()
        column = np.full(len(common), -1)
        column[rows] = np.arange(len(rows))
        pairs = np.flatnonzero(column[layout.pair_criterion] >= 0)
        out[pairs] = grid[layout.pair_sentence[pairs], column[layout.pair_criterion[pairs]]]
    rare = np.flatnonzero(~common[layout.pair_criterion])
    entries = np.diff(sentences.indptr)[layout.pair_sentence[rare]]
    for part in _blocks(entries, rare):
        left = sentences[layout.pair_sentence[part]]
        out[part] = np.asarray(left.multiply(criteria[layout.pair_criterion[part]]).sum(axis=1)).ravel()
    return out


def dense_products(sentences: Floats, criteria: Floats, layout: Layout) -> Floats:
    """Return the product of the two dense rows of each pair."""
    out = np.empty(len(layout.pair_query))
    width = np.full(len(out), sentences.shape[1])
    for part in _blocks(width, np.arange(len(out))):
        left, right = sentences[layout.pair_sentence[part]], criteria[layout.pair_criterion[part]]
        out[part] = np.einsum("ij,ij->i", left, right)
    return out


def _blocks(entries: Ints, pairs: Ints) -> list[Any]:
    """Return the pairs in blocks of about `ENTRIES` entries."""
    if not len(pairs):
        return []
    block = np.cumsum(entries) // ENTRIES
    return np.split(pairs, np.flatnonzero(np.diff(block)) + 1)
