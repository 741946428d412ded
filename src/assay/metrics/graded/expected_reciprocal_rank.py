"""Expected reciprocal rank (Chapelle et al. 2009)."""

from __future__ import annotations

import numpy as np

from assay.data.cases import Cases
from assay.errors import MeasureError
from assay.metrics.core.entry import EMPTY, NOTHING, Edge, Kind, Metric, Property, Witness, per_query
from assay.metrics.core.family import Cut, Scale, measure
from assay.metrics.core.rankings import Rankings, Values, conventions
from assay.metrics.core.toy_cases import ranking


def expected_reciprocal_rank(r: Rankings, k: int, gmax: int) -> Values:
    """Return Σ over ranks of 1/rank · R_i · Π before (1 − R_j), R_i = (2^grade − 1) / 2^gmax."""
    keep = (r.hit_grade > 0) & (r.hit_rank <= k)
    query, rank = r.hit_query[keep], r.hit_rank[keep]
    stop = (np.exp2(r.hit_grade[keep]) - 1.0) / 2.0**gmax
    counts = np.bincount(query, minlength=len(r.n))
    starts = np.cumsum(counts) - counts
    still_reading = np.ones(len(r.n))
    values = np.zeros(len(r.n))
    for step in range(int(counts.max(initial=0))):
        active = np.flatnonzero(counts > step)
        row = starts[active] + step
        values[active] += still_reading[active] * stop[row] / rank[row]
        still_reading[active] *= 1.0 - stop[row]
    return values, conventions(r.n)


@measure("err", printed_as=("expected reciprocal rank",), spellings=(("ir_measures", "ERR@k", "gmax=4"),))
def expected_reciprocal_rank_entry(k: Cut, gmax: Scale = 1) -> Metric:
    """Expected reciprocal rank at which a reader is satisfied."""

    def values(cases: Cases) -> Values:
        highest = cases.gold_grade.max(initial=0)
        if highest > gmax:
            raise MeasureError(
                f"err: the gold has grade {highest:g}, above gmax={gmax}; "
                f"set gmax to the highest grade of the scale"
            )
        return expected_reciprocal_rank(cases, k, gmax)

    return Metric(
        title="Expected reciprocal rank",
        formula="Σ 1/rank · S · Π before (1 − S), S = (2^rel − 1) / 2^gmax",
        latex=r"\sum_{r=1}^{k} \frac{R_r}{r} \prod_{i<r} (1 - R_i),\quad"
        r" R_i = \frac{2^{\mathrm{rel}_i} - 1}{2^{g_\mathrm{max}}}",
        meaning="how early a reader stops who stops once satisfied",
        columns=per_query(values),
        kind=Kind.CUT_RANKING,
        fails={Property.IDEAL_IS_BEST: Witness(ranking("1"), "no grade satisfies with certainty")},
        edges=(EMPTY, NOTHING, Edge(ranking("1"), 0.5**gmax, "(2 − 1) / 2^gmax")),
    )
