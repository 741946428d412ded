"""Measures of a whole ranking, without a cut-off k: one value and one code a query."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from assay.kernels.layout import (
    ALL,
    Convention,
    Floats,
    Ints,
    Rankings,
    conventions,
    per_query,
    ratio,
    relevant,
)
from assay.kernels.ranking import Kernel, average_precision


def r_precision(r: Rankings, rel: int) -> Kernel:
    """Hits in the top R, of R."""
    view = relevant(r, rel)
    return ratio(view.hits(view.R), view.R), conventions(r.n, (view.R == 0, Convention.NO_GOLD))


def bpref(r: Rankings, rel: int) -> Kernel:
    """1/R · Σ over retrieved relevant of 1 − min(judged non-relevant above, R) / min(N, R)."""
    view = relevant(r, rel)
    is_relevant = r.hit_grade >= rel
    counts = np.bincount(r.hit_query, minlength=len(r.n))
    starts = np.cumsum(counts) - counts
    nonrel_so_far = np.concatenate(([0], np.cumsum(~is_relevant)))
    above = nonrel_so_far[:-1][is_relevant] - nonrel_so_far[starts[view.query]]
    bound = view.R[view.query]
    total = np.minimum((r.judged - view.R)[view.query], bound)
    share = 1.0 - ratio(np.minimum(above, bound), total)
    values = ratio(per_query(view.query, share, len(r.n)), view.R)
    return values, conventions(r.n, (view.R == 0, Convention.NO_GOLD))


def rank_biased_precision(r: Rankings, p: float, rel: int) -> Kernel:
    """(1 − p) · Σ over relevant of p^(rank − 1)."""
    view = relevant(r, rel)
    weights = np.power(p, view.rank - 1.0)
    return (1.0 - p) * per_query(view.query, weights, len(r.n)), conventions(r.n)


def expected_reciprocal_rank(r: Rankings, k: int, gmax: int) -> Kernel:
    """Σ over ranks of 1/rank · R_i · Π before (1 − R_j), with R_i = (2^grade − 1) / 2^gmax."""
    keep = (r.hit_grade > 0) & (r.hit_rank <= k)
    query, rank = r.hit_query[keep], r.hit_rank[keep]
    stop = (np.exp2(r.hit_grade[keep]) - 1.0) / 2.0**gmax
    counts = np.bincount(query, minlength=len(r.n))
    starts = np.cumsum(counts) - counts
    still_reading = np.ones(len(r.n))
    values = np.zeros(len(r.n))
    for step in range(int(counts.max(initial=0))):
        active = np.flatnonzero(counts > step)
        row = starts[active] + step
        values[active] += still_reading[active] * stop[row] / rank[row]
        still_reading[active] *= 1.0 - stop[row]
    return values, conventions(r.n)


def set_precision(r: Rankings, rel: int) -> Kernel:
    """Relevant candidates, of all candidates."""
    return ratio(relevant(r, rel).hits(ALL), r.n), conventions(r.n)


def set_recall(r: Rankings, rel: int) -> Kernel:
    """Relevant candidates, of R."""
    view = relevant(r, rel)
    return ratio(view.hits(ALL), view.R), conventions(r.n, (view.R == 0, Convention.NO_GOLD))


def f_of_set(r: Rankings, beta: float, rel: int) -> Kernel:
    """(1+β²)·P·R / (β²·P + R) of set precision and set recall, written as counts."""
    view = relevant(r, rel)
    weight = beta * beta
    values = ratio((1.0 + weight) * view.hits(ALL), weight * view.R + r.n)
    return values, conventions(r.n, (view.R == 0, Convention.NO_GOLD))


def needed_hits(point: float, R: Ints, need: str) -> Ints:
    """How many relevant candidates reach the recall level `point`, under three rounding rules."""
    if need == "ceil":
        exact = Fraction(str(point))
        distinct, where = np.unique(R, return_inverse=True)
        ceilings = [math.ceil(exact * int(value)) for value in distinct]
        return np.array(ceilings, dtype=np.int64)[where]
    shift = 0.5 if need == "round" else 0.9
    rounded: Ints = np.floor(point * R + shift).astype(np.int64)
    return rounded


def interpolated_precision(r: Rankings, point: float, need: str, rel: int) -> Kernel:
    """Highest precision at any rank whose recall is at least `point`."""
    view = relevant(r, rel)
    enough = view.ordinal >= needed_hits(point, view.R, need)[view.query]
    query = view.query[enough]
    values: Floats = np.zeros(len(r.n))
    if len(query):
        starts = np.flatnonzero(np.concatenate(([True], query[1:] != query[:-1])))
        precision = view.ordinal[enough] / view.rank[enough]
        values[query[starts]] = np.maximum.reduceat(precision, starts)
    return values, conventions(r.n, (view.R == 0, Convention.NO_GOLD))


def eleven_point_average(r: Rankings, need: str, rel: int) -> Kernel:
    """Mean of the interpolated precision at recall 0, .1, …, 1."""
    points = [interpolated_precision(r, step / 10, need, rel) for step in range(11)]
    return sum((values for values, _ in points), np.zeros(len(r.n))) / 11.0, points[0][1]


def log_average_precision(r: Rankings, floor: float, rel: int) -> Floats:
    """Log max(AP, floor): the terms of the geometric mean."""
    values, _ = average_precision(r, ALL, "R", "k", rel)
    return np.log(np.maximum(values, floor))


def nonrelevant_retrieved(r: Rankings, rel: int) -> Ints:
    """Retrieved candidates that were judged and are not relevant."""
    return np.bincount(r.hit_query[r.hit_grade < rel], minlength=len(r.n))
