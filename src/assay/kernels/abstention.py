"""Abstention curves: the mean value of the queries that are kept, over ten rates of abstention."""

from __future__ import annotations

import numpy as np

from assay.kernels.binary import Presorted
from assay.kernels.layout import Floats

RATES = np.linspace(0, 1, 11)[:-1]


def normalised_area(confidence: Floats, gain: Floats, counts: Floats) -> tuple[Floats, Floats]:
    """Area under the abstention curve less the flat one; and the same of the best order.

    At rate r the round(r·n) queries of lowest confidence are left out (half to even, at most
    n − 1), the first of equal ones first; areas are by trapezoids (arXiv 2402.12997).
    """
    flat = _curve(Presorted.of(gain), gain, counts, RATES[:1])[:, 0] * (RATES[-1] - RATES[0])
    areas = [
        np.trapezoid(_curve(Presorted.of(by), gain, counts, RATES), RATES, axis=1) - flat
        for by in (confidence, gain)
    ]
    return areas[0], areas[1]


def _curve(by: Presorted, gain: Floats, counts: Floats, rates: Floats) -> Floats:
    """Mean of what is kept at each rate, one row a row of counts; 0 where nothing counts."""
    ordered = counts[:, by.order]
    ranked = gain[by.order]
    listed = np.cumsum(ordered, axis=1)
    total = np.cumsum(ordered * ranked, axis=1)
    n = listed[:, -1]
    curve = np.zeros((len(counts), len(rates)))
    rows = np.arange(len(counts))
    for place, rate in enumerate(rates):
        gone = np.maximum(np.minimum(np.round(rate * n), n - 1), 0)
        at = np.minimum((listed < gone[:, None]).sum(axis=1), len(ranked) - 1)
        over = listed[rows, at] - gone  # of the query at the edge, as many copies are kept
        kept = total[:, -1] - total[rows, at] + over * ranked[at]
        np.divide(kept, n - gone, out=curve[:, place], where=n > 0)
    return curve
