"""Reciprocal rank of the first gold item."""

from __future__ import annotations

from assay.metrics.core.entry import EMPTY, LONGEST_CASE, NO_GOLD, NOTHING, Edge, Kind, Metric, per_query
from assay.metrics.core.family import Level, OptionalCut, measure
from assay.metrics.core.rankings import ALL, Convention, Rankings, Values, conventions, relevant, sum_by_query
from assay.metrics.core.toy_cases import ranking


def reciprocal_rank(r: Rankings, k: int, rel: int) -> Values:
    """Return 1 / rank of the first relevant candidate in the top k, else 0."""
    view = relevant(r, rel)
    first = (view.ordinal == 1) & (view.rank <= k)
    values = sum_by_query(view.query[first], 1.0 / view.rank[first], len(r.n))
    return values, conventions(r.n, (view.R == 0, Convention.NO_GOLD))


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
        formula="1 / rank of the first gold item, 0 if none" + (" in the top k" if k else ""),
        latex=r"\frac{1}{\mathrm{rank\ of\ first\ gold}}",
        meaning="how early the first evidence appears; its inverse is a harmonic mean of ranks",
        columns=per_query(lambda cases: reciprocal_rank(cases, cut, rel)),
        kind=Kind.CUT_RANKING if k else Kind.RANKING,
        edges=tuple(edges),
    )
