"""Hit rate: whether the top k has any gold."""

from __future__ import annotations

import numpy as np

from assay.metrics.core.entry import EMPTY, NOTHING, Edge, Kind, Metric, per_query
from assay.metrics.core.family import Cut, Level, measure
from assay.metrics.core.rankings import Rankings, Values, conventions, relevant, tie_groups
from assay.metrics.core.tied_ranks import chance_of_none
from assay.metrics.core.toy_cases import ranking


def hit(r: Rankings, k: int, rel: int) -> Values:
    """Return 1 where at least one relevant candidate is in the top k, else 0."""
    if r.expected_ties:
        groups = tie_groups(relevant(r, rel))
        none = np.ones(len(r.n))
        np.multiply.at(none, groups.query, chance_of_none(groups.size, groups.relevant, groups.within(k)))
        return 1.0 - none, conventions(r.n)
    return (relevant(r, rel).hits(k) > 0).astype(np.float64), conventions(r.n)


@measure(
    "hit",
    aliases=("success", "hit_rate"),
    printed_as=("hits", "hitrate", "hr", "success rate", "hit ratio"),
    spellings=(("ir_measures", "Success@k"), ("trec_eval", "success_k"), ("ranx", "hit_rate[@k]")),
)
def hit_entry(k: Cut, rel: Level = 1) -> Metric:
    """Whether any gold is in the top k."""
    return Metric(
        title="Hit rate",
        formula="1 if hits@k ≥ 1 else 0",
        latex=r"\mathbf{1}\left[|\mathrm{gold} \cap \mathrm{top}_k| \ge 1\right]",
        meaning="share of queries with at least one piece of evidence in the first k sentences",
        columns=per_query(lambda cases: hit(cases, k, rel)),
        kind=Kind.CUT_RANKING,
        expected_ties=True,
        edges=(EMPTY, NOTHING, Edge(ranking("1", R=9), 1.0, "one hit is enough")),
    )
