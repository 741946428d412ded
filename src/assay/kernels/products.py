"""Matrix products in one thread."""

from __future__ import annotations

import numpy as np

from assay.kernels.layout import Floats

TILE = 64
"""Products of 64 × 64 × 64 are the largest that OpenBLAS keeps in one thread. Its other threads
spin while they wait for the next product: on two cores that trebled the CPU of a bootstrap, and
the more cores, the worse."""


def product(left: Floats, right: Floats) -> Floats:
    """The matrix product left @ right, in tiles."""
    out = np.zeros((left.shape[0], right.shape[1]))
    for top in range(0, left.shape[0], TILE):
        rows = slice(top, top + TILE)
        for start in range(0, left.shape[1], TILE):
            inner = slice(start, start + TILE)
            part = left[rows, inner]
            for first in range(0, right.shape[1], TILE):
                columns = slice(first, first + TILE)
                out[rows, columns] += part @ right[inner, columns]
    return out
