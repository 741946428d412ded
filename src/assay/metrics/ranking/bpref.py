"""bpref: preference of relevant over judged non-relevant candidates, and its geometric mean."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.array_types import Floats, Ints
from assay.metrics.core.entry import (
    EMPTY,
    LONGEST_CASE,
    NO_GOLD,
    Edge,
    Fails,
    Kind,
    Metric,
    Property,
    Witness,
    per_query,
)
from assay.metrics.core.family import Level, Share, measure
from assay.metrics.core.rankings import (
    Convention,
    Rankings,
    Relevant,
    Values,
    conventions,
    ratio,
    relevant,
    starts_of_groups,
    sum_by_query,
)
from assay.metrics.core.reduce import Sums, geometric_mean
from assay.metrics.core.toy_cases import Toy, ranking
from assay.metrics.ranking.geometric_mean import logarithms

FAILS: Fails = {
    Property.UNJUDGED_IS_NONRELEVANT: Witness(Toy(".1"), "only judged candidates count"),
    Property.MISSED_GOLD_NEVER_HELPS: Witness(
        Toy("0001", missed=(1, 1), missed_nonrel=1), "R bounds the penalty of a non-relevant candidate"
    ),
}


def bpref(r: Rankings, rel: int) -> Values:
    """Return 1/R · Σ over retrieved relevant of 1 − min(judged non-relevant above, R) / min(N, R).

    N is the number of items judged non-relevant.
    """
    view = relevant(r, rel)
    codes = conventions(r.n, (view.R == 0, Convention.NO_GOLD))
    is_relevant = r.hit_grade >= rel
    counts = np.bincount(r.hit_query, minlength=len(r.n))
    starts = np.cumsum(counts) - counts
    nonrel_so_far = np.concatenate(([0], np.cumsum(~is_relevant)))
    if r.expected_ties:
        group = np.cumsum(starts_of_groups(r.hit_query, r.hit_first)) - 1
        begin = np.flatnonzero(np.diff(group, prepend=-1))
        end = np.append(begin, len(group))[1:]
        before = (nonrel_so_far[begin] - nonrel_so_far[starts[r.hit_query[begin]]])[group][is_relevant]
        tied = (nonrel_so_far[end] - nonrel_so_far[begin])[group][is_relevant]
        return _mean_preference(r, view, expected_penalty(before, tied, view.R[view.query])), codes
    above = nonrel_so_far[:-1][is_relevant] - nonrel_so_far[starts[view.query]]
    return _mean_preference(r, view, np.minimum(above, view.R[view.query])), codes


def _mean_preference(r: Rankings, view: Relevant, penalty: NDArray[Any]) -> Floats:
    """Return 1/R · Σ over retrieved relevant of 1 − penalty / min(N, R)."""
    total = np.minimum(r.judged - view.R, view.R)[view.query]
    share = 1.0 - ratio(penalty, total)
    return ratio(sum_by_query(view.query, share, len(r.n)), view.R)


def expected_penalty(before: Ints, tied: Ints, bound: Ints) -> Floats:
    """Return the mean of min(b + x, bound) over x = 0 … q: each rank among q tied others is as likely."""
    rising = np.clip(bound - before, 0, tied)  # up to here, b + x does not exceed the bound
    total = (rising + 1) * np.minimum(before, bound) + rising * (rising + 1) / 2
    mean: Floats = (total + (tied - rising) * np.minimum(before + rising, bound)) / (tied + 1)
    return mean


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
        expected_ties=True,
        fails=FAILS,
        edges=(
            NO_GOLD,
            EMPTY,
            Edge(Toy(".1"), 1.0, "unjudged candidates do not count"),
            Edge(Toy("01", missed_nonrel=3), 0.0, "one non-relevant above, R = 1"),
        ),
    )


def _missed_gold_helps(floor: float) -> Witness:
    """Return a case in which bpref rises above the floor with one more missed gold item.

    R hits below R/2 + 1 non-relevant candidates have 1/2 − 1/R, and R² / 2(R + 1)² afterwards.
    """
    least = math.sqrt(2 * floor) / (1 - min(math.sqrt(2 * floor), 0.99))
    R = 2 * min(1 + math.floor(least / 2), LONGEST_CASE // 2)
    case = Toy("0" * (R // 2 + 1) + "1" * R, missed_nonrel=R)
    return Witness(case, "R bounds the penalty of a non-relevant candidate")


@measure("gm_bpref", spellings=(("trec_eval", "gm_bpref"),))
def geometric_mean_entry(floor: Share = 0.00001, rel: Level = 1) -> Metric:
    """Geometric mean of bpref, which hard queries dominate."""
    fails = {**FAILS, Property.MISSED_GOLD_NEVER_HELPS: _missed_gold_helps(floor)}
    if floor >= 0.5:  # what missed gold raises stays below one half
        del fails[Property.MISSED_GOLD_NEVER_HELPS]
    return Metric(
        title="Geometric mean bpref",
        formula="exp(mean of log max(bpref, floor))",
        latex=r"\exp\left(\frac{1}{|Q|}\sum_q \log\max(\mathrm{bpref}_q, \varepsilon)\right)",
        meaning="bpref where easy queries cannot compensate for a failed one",
        columns=lambda cases: logarithms(bpref(cases, rel), floor),
        reduce=Sums(("log",), geometric_mean),
        kind=Kind.RANKING,
        fails=fails,
        edges=(Edge(ranking("00", R=1), floor, "the floor"), Edge(ranking("1"), 1.0, "gold first")),
    )
