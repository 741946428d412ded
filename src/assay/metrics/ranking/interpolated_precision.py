"""Interpolated precision at a recall level, and its eleven-point average."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Literal

import numpy as np

from assay.array_types import Floats, Ints
from assay.metrics.core.entry import EMPTY, NO_GOLD, NOTHING, Edge, Kind, Metric, per_query
from assay.metrics.core.family import Level, Point, measure
from assay.metrics.core.rankings import Convention, Rankings, Values, conventions, relevant
from assay.metrics.core.toy_cases import ranking

Need = Literal["ceil", "round", "trec9"]
NEEDED = {
    "ceil": ("⌈x·R⌉", r"\lceil xR \rceil"),
    "round": ("⌊x·R + 0.5⌋", r"\lfloor xR + 0.5 \rfloor"),
    "trec9": ("⌊x·R + 0.9⌋", r"\lfloor xR + 0.9 \rfloor"),
}
"""Hits that reach recall x, in plain characters and in LaTeX."""
NEED_NOTES = (
    "`need` sets how many hits reach recall x of R gold items: `ceil` takes ⌈x·R⌉, the definition; "
    "`round` takes ⌊x·R + 0.5⌋, as trec_eval 10 does; `trec9` takes ⌊x·R + 0.9⌋, as trec_eval 9 "
    "and pytrec_eval do.",
)


def needed_hits(point: float, R: Ints, need: str) -> Ints:
    """Return how many relevant candidates reach recall `point`, under three rounding rules."""
    if need == "ceil":
        exact = Fraction(str(point))
        distinct, where = np.unique(R, return_inverse=True)
        ceilings = [math.ceil(exact * int(value)) for value in distinct]
        return np.array(ceilings, dtype=np.int64)[where]
    shift = 0.5 if need == "round" else 0.9
    rounded: Ints = np.floor(point * R + shift).astype(np.int64)
    return rounded


def interpolated_precision(r: Rankings, point: float, need: str, rel: int) -> Values:
    """Return the highest precision at any rank whose recall is at least `point`."""
    view = relevant(r, rel)
    enough = view.ordinal >= needed_hits(point, view.R, need)[view.query]
    query = view.query[enough]
    values: Floats = np.zeros(len(r.n))
    if len(query):
        starts = np.flatnonzero(np.concatenate(([True], query[1:] != query[:-1])))
        precision = view.ordinal[enough] / view.rank[enough]
        values[query[starts]] = np.maximum.reduceat(precision, starts)
    return values, conventions(r.n, (view.R == 0, Convention.NO_GOLD))


def eleven_point_average(r: Rankings, need: str, rel: int) -> Values:
    """Return the mean of the interpolated precision at recall 0, 0.1, …, 1."""
    points = [interpolated_precision(r, step / 10, need, rel) for step in range(11)]
    return sum((values for values, _ in points), np.zeros(len(r.n))) / 11.0, points[0][1]


@measure(
    "iprec",
    spellings=(("ir_measures", "IPrec@k", "need=trec9"), ("trec_eval", "iprec_at_recall_k", "need=round")),
)
def interpolated_precision_entry(point: Point, need: Need = "ceil", rel: Level = 1) -> Metric:
    """Highest precision at any rank that reaches a recall level."""
    edges = [NO_GOLD, EMPTY, NOTHING, Edge(ranking("1"), 1.0, "all gold first")]
    if point == 0.25:
        needed = 1 if need == "round" else 2
        edges.append(Edge(ranking("1001", R=5), 1 / needed, f"1.25 of 5 gold items need {needed}"))
    return Metric(
        title="Interpolated precision at recall",
        formula=f"max P@i over ranks i with hits@i ≥ {NEEDED[need][0]}",
        latex=rf"\max_{{i\,:\,\mathrm{{hits}}@i \ge {NEEDED[need][1]}}} P@i",
        meaning="precision that remains when this share of the evidence must be found",
        notes=NEED_NOTES,
        columns=per_query(lambda cases: interpolated_precision(cases, point, need, rel)),
        kind=Kind.RANKING,
        edges=tuple(edges),
    )


@measure("iprec_avg", printed_as=("11pt avg",), spellings=(("trec_eval", "11pt_avg", "need=round"),))
def eleven_point_entry(need: Need = "ceil", rel: Level = 1) -> Metric:
    """Mean interpolated precision at recall 0, 0.1, …, 1."""
    return Metric(
        title="Eleven-point average precision",
        formula="mean over x = 0, 0.1, …, 1 of max P@i over ranks i with hits@i ≥ " + NEEDED[need][0],
        latex=r"\frac{1}{11} \sum_{x=0,0.1,\dots,1} \max_{i\,:\,\mathrm{hits}@i \ge "
        rf"{NEEDED[need][1]}}} P@i",
        meaning="the precision–recall curve in one number",
        notes=NEED_NOTES,
        columns=per_query(lambda cases: eleven_point_average(cases, need, rel)),
        kind=Kind.RANKING,
        edges=(NO_GOLD, EMPTY, NOTHING, Edge(ranking("1"), 1.0, "all gold first")),
    )
