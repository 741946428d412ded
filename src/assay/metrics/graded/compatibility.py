"""Compatibility: rank-biased overlap with an ideal ranking (Clarke, Vtyurina and Smucker 2021)."""

from __future__ import annotations

from typing import Literal

import numpy as np

from assay.array_types import Ints
from assay.metrics.core.entry import (
    EMPTY,
    NO_GOLD,
    NOTHING,
    Edge,
    Fails,
    Kind,
    Metric,
    Property,
    Witness,
    per_query,
)
from assay.metrics.core.family import Share, measure
from assay.metrics.core.rankings import (
    Convention,
    Rankings,
    Values,
    conventions,
    ordinals,
    ratio,
    sum_by_query,
)
from assay.metrics.core.toy_cases import Toy, ranking


def ideal_places(r: Rankings) -> tuple[Ints, Ints, Ints]:
    """Return query, rank and place in the ideal ranking of each retrieved gold item.

    The ideal ranking goes by grade, then as the list does, with missed gold of a grade last.
    """
    keep = r.hit_grade > 0
    query, rank, grade = r.hit_query[keep], r.hit_rank[keep], r.hit_grade[keep]
    order = np.lexsort((rank, -grade, query))
    query, rank, grade = query[order], rank[order], grade[order]
    fresh = np.ones(len(query), dtype=bool)
    fresh[1:] = (query[1:] != query[:-1]) | (grade[1:] != grade[:-1])
    within = ordinals(np.cumsum(fresh) - 1, int(fresh.sum()))
    _, level = np.unique(np.concatenate((grade, r.gold_grade)), return_inverse=True)
    width = level.max(initial=0) + 1
    gold = r.gold_query * width + (width - 1 - level[len(grade) :])
    above = np.searchsorted(gold, query * width + (width - 1 - level[: len(grade)]))
    return query, rank, within + above - np.searchsorted(r.gold_query, query)


def compatibility(r: Rankings, p: float, *, normalized: bool) -> Values:
    """Return Σ over depths d of p^(d − 1) · overlap at d / d, over its highest value or Σ p^(d − 1)."""
    queries = len(r.n)
    gold = np.bincount(r.gold_query, minlength=queries)
    depth = np.maximum(r.n, gold)
    longest = int(depth.max(initial=0))
    weights = np.power(p, np.arange(longest)) / np.arange(1, longest + 1)
    total = np.concatenate(([0.0], np.cumsum(weights)))  # of the depths up to each
    query, rank, place = ideal_places(r)
    found = sum_by_query(query, total[depth[query]] - total[np.maximum(rank, place) - 1], queries)
    if normalized:
        at = ordinals(r.gold_query, queries)
        best = sum_by_query(r.gold_query, total[depth[r.gold_query]] - total[at - 1], queries)
    else:
        best = (1.0 - np.power(p, depth)) / (1.0 - p)
    return ratio(found, best), conventions(r.n, (gold == 0, Convention.NO_GOLD))


@measure("compatibility", spellings=(("ir_measures", "Compat", "p=0.95"),))
def compatibility_entry(p: Share = 0.95, normalized: Literal["yes", "no"] = "yes") -> Metric:
    """Rank-biased overlap with an ideal ranking."""
    fails: Fails = {
        Property.APPEND_UNJUDGED: Witness(ranking("01"), "both lists are compared to a larger depth")
    }
    why = "one more depth at which the lists overlap better than before"
    fails[Property.MISSED_GOLD_NEVER_HELPS] = Witness(Toy("20", missed=(3,)), why)
    if normalized == "no":
        fails[Property.IDEAL_IS_BEST] = Witness(ranking("10"), "the ideal ranking is shorter than the list")
    below = "that of the ideal ranking with itself" if normalized == "yes" else "Σ p^(d − 1)"
    return Metric(
        title="Compatibility",
        formula="Σ over d ≤ max(n, R) of p^(d − 1) · |top d ∩ ideal top d| / d, over " + below,
        latex=r"\frac{1}{Z}\sum_{d=1}^{\max(n, R)} p^{d-1}\,\frac{|\mathrm{top}_d \cap \mathrm{ideal}_d|}{d}",
        meaning="similarity of the list to the most similar ideal one, where early ranks count most",
        notes=(
            "Clarke, Vtyurina and Smucker 2021 (Assessing top-k preferences).",
            "The ideal ranking is by grade; equal grades are in the order of the list, those that it "
            "lacks last. The provider `compat` of ir_measures gives missed gold a score of 0 instead, so "
            "that it precedes candidates with scores below 0.",
        ),
        columns=per_query(lambda cases: compatibility(cases, p, normalized=normalized == "yes")),
        kind=Kind.RANKING,
        fails=fails,
        edges=(NO_GOLD, EMPTY, NOTHING, Edge(ranking("1"), 1.0, "both lists are the same")),
    )
