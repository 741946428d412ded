"""Reciprocal rank of the first gold item."""

from __future__ import annotations

import numpy as np

from assay.array_types import Floats
from assay.metrics.core.entry import EMPTY, LONGEST_CASE, NO_GOLD, NOTHING, Edge, Kind, Metric, per_query
from assay.metrics.core.family import Level, OptionalCut, measure
from assay.metrics.core.rankings import (
    ALL,
    Convention,
    Rankings,
    Relevant,
    Values,
    conventions,
    relevant,
    sum_by_query,
    tie_groups,
)
from assay.metrics.core.tied_ranks import chances_of_first
from assay.metrics.core.toy_cases import ranking


def reciprocal_rank(r: Rankings, k: int, rel: int) -> Values:
    """Return 1 / rank of the first relevant candidate in the top k, else 0."""
    view = relevant(r, rel)
    codes = conventions(r.n, (view.R == 0, Convention.NO_GOLD))
    if r.expected_ties:
        return expected_reciprocal(view, k), codes
    first = (view.ordinal == 1) & (view.rank <= k)
    values = sum_by_query(view.query[first], 1.0 / view.rank[first], len(r.n))
    return values, codes


def expected_reciprocal(view: Relevant, k: int) -> Floats:
    """Return Σ over ranks of the first group with gold: the chance that gold comes first there / rank."""
    groups = tie_groups(view)
    values = np.zeros(len(view.n))
    for at in np.flatnonzero(groups.before == 0):
        chances = chances_of_first(int(groups.size[at]), int(groups.relevant[at]))
        ranks = groups.above[at] + np.arange(1, len(chances) + 1)
        values[groups.query[at]] = (chances / ranks)[ranks <= k].sum()
    return values


@measure(
    "mrr",
    aliases=("recip_rank", "rr"),
    printed_as=("reciprocal rank", "mean reciprocal rank"),
    spellings=(("ir_measures", "RR[@k] MRR[@k]"), ("trec_eval", "recip_rank"), ("ranx", "mrr[@k]")),
)
def reciprocal_rank_entry(k: OptionalCut, rel: Level = 1) -> Metric:
    """One over the rank of the first gold item."""
    cut = ALL if k is None else k
    edges = [NO_GOLD, EMPTY, NOTHING, Edge(ranking("1"), 1.0, "gold first")]
    if cut <= LONGEST_CASE:
        edges.append(Edge(ranking("0" * cut + "1"), 0.0, "the first gold is below k"))
    return Metric(
        title="Mean reciprocal rank",
        abbreviation="MRR",
        formula="1 / rank of the first gold item, 0 if none" + (" in the top k" if k else ""),
        latex=r"\frac{1}{\mathrm{rank\ of\ first\ gold}}",
        meaning="how early the first evidence appears; its inverse is a harmonic mean of ranks",
        columns=per_query(lambda cases: reciprocal_rank(cases, cut, rel)),
        kind=Kind.CUT_RANKING if k else Kind.RANKING,
        expected_ties=True,
        edges=tuple(edges),
    )
