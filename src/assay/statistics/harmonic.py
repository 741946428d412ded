"""Sums of 1/i and 1/i² between any two numbers, in closed form."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from assay.array_types import Floats

SHIFT = 12
"""From here on the series below are exact to the last digit of a double."""
TRIGAMMA = {1: 1.0, 2: 1 / 2, 3: 1 / 6, 5: -1 / 30, 7: 1 / 42, 9: -1 / 30, 11: 5 / 66}
"""The asymptotic series of the trigamma function: coefficients of the powers of 1/x."""


def reciprocal_sum(first: NDArray[np.float64], last: NDArray[np.float64]) -> Floats:
    """Return Σ 1/i for i from first to last in steps of 1; 0 where last is first − 1."""
    return _digamma(last + 1.0) - _digamma(first)


def squared_sum(first: NDArray[np.float64], last: NDArray[np.float64]) -> Floats:
    """Return Σ 1/i² for i from first to last in steps of 1; `last` may be infinite.

    It is the difference of two trigamma functions, taken term by term: far from 1 they agree in
    nearly all digits.
    """
    end = last + 1.0
    total = np.zeros(np.broadcast(first, end).shape)
    for step in range(SHIFT):
        total += _apart(first + step, end + step) * (1.0 / (first + step) + 1.0 / (end + step))
    y, z = 1.0 / (first + SHIFT), 1.0 / (end + SHIFT)
    power, same, series = np.ones_like(z), np.ones_like(total), np.zeros_like(total)
    for exponent in range(1, max(TRIGAMMA) + 1):
        series += TRIGAMMA.get(exponent, 0.0) * same  # (y^e − z^e) / (y − z)
        power = power * z
        same = same * y + power
    return np.asarray(total + _apart(first + SHIFT, end + SHIFT) * series, dtype=np.float64)


def _apart(first: NDArray[np.float64], end: NDArray[np.float64]) -> Floats:
    """Return 1/first − 1/end without a loss of digits."""
    with np.errstate(invalid="ignore"):  # ∞ · 0
        return np.where(np.isinf(end), 1.0 / first, (end - first) / first / end)


def _digamma(x: NDArray[np.float64]) -> Floats:
    """Return the derivative of log Γ, by its asymptotic series."""
    below = np.zeros_like(x)
    for step in range(SHIFT):
        below += 1.0 / (x + step)
    y = x + SHIFT
    v = 1.0 / (y * y)
    series = v * (1 / 12 - v * (1 / 120 - v * (1 / 252 - v * (1 / 240 - v * (1 / 132)))))
    return np.asarray(np.log(y) - 0.5 / y - series - below, dtype=np.float64)
