"""p-values adjusted for a family of tests."""

from __future__ import annotations

import numpy as np

from assay.array_types import Floats


def holm(p: Floats) -> Floats:
    """Holm's step-down, of any error: the largest (m − i)·p₍ᵢ₎ up to here, i from 0."""
    order = np.argsort(p, kind="stable")
    left = len(p) - np.arange(len(p))
    return _placed(np.maximum.accumulate(left * p[order]), order)


def benjamini_hochberg(p: Floats) -> Floats:
    """Benjamini–Hochberg's step-up, of the share of errors: the smallest m·p₍ᵢ₎/i from here on."""
    order = np.argsort(p, kind="stable")
    scaled = p[order] * len(p) / (1.0 + np.arange(len(p)))
    return _placed(np.minimum.accumulate(scaled[::-1])[::-1], order)


def _placed(ordered: Floats, order: np.ndarray[tuple[int], np.dtype[np.intp]]) -> Floats:
    placed = np.empty(len(ordered))
    placed[order] = np.minimum(ordered, 1.0)
    return placed
