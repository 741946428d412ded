"""F measure: the harmonic mean of precision and recall at k."""

from __future__ import annotations

from assay.metrics.core.entry import (
    EMPTY,
    NO_GOLD,
    NOTHING,
    Fails,
    Kind,
    Metric,
    Property,
    Witness,
    at_cut,
    per_query,
)
from assay.metrics.core.family import Cut, Level, Weight, measure
from assay.metrics.core.rankings import (
    ALL,
    Convention,
    Rankings,
    Values,
    conventions,
    cut_denominator,
    ratio,
    relevant,
)
from assay.metrics.core.toy_cases import full_then_miss, more_gold, ranking


def f_measure(r: Rankings, k: int, beta: float, rel: int) -> Values:
    """Return (1+β²)·P·R / (β²·P + R) of precision and recall at k, computed from counts."""
    view = relevant(r, rel)
    hits = view.hits(k)
    listed = cut_denominator(k, "k", r.n, view.R)
    weight = beta * beta
    values = ratio((1.0 + weight) * hits, weight * view.R + listed)
    return values, conventions(r.n, (view.R == 0, Convention.NO_GOLD))


@measure("f", spellings=(("ranx", "f1@k"),))
def f_entry(k: Cut, beta: Weight = 1, rel: Level = 1) -> Metric:
    """Harmonic mean of precision and recall at k."""
    fails: Fails = {}
    if k == ALL:
        fails[Property.APPEND_UNJUDGED] = Witness(ranking("1"), "precision falls with the length")
        fails[Property.IDEAL_IS_BEST] = Witness(ranking("10"), "precision of a long list is below 1")
    else:
        fails[Property.IDEAL_IS_BEST] = at_cut(k, more_gold, "more gold than ranks")
        fails[Property.GROWS_WITH_K] = at_cut(k, lambda cut: full_then_miss(cut, cut), "precision falls")
    return Metric(
        title="F measure",
        formula="(1 + β²)·P@k·R@k / (β²·P@k + R@k)",
        latex=r"\frac{(1+\beta^2)\,P@k\,R@k}{\beta^2\,P@k + R@k}",
        meaning="precision and recall of the first k sentences in one number",
        columns=per_query(lambda cases: f_measure(cases, k, beta, rel)),
        kind=Kind.CUT_RANKING,
        expected_ties=True,
        fails=fails,
        edges=(NO_GOLD, EMPTY, NOTHING),
    )
