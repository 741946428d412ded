"""Abstention curves: the mean value of the queries that are kept, over ten rates of abstention."""

from __future__ import annotations

import numpy as np

from assay.kernels.layout import Floats

RATES = np.linspace(0, 1, 11)[:-1]


def normalised_area(confidence: Floats, gain: Floats, counts: Floats) -> tuple[float, float]:
    """Area under the abstention curve less the flat one; and the same of the best order.

    At rate r the round(r·n) queries of lowest confidence are left out (half to even, at most
    n − 1), the first of equal ones first; areas are by trapezoids (arXiv 2402.12997).
    """
    flat = float(counts @ gain) / max(float(counts.sum()), 1.0) * float(RATES[-1] - RATES[0])
    of_confidence, of_gain = (
        float(np.trapezoid(_curve(by, gain, counts), RATES)) - flat for by in (confidence, gain)
    )
    return of_confidence, of_gain


def _curve(by: Floats, gain: Floats, counts: Floats) -> Floats:
    """Mean of what is kept at each rate; 0 where nothing counts."""
    order = np.argsort(by, kind="stable")
    ranked, times = gain[order], counts[order]
    listed, total = np.cumsum(times), np.cumsum(times * ranked)
    n = float(listed[-1])
    if n == 0:
        return np.zeros(len(RATES))
    gone = np.minimum(np.round(RATES * n), n - 1)
    at = np.searchsorted(listed, gone)
    over = listed[at] - gone  # of the query at the edge, as many copies are kept
    return np.asarray((total[-1] - total[at] + over * ranked[at]) / (n - gone))
