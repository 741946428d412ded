"""Set utility: a weighted sum of the candidates found, listed in vain and missed."""

from __future__ import annotations

import numpy as np

from assay.metrics.core.entry import INFINITE, Edge, Fails, Kind, Metric, Property, Witness, per_query
from assay.metrics.core.family import Costs, Level, measure
from assay.metrics.core.rankings import ALL, Rankings, Values, relevant
from assay.metrics.core.toy_cases import ranking


def set_utility(r: Rankings, found: float, alarm: float, missed: float, rel: int) -> Values:
    """Return found · hits − alarm · other candidates − missed · gold that is not listed."""
    view = relevant(r, rel)
    hits = view.hits(ALL)
    values = found * hits - alarm * (r.n - hits) - missed * (view.R - hits)
    return values.astype(np.float64), np.zeros(len(r.n), dtype=np.uint8)


@measure("set_utility", spellings=(("trec_eval", "utility"),))
def set_utility_entry(found: Costs = 1, alarm: Costs = 1, missed: Costs = 0, rel: Level = 1) -> Metric:
    """Worth of the gold in the list, less the cost of everything else in it."""
    fails: Fails = {Property.IDEAL_IS_BEST: Witness(ranking("1"), "more gold always raises the value")}
    if alarm > 0:
        fails[Property.APPEND_UNJUDGED] = Witness(ranking("1"), "a longer list costs more")
    return Metric(
        title="Set utility",
        formula="found · hits − alarm · (n − hits) − missed · (R − hits)",
        latex=r"f\,h - a\,(n - h) - m\,(R - h),\quad h = |\mathrm{gold} \cap \mathrm{candidates}|",
        meaning="value of the returned list to a reader who reads all of it",
        notes=(
            "trec_eval's `utility.p1,p2,p3,p4` with p1 = found, p2 = −alarm, p3 = −missed and p4 = 0: "
            "p4 needs the size of the collection.",
            "assay's own `utility` is another measure, which rewards abstaining.",
        ),
        columns=per_query(lambda cases: set_utility(cases, found, alarm, missed, rel)),
        kind=Kind.RANKING,
        expected_ties=True,
        range=(-INFINITE, INFINITE),
        fails=fails,
        edges=(
            Edge(ranking("100", R=3), found - 2 * alarm - 2 * missed, "one found, two in vain, two missed"),
            Edge(ranking("", R=2), -2 * missed, "nothing listed"),
        ),
    )
