"""R-precision: precision at R, and at a multiple of R."""

from __future__ import annotations

import math

import numpy as np

from assay.metrics.core.entry import (
    EMPTY,
    LONGEST_CASE,
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
from assay.metrics.core.family import Level, Weight, measure
from assay.metrics.core.rankings import Convention, Rankings, Values, conventions, ratio, relevant
from assay.metrics.core.toy_cases import ranking


def r_precision(r: Rankings, rel: int) -> Values:
    """Return hits in the top R, over R."""
    view = relevant(r, rel)
    return ratio(view.hits(view.R), view.R), conventions(r.n, (view.R == 0, Convention.NO_GOLD))


def precision_at_multiple(r: Rankings, times: float, rel: int) -> Values:
    """Return hits in the top c, over c = ⌊times·R + 0.9⌋."""
    view = relevant(r, rel)
    cut = np.floor(times * view.R + 0.9).astype(np.int64)
    codes = conventions(r.n, (view.R == 0, Convention.NO_GOLD), (cut == 0, Convention.ZERO_DENOMINATOR))
    return ratio(view.hits(cut), cut), codes


@measure(
    "rprec",
    printed_as=("r-precision", "r precision", "r prec"),
    spellings=(("ir_measures", "Rprec RPrec"), ("trec_eval", "Rprec"), ("ranx", "r-precision")),
)
def r_precision_entry(rel: Level = 1) -> Metric:
    """Precision at R."""
    return Metric(
        title="R-precision",
        formula="hits in the top R / R",
        latex=r"\frac{|\mathrm{gold} \cap \mathrm{top}_R|}{R}",
        meaning="share of evidence in the first R sentences, R being the number of gold sentences",
        columns=per_query(lambda cases: r_precision(cases, rel)),
        kind=Kind.RANKING,
        expected_ties=True,
        fails={Property.MISSED_GOLD_NEVER_HELPS: Witness(ranking("01"), "a larger R looks further down")},
        edges=(NO_GOLD, EMPTY, NOTHING, Edge(ranking("10", R=2), 0.5, "1 of the top 2")),
    )


def _cut(times: float, R: int) -> int:
    return math.floor(times * R + 0.9)


def _larger_cut(times: float) -> Witness:
    """Return a list whose only hit is just below the cut, which one more gold item moves down."""
    short = min(max(times, 0.002), 500.0)  # lists that can be read
    R = next(R for R in range(1, LONGEST_CASE) if _cut(short, R + 1) > _cut(short, R))
    return Witness(ranking("0" * _cut(short, R) + "1", R=R), "a larger R looks further down")


def _not_full(times: float) -> Witness:
    """Return an ideal list whose cut has room for more than its gold, or for nothing."""
    if times < 0.1:
        return Witness(ranking("1"), "the top 0 holds nothing")
    R = next((R for R in range(1, LONGEST_CASE) if _cut(times, R) > R), LONGEST_CASE)
    return Witness(ranking("1" * R), "less gold than ranks")


@measure("rprec_mult", spellings=(("trec_eval", "Rprec_mult_x"),))
def precision_at_multiple_entry(times: Weight = 1, rel: Level = 1) -> Metric:
    """Precision at a multiple of R."""
    edges = [NO_GOLD, EMPTY, NOTHING]
    if times == 2:
        edges.append(Edge(ranking("1001", R=2), 0.5, "2 of the top 4"))
    fails: Fails = {Property.MISSED_GOLD_NEVER_HELPS: _larger_cut(times)}
    if not 0.1 <= times <= 1:
        fails[Property.IDEAL_IS_BEST] = _not_full(times)
    return Metric(
        title="Precision at a multiple of R",
        formula="hits in the top c / c, c = ⌊times·R + 0.9⌋",
        latex=r"\frac{|\mathrm{gold} \cap \mathrm{top}_c|}{c},\quad c = \lfloor xR + 0.9 \rfloor",
        meaning="whether a ranking is better before or after the first R sentences",
        notes=("trec_eval's `Rprec_mult_x`, computed in doubles as trec_eval does.",),
        columns=per_query(lambda cases: precision_at_multiple(cases, times, rel)),
        kind=Kind.RANKING,
        expected_ties=True,
        fails=fails,
        edges=tuple(edges),
    )
