"""Probabilities compared as the decimals people write.

As a float, 0.1 is above one tenth and 1 − 0.7 is above 0.3. Before a probability is compared with
a bin edge or with another probability, both are rounded to 12 digits.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from assay.array_types import Floats, Ints

UNIT = 10**12
"""Steps between 0 and 1."""
DOUBT = 1e-3
"""A float product below 10¹² has a smaller error; this close to a half it may round wrongly."""


def in_steps(values: Floats) -> Ints:
    """Return each value as a whole number of 10⁻¹², halves to even, as Python's `round` does."""
    scaled = np.asarray(values, dtype=np.float64) * UNIT
    steps = np.rint(scaled).astype(np.int64)
    for at in np.flatnonzero(np.abs(scaled - np.floor(scaled) - 0.5) < DOUBT):
        steps[at] = round(Fraction(float(values[at])) * UNIT)
    return steps


def edges(bins: int) -> Ints:
    """Return the inner edges i/bins of equal-width bins, in steps."""
    return np.array([round(Fraction(at * UNIT, bins)) for at in range(1, bins)], dtype=np.int64)


def bin_of(prob: Floats, bins: int) -> Ints:
    """Return the equal-width bin (lo, hi] of each probability; 0 is in the first bin."""
    return np.searchsorted(edges(bins), in_steps(prob), side="left")


def distance(prob: Floats, at: float) -> Floats:
    """Return |p − at| in steps: 0.3 and 0.7 are equally far from 0.5."""
    return np.abs(in_steps(prob) - round(Fraction(at) * UNIT)).astype(np.float64)
