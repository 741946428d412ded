"""The parts of BM25: what a word is, how rare it is, and how much another occurrence of it adds.

S. Robertson, H. Zaragoza: The Probabilistic Relevance Framework: BM25 and Beyond, 2009.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

K1, B = 1.2, 0.75
UNSPACED = (
    (0x0E00, 0x0EFF),
    (0x0F00, 0x0FFF),
    (0x1000, 0x109F),
    (0x1780, 0x17FF),
    (0x3005, 0x3007),
    (0x3040, 0x309F),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)
"""Scripts written without spaces, in which each letter counts as a word: Thai, Lao, Tibetan, Myanmar,
Khmer, hiragana and the ideographs. Runs of katakana and hangul are words."""
_ALONE = "".join(f"{chr(first)}-{chr(last)}" for first, last in UNSPACED)
WORD = (
    rf"[\p{{L}}\p{{N}}&&[{_ALONE}]]\p{{M}}*"
    rf"|[\p{{L}}\p{{N}}_--[{_ALONE}]][\p{{L}}\p{{M}}\p{{N}}_--[{_ALONE}]]*"
)
"""A word, as a regular expression of Polars: one such letter, or a run of letters, digits and underscores.
Combining marks, such as the vowel signs of Hindi, belong to the letter before."""


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
