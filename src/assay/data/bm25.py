"""The parts of BM25: how rare a word is, and how much another occurrence of it adds.

S. Robertson, H. Zaragoza: The Probabilistic Relevance Framework: BM25 and Beyond, 2009.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

K1, B = 1.2, 0.75


def inverse_document_frequency(n: int, df: NDArray[Any]) -> NDArray[np.float64]:
    """Return ln(1 + (n − df + ½) / (df + ½)), which is never negative."""
    idf: NDArray[np.float64] = np.log1p((n - df + 0.5) / (df + 0.5))
    return idf


def saturated(
    tf: NDArray[Any], length: NDArray[Any], mean: float, k1: float = K1, b: float = B
) -> NDArray[np.float64]:
    """Return tf · (k1 + 1) / (tf + k1 · (1 − b + b · length / mean)), one value per occurrence."""
    weight: NDArray[np.float64] = tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / mean))
    return weight
