"""Pointwise bands of curves that follow from sums over the queries beyond each threshold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from assay.array_types import Floats, Ints
from assay.data.cases import Cases
from assay.evaluation.intervals.bootstrap_plan import Bootstrap
from assay.evaluation.intervals.curve_bands import Band
from assay.evaluation.intervals.resample import Strata, draws

RESAMPLES = 1000
"""Largest number of resamples: the ends of a band move by less than a line's width beyond."""


def threshold_band(
    cases: Cases,
    x: Floats,
    sums: Sequence[tuple[Ints, Floats]],
    value: Callable[[Sequence[Floats]], Floats],
    plan: Bootstrap,
) -> Band:
    """Return the band of a curve with one point per threshold, at `x`.

    Each of `sums` has a step and a number per query: the number counts at that point and at every later
    one, and never at a step of len(x). Of each resample, `value` turns the totals (rows of resamples,
    columns of points) into the values of the curve. Whole numbers up to 16 million are exact in 32 bits,
    where products take half the time.
    """
    strata = Strata.of(cases, plan.unit)
    points, units = len(x), sum(map(len, strata.members))
    tables = []
    for step, each in sums:
        cell = strata.unit * (points + 1) + step
        table = np.bincount(cell, each, units * (points + 1)).reshape(units, points + 1)
        tables.append(np.cumsum(table[:, :points], axis=1).astype(np.float32))
    joined = np.concatenate(tables, axis=1)
    few = replace(plan, resamples=min(plan.resamples, RESAMPLES))
    parts = []
    for counts in draws(strata, few.resamples, few.seed):
        totals = (counts.astype(np.float32) @ joined).astype(np.float64)
        parts.append(value(np.split(totals, len(sums), axis=1)))
    tail = (1 - few.level) / 2
    low, high = np.nanquantile(np.concatenate(parts), [tail, 1 - tail], axis=0)
    return Band(x, low, high, few.level, few.unit, few.resamples, 0)
