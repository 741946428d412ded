"""Expected reciprocal rank (Chapelle et al. 2009)."""

from __future__ import annotations

import numpy as np

from assay.array_types import Floats
from assay.data.cases import Cases
from assay.errors import MeasureError
from assay.metrics.core.entry import EMPTY, NOTHING, Edge, Kind, Metric, Property, Witness, per_query
from assay.metrics.core.family import Cut, Scale, measure
from assay.metrics.core.rankings import Rankings, Values, conventions
from assay.metrics.core.tied_ranks import groups_of_hits, mean_of_prefix_products
from assay.metrics.core.toy_cases import ranking


def expected_reciprocal_rank(r: Rankings, k: int, gmax: int) -> Values:
    """Return Σ over ranks of 1/rank · R_i · Π before (1 − R_j), R_i = (2^grade − 1) / 2^gmax."""
    if r.expected_ties:
        return expected_over_ties(r, k, gmax), conventions(r.n)
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


def expected_over_ties(r: Rankings, k: int, gmax: int) -> Floats:
    """Return Σ over ranks of 1/rank · the drop of the chance of reading on, expected over the orders."""
    values, reading = np.zeros(len(r.n)), np.ones(len(r.n))
    for query, above, size, places in groups_of_hits(r, r.hit_grade > 0):
        if above >= k:
            continue
        goes_on = 1.0 - (np.exp2(r.hit_grade[places]) - 1.0) / 2.0**gmax
        on = mean_of_prefix_products(goes_on, size - len(goes_on))
        ranks = above + np.arange(1, size + 1)
        values[query] += reading[query] * ((on[:-1] - on[1:]) / ranks)[ranks <= k].sum()
        reading[query] *= on[-1]
    return values


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
        expected_ties=True,
        fails={Property.IDEAL_IS_BEST: Witness(ranking("1"), "no grade satisfies with certainty")},
        edges=(EMPTY, NOTHING, Edge(ranking("1"), 0.5**gmax, "(2 − 1) / 2^gmax")),
    )
