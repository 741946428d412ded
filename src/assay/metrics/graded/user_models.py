"""Measures of how much a searcher gains per document, by when they stop (C/W/L).

A searcher continues from rank i with probability C(i) and so sees rank i with probability
V(i) = C(1)···C(i − 1). The gain per document seen is Σ V(i)·gain(i) / Σ V(i) (Moffat, Bailey,
Scholer and Thomas 2017). Between two hits V has a closed form, so the work grows with the hits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from assay.array_types import Floats, Ints
from assay.errors import MeasureError
from assay.metrics.core.entry import (
    EMPTY,
    NOTHING,
    Edge,
    Fails,
    Kind,
    Metric,
    Property,
    Witness,
    at_cut,
    per_query,
)
from assay.metrics.core.family import Cut, Scale, Share, Weight, measure
from assay.metrics.core.rankings import (
    ALL,
    Rankings,
    Values,
    conventions,
    ordinals,
    rank_weights,
    ratio,
    running_products,
    sum_by_query,
)
from assay.metrics.core.toy_cases import full_then_miss, ranking
from assay.statistics.harmonic import reciprocal_sum, squared_sum

Depth = Literal["endless", "1000"]
Base = Callable[[Floats], Floats]
GAIN = "gain = min(rel, gmax) / gmax"
NOTE_DEPTH = (
    "`depth` is the number of ranks over which Σ V(i) is taken, beyond the list too: `endless` as "
    "published, `1000` as cwl_eval does, which ir_measures calls."
)
NOT_FULL: Fails = {Property.IDEAL_IS_BEST: Witness(ranking("1"), "the searcher goes on after the last hit")}


def gains(r: Rankings, gmax: int, end: Floats) -> tuple[Ints, Floats, Floats]:
    """Return query, rank and gain of each candidate with a gain up to rank end of its query."""
    keep = (r.hit_grade > 0) & (r.hit_rank <= end[r.hit_query])
    gain = np.minimum(r.hit_grade[keep], gmax) / gmax
    return r.hit_query[keep], r.hit_rank[keep].astype(np.float64), gain


def ends(r: Rankings, k: int) -> Floats:
    """Return the last rank that counts in each query: k, or the length of the list for `all`."""
    return np.where(k == ALL, r.n, np.full(len(r.n), min(k, ALL))).astype(np.float64)


def gain_rate(r: Rankings, gmax: int, end: Floats, base: Base, total: Base, *, satisfied: bool) -> Values:
    """Return Σ V·gain / Σ V up to rank `end`, with V(i) = base(i) · Π over hits before of (1 − gain).

    `total(i)` is the sum of base up to rank i. Unless `satisfied`, gains do not change V.
    """
    queries = len(r.n)
    if r.expected_ties:
        return _expected_rate(r, gmax, end, base, total), conventions(r.n)
    query, rank, gain = gains(r, gmax, end)
    after = running_products(query, 1.0 - gain, queries) if satisfied else np.ones(len(gain))
    first = ordinals(query, queries) == 1
    last = np.ones(len(query), dtype=bool)
    last[:-1] = first[1:]
    seen = np.where(first, 1.0, np.concatenate(([1.0], after[:-1]))[: len(after)])
    found = sum_by_query(query, seen * base(rank) * gain, queries)
    reached = total(rank)
    since = np.where(first, 0.0, np.concatenate(([0.0], reached[:-1]))[: len(reached)])
    weights = sum_by_query(query, seen * (reached - since), queries)
    left = np.ones(queries)
    left[query[last]] = after[last]
    at = np.zeros(queries)
    at[query[last]] = reached[last]
    weights += left * (total(end) - at)
    return ratio(found, np.where(r.n > 0, weights, 0.0)), conventions(r.n)


def _expected_rate(r: Rankings, gmax: int, end: Floats, base: Base, total: Base) -> Floats:
    """Return Σ V·gain / Σ V for a V of ranks alone, with the mean V of each candidate's tie group."""
    keep = r.hit_grade > 0
    last = int(np.minimum(end, float(ALL)).max(initial=0.0))  # one depth for all queries
    seen = rank_weights(r, keep, last, base)
    gain = np.minimum(r.hit_grade[keep], gmax) / gmax
    return ratio(sum_by_query(r.hit_query[keep], seen * gain, len(r.n)), total(end))


def inst(r: Rankings, target: float, gmax: int, end: Floats) -> Values:
    """Return the gain per document with C(i) = ((i − 1 + b) / (i + b))², b = 2·target − gain so far.

    From rank s on, while b stays, V(s + j) = V(s) · ((s − 1 + b) / (s + j − 1 + b))².
    """
    query, rank, gain = gains(r, gmax, end)
    counts = np.bincount(query, minlength=len(r.n))
    starts = np.cumsum(counts) - counts
    view, place, b = np.ones(len(r.n)), np.ones(len(r.n)), np.full(len(r.n), 2.0 * target)
    found, weights = np.zeros(len(r.n)), np.ones(len(r.n))
    for step in range(int(counts.max(initial=0))):
        q = np.flatnonzero(counts > step)
        row = starts[q] + step
        shift, here = place[q] - 1.0 + b[q], rank[row]
        weights[q] += view[q] * shift**2 * squared_sum(shift + 1.0, here - 1.0 + b[q])
        view[q] *= np.where(here > place[q], ratio(shift, here - 1.0 + b[q]) ** 2, 1.0)
        found[q] += view[q] * gain[row]
        b[q] -= gain[row]
        place[q] = here
    shift = place - 1.0 + b
    weights += view * shift**2 * squared_sum(shift + 1.0, end - 1.0 + b)
    return ratio(found, weights), conventions(r.n)


def _limits(r: Rankings, depth: str) -> Floats:
    return np.full(len(r.n), np.inf if depth == "endless" else float(depth))


def _squares(target: float) -> tuple[Base, Base]:
    """Return (2T / (i + 2T − 1))², and its sum up to rank i."""
    twice = np.array(2.0 * target)
    return (
        lambda rank: (twice / (rank + twice - 1.0)) ** 2,
        lambda rank: np.where(rank > 0, twice**2 * squared_sum(twice, rank + twice - 1.0), 0.0),
    )


def _model(
    title: str, continues: str, latex: str, meaning: str, values: Callable[[Rankings], Values], **more: object
) -> Metric:
    """Return the entry of a measure with the continuation probability `continues`."""
    return Metric(
        title=title,
        formula=f"Σ V·gain / Σ V, V(1) = 1, V(i + 1) = V(i)·C(i), C(i) = {continues}, {GAIN}",
        latex=rf"\frac{{\sum_i V_i g_i}}{{\sum_i V_i}},\quad V_{{i+1}} = V_i\,C_i,\; C_i = {latex}",
        meaning=meaning,
        columns=per_query(values),
        **more,  # type: ignore[arg-type] # fields of Metric
    )


@measure("insq", spellings=(("ir_measures", "INSQ", "depth=1000", "max_rel"),))
def insq_entry(target: Weight = 1, gmax: Scale = 1, depth: Depth = "endless") -> Metric:
    """Gain per document of a searcher who expects to read for a target gain."""
    base, total = _squares(target)
    whole = float(total(np.array(np.inf if depth == "endless" else 1000.0)))
    return _model(
        "INSQ",
        "((i + 2T − 1) / (i + 2T))²",
        r"\left(\frac{i + 2T - 1}{i + 2T}\right)^2",
        "gain per document of a searcher with a target of T, who is patient if T is large",
        lambda cases: gain_rate(cases, gmax, _limits(cases, depth), base, total, satisfied=False),
        notes=("Moffat, Scholer and Thomas 2012.", NOTE_DEPTH),
        kind=Kind.RANKING,
        expected_ties=True,
        fails=NOT_FULL,
        edges=(EMPTY, NOTHING, Edge(ranking("1"), 1 / gmax / whole, "V(1) / Σ V")),
    )


@measure("inst", spellings=(("ir_measures", "INST", "depth=1000", "max_rel"),))
def inst_entry(target: Weight = 1, gmax: Scale = 1, depth: Depth = "endless") -> Metric:
    """Gain per document of a searcher who stops once a target gain is reached."""
    if target < 0.5:
        raise MeasureError(f"inst: target={target:g}; expected 0.5 or more, else C(i) may exceed 1")
    return _model(
        "INST",
        "((i + 2T − G(i) − 1) / (i + 2T − G(i)))², G(i) = gain up to rank i",
        r"\left(\frac{i + 2T - G_i - 1}{i + 2T - G_i}\right)^2,\; G_i = \sum_{j \le i} g_j",
        "gain per document of a searcher who needs less after each find",
        lambda cases: inst(cases, target, gmax, _limits(cases, depth)),
        notes=("Bailey, Moffat, Scholer and Thomas 2015.", NOTE_DEPTH),
        kind=Kind.RANKING,
        fails={} if target == 0.5 and gmax == 1 else NOT_FULL,
        edges=(EMPTY, NOTHING),
    )


@measure("nerr8", spellings=(("ir_measures", "NERR8@k", "", "max_rel"),))
def nerr8_entry(k: Cut, gmax: Scale = 1) -> Metric:
    """Gain per document of a searcher who stops when satisfied, at k at the latest."""
    return _near_err(
        8,
        gmax,
        "1 − gain(i) up to k",
        r"1 - g_i\ (i < k)",
        lambda cases: gain_rate(
            cases, gmax, ends(cases, k), np.ones_like, lambda rank: rank + 0.0, satisfied=True
        ),
        k,
    )


@measure("nerr9", spellings=(("ir_measures", "NERR9@k", "", "max_rel"),))
def nerr9_entry(k: Cut, gmax: Scale = 1) -> Metric:
    """As nerr8, for a searcher who also tires as 1 / rank."""

    def total(rank: Floats) -> Floats:
        return reciprocal_sum(np.ones_like(rank), rank)

    return _near_err(
        9,
        gmax,
        "i / (i + 1) · (1 − gain(i)) up to k",
        r"\frac{i}{i+1}(1 - g_i)\ (i < k)",
        lambda cases: gain_rate(cases, gmax, ends(cases, k), lambda rank: 1.0 / rank, total, satisfied=True),
        k,
    )


@measure("nerr10", spellings=(("ir_measures", "NERR10", "depth=1000", "max_rel"),))
def nerr10_entry(p: Share = 0.9, gmax: Scale = 1, depth: Depth = "endless") -> Metric:
    """As nerr8, for a searcher who goes on with probability p."""
    return _near_err(
        10,
        gmax,
        "p · (1 − gain(i))",
        r"p\,(1 - g_i)",
        lambda cases: gain_rate(
            cases,
            gmax,
            _limits(cases, depth),
            lambda rank: np.power(p, rank - 1.0),
            lambda rank: (1.0 - np.power(p, rank)) / (1.0 - p),
            satisfied=True,
        ),
    )


@measure("nerr11", spellings=(("ir_measures", "NERR11", "depth=1000", "max_rel"),))
def nerr11_entry(target: Weight = 1, gmax: Scale = 1, depth: Depth = "endless") -> Metric:
    """As nerr8, for a searcher with a target as in INSQ."""
    base, total = _squares(target)
    return _near_err(
        11,
        gmax,
        "((i + 2T − 1) / (i + 2T))² · (1 − gain(i))",
        r"\left(\frac{i + 2T - 1}{i + 2T}\right)^2 (1 - g_i)",
        lambda cases: gain_rate(cases, gmax, _limits(cases, depth), base, total, satisfied=True),
    )


def _near_err(
    equation: int,
    gmax: int,
    continues: str,
    latex: str,
    values: Callable[[Rankings], Values],
    k: int | None = None,
) -> Metric:
    note = f"Equation {equation} of Azzopardi, Mackenzie and Moffat 2021."
    fails: Fails = {}
    if gmax > 1:
        fails[Property.IDEAL_IS_BEST] = Witness(ranking("1"), "no grade satisfies with certainty")
        why = "one more rank, no new gain"
        if k == ALL:
            fails[Property.APPEND_UNJUDGED] = Witness(ranking("1"), why)
        elif k is not None:
            fails[Property.GROWS_WITH_K] = at_cut(k, lambda cut: full_then_miss(cut, cut), why)
    return _model(
        f"Not but nearly ERR, equation {equation}",
        continues,
        latex,
        "gain per document of a searcher who stops once satisfied",
        values,
        notes=(note,) if k is not None else (note, NOTE_DEPTH),
        kind=Kind.RANKING if k is None else Kind.CUT_RANKING,
        fails=fails,
        edges=(EMPTY, NOTHING),
    )
