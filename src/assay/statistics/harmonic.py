"""Sums of 1/i and 1/i² between any two numbers, in closed form."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from assay.array_types import Floats

SHIFT = 12
"""From here on the series below are exact to the last digit of a double."""


def reciprocal_sum(first: NDArray[np.float64], last: NDArray[np.float64]) -> Floats:
    """Return Σ 1/i for i from first to last in steps of 1; 0 where last is first − 1."""
    return _digamma(last + 1.0) - _digamma(first)


def squared_sum(first: NDArray[np.float64], last: NDArray[np.float64]) -> Floats:
    """Return Σ 1/i² for i from first to last in steps of 1; `last` may be infinite."""
    return _trigamma(first) - _trigamma(last + 1.0)


def _digamma(x: NDArray[np.float64]) -> Floats:
    """Return the derivative of log Γ, by its asymptotic series."""
    below = np.zeros_like(x)
    for step in range(SHIFT):
        below += 1.0 / (x + step)
    y = x + SHIFT
    v = 1.0 / (y * y)
    series = v * (1 / 12 - v * (1 / 120 - v * (1 / 252 - v * (1 / 240 - v * (1 / 132)))))
    return np.asarray(np.log(y) - 0.5 / y - series - below, dtype=np.float64)


def _trigamma(x: NDArray[np.float64]) -> Floats:
    """Return the derivative of the digamma function, by its asymptotic series."""
    above = np.zeros_like(x)
    for step in range(SHIFT):
        above += 1.0 / np.square(x + step)
    y = 1.0 / (x + SHIFT)
    v = y * y
    series = v * (1 / 6 - v * (1 / 30 - v * (1 / 42 - v * (1 / 30 - v * (5 / 66)))))
    return np.asarray(above + y * (1.0 + 0.5 * y + series), dtype=np.float64)
