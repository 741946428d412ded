"""Matrix products in one thread."""

from __future__ import annotations

import numpy as np

from assay.array_types import Floats

TILE = 64
"""Products of 64 × 64 × 64 are the largest that OpenBLAS computes in one thread; its other threads
spin while they wait for the next product. CPU of `assay.evaluate` with 10,000 resamples on 15,000
queries of 1,500 posts, two cores (medians of 3): 2.9 s with tiles, 4.7 s with `left @ right`. The
command line sets OPENBLAS_NUM_THREADS instead; a library must not."""


def product(left: Floats, right: Floats) -> Floats:
    """Return the matrix product left @ right, computed in tiles."""
    inner = left.shape[1]
    whole = inner - inner % TILE
    out = np.zeros((left.shape[0], right.shape[1]))
    for top in range(0, left.shape[0], TILE):
        rows = slice(top, top + TILE)
        high = left[rows]
        stacked = high[:, :whole].reshape(len(high), -1, TILE).transpose(1, 0, 2)
        for first in range(0, right.shape[1], TILE):
            columns = slice(first, first + TILE)
            wide = right[:, columns]
            below = wide[:whole].reshape(-1, TILE, wide.shape[1])
            out[rows, columns] = np.add.reduce(stacked @ below, axis=0)  # one product per tile
            out[rows, columns] += high[:, whole:] @ wide[whole:]
    return out
