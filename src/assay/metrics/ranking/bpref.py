"""bpref: preference of relevant over judged non-relevant candidates."""

from __future__ import annotations

import numpy as np

from assay.metrics.core.entry import EMPTY, NO_GOLD, Edge, Kind, Metric, Property, Witness, per_query
from assay.metrics.core.family import Level, measure
from assay.metrics.core.rankings import (
    Convention,
    Rankings,
    Values,
    conventions,
    ratio,
    relevant,
    sum_by_query,
)
from assay.metrics.core.toy_cases import Toy


def bpref(r: Rankings, rel: int) -> Values:
    """Return 1/R · Σ over retrieved relevant of 1 − min(judged non-relevant above, R) / min(N, R).

    N is the number of items judged non-relevant.
    """
    view = relevant(r, rel)
    is_relevant = r.hit_grade >= rel
    counts = np.bincount(r.hit_query, minlength=len(r.n))
    starts = np.cumsum(counts) - counts
    nonrel_so_far = np.concatenate(([0], np.cumsum(~is_relevant)))
    above = nonrel_so_far[:-1][is_relevant] - nonrel_so_far[starts[view.query]]
    bound = view.R[view.query]
    total = np.minimum((r.judged - view.R)[view.query], bound)
    share = 1.0 - ratio(np.minimum(above, bound), total)
    values = ratio(sum_by_query(view.query, share, len(r.n)), view.R)
    return values, conventions(r.n, (view.R == 0, Convention.NO_GOLD))


@measure("bpref", spellings=(("ir_measures", "Bpref BPref"), ("trec_eval", "bpref"), ("ranx", "bpref")))
def bpref_entry(rel: Level = 1) -> Metric:
    """Preference of relevant over judged non-relevant candidates."""
    return Metric(
        title="bpref",
        formula="1/R · Σ over retrieved gold of 1 − min(non-relevant above, R) / min(N, R)",
        latex=r"\frac{1}{R}\sum_{r} \left(1 - \frac{\min(n_{\uparrow r}, R)}{\min(N, R)}\right)",
        meaning="how often evidence ranks above sentences judged not to be evidence",
        columns=per_query(lambda cases: bpref(cases, rel)),
        kind=Kind.RANKING,
        fails={
            Property.UNJUDGED_IS_NONRELEVANT: Witness(Toy(".1"), "only judged candidates count"),
            Property.MISSED_GOLD_NEVER_HELPS: Witness(
                Toy("0001", missed=(1, 1), missed_nonrel=1),
                "R bounds the penalty of a non-relevant candidate",
            ),
        },
        edges=(
            NO_GOLD,
            EMPTY,
            Edge(Toy(".1"), 1.0, "unjudged candidates do not count"),
            Edge(Toy("01", missed_nonrel=3), 0.0, "one non-relevant above, R = 1"),
        ),
    )
