"""Share of the retrieved pairs of a relevant and another candidate that are in the right order."""

from __future__ import annotations

import numpy as np

from assay.data.cases import Cases
from assay.metrics.core.entry import Edge, Fails, Kind, Metric, Property, Witness, at_cut
from assay.metrics.core.family import Cut, Level, measure
from assay.metrics.core.rankings import ALL, Convention, ratio, relevant, sum_by_query
from assay.metrics.core.reduce import Columns, Reduced, Sums, quotient
from assay.metrics.core.toy_cases import ranking

NO_PAIR = Witness(ranking("1"), "without another candidate there is no pair")


def _fails(k: int) -> Fails:
    """Return what fails at a cut-off; at 1 there is no pair, and every value is 0."""
    if k == 1:
        return {Property.IDEAL_IS_BEST: NO_PAIR}
    fails: Fails = {
        Property.APPEND_UNJUDGED: Witness(ranking("1"), "the new candidate makes the first pair"),
        Property.NEW_HIT_NEVER_HURTS: Witness(ranking("1.", R=2), "no other candidate is left"),
        Property.IDEAL_IS_BEST: NO_PAIR,
    }
    if k < ALL:
        below = at_cut(k, lambda n: ranking("1" + "0" * (n - 1) + "1"), "a hit below the cut is in no pair")
        fails |= {Property.SWAP_UP_NEVER_HURTS: below, Property.GROWS_WITH_K: below}
    return fails


def pairs(cases: Cases, k: int, rel: int) -> Columns:
    """Return the share of ordered pairs of each query, and whether it has any pair."""
    view = relevant(cases, rel)
    inside = view.rank <= k
    hits = view.count(inside)
    others = np.minimum(cases.n, k) - hits
    above = sum_by_query(
        view.query, np.where(inside, view.rank - view.ordinal, 0).astype(np.float64), len(cases)
    )
    defined = hits * others > 0
    share = np.where(defined, 1.0 - ratio(above, hits * others), 0.0)
    return Columns({"count": share, "defined": defined.astype(np.float64)})


def _mean(_: object, total: object, defined: object) -> Reduced:
    return quotient(np.asarray(total), np.asarray(defined), 0.0, Convention.ZERO_DENOMINATOR)


@measure("ordered_pairs", spellings=(("ir_measures", "Accuracy[@k]"),))
def ordered_pairs_entry(k: Cut, rel: Level = 1) -> Metric:
    """Share of pairs of a relevant and another candidate in the top k that are in the right order."""
    return Metric(
        title="Ordered pairs",
        formula="pairs in the top k with the relevant candidate above / hits·(min(k, n) − hits), "
        "mean over queries with such pairs",
        latex=r"\frac{|\{i < j \le k : i \in \mathrm{gold}, j \notin \mathrm{gold}\}|}{h\,(\min(k, n) - h)}",
        meaning="area under the ROC curve of the retrieved candidates of a query",
        notes=(
            "`Accuracy` of ir_measures 0.4.3 (MacAvaney, Macdonald and Ounis 2022).",
            "Queries whose top k has no relevant candidate, or nothing else, are not averaged: a system "
            "that finds less can have a higher value. ir_measures stops with an error at the second kind.",
        ),
        columns=lambda cases: pairs(cases, k, rel),
        reduce=Sums(("count", "defined"), _mean),
        kind=Kind.CUT_RANKING,
        fails=_fails(k),
        edges=(
            Edge(ranking("00", R=1), 0.0, "no relevant candidate", Convention.ZERO_DENOMINATOR),
            *([Edge(ranking("10"), 1.0, "the only pair is in order")] if k >= 2 else []),
            *([Edge(ranking("0110"), 0.5, "2 of 4 pairs")] if k >= 4 else []),
        ),
    )
