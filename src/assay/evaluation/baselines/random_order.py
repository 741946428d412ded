"""The exact expected value of a ranking measure if the candidates of each query come in random order.

Every order of the n candidates has the same chance. With r relevant ones among them and K = min(k, n):

- the expected number of hits in the first K is r·K/n, so precision, recall and R-precision follow;
- each rank has the mean gain of a candidate, so E[DCG] = Σ gains / n · Σ_{i ≤ K} 1 / log2(i + 1);
- P(no hit) = C(n − r, K) / C(n, K);
- P(first hit at i) = C(n − i, r − 1) / C(n, r);
- given a hit at rank i, (i − 1)(r − 1)/(n − 1) of the ranks before it are expected to be hits, so with
  c = (r − 1)/(n − 1) and the harmonic number H_K, E[Σ hits so far / rank] = r/n · (H_K · (1 − c) + c·K).
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb

import numpy as np

from assay.array_types import Floats, Ints
from assay.metrics.core.entry import Metric
from assay.metrics.core.rankings import (
    ALL,
    Rankings,
    Relevant,
    cut_denominator,
    ratio,
    relevant,
    sum_by_query,
)
from assay.metrics.graded.ndcg import gains, ideal_dcg

Expected = Callable[[Rankings, int, Metric], Floats]


def expected_values(metric: Metric, r: Rankings) -> Floats | None:
    """Return the expected value of each query; None for a measure whose expectation is not known here."""
    family, _, cut = metric.name.partition("@")
    compute = FAMILIES.get(family)
    return None if compute is None else compute(r, ALL if cut in ("", "all") else int(cut), metric)


def _view(r: Rankings, metric: Metric) -> tuple[Relevant, Ints]:
    """Return the relevant candidates, and how many there are of each query."""
    view = relevant(r, int(metric.params["rel"]))
    return view, view.hits(ALL)


def _precision(r: Rankings, k: int, metric: Metric) -> Floats:
    view, found = _view(r, metric)
    divisor = cut_denominator(k, metric.params["denominator"], r.n, view.R)
    return ratio(ratio(found * np.minimum(k, r.n), r.n), divisor)


def _recall(r: Rankings, k: int, metric: Metric) -> Floats:
    view, found = _view(r, metric)
    total = view.R if metric.params["gold"] == "all" else found
    return ratio(ratio(found * np.minimum(k, r.n), r.n), total)


def _r_precision(r: Rankings, _: int, metric: Metric) -> Floats:
    view, found = _view(r, metric)
    return ratio(ratio(found * np.minimum(view.R, r.n), r.n), view.R)


def _ndcg(r: Rankings, k: int, metric: Metric) -> Floats:
    gain, gold, cut = (metric.params[name] for name in ("gain", "gold", "cut"))
    top = np.minimum(k, r.n)
    discounts = np.concatenate(([0.0], np.cumsum(1.0 / np.log2(np.arange(1, top.max(initial=0) + 1) + 1.0))))
    positive = r.hit_grade > 0
    gained = sum_by_query(r.hit_query[positive], gains(r.hit_grade[positive], gain), len(r.n))
    return ratio(ratio(gained, r.n) * discounts[top], ideal_dcg(r, k, gain, gold, cut))


def _hit(r: Rankings, k: int, metric: Metric) -> Floats:
    _, found = _view(r, metric)
    return _any_hit(r.n, found, np.minimum(k, r.n))


def _reciprocal_rank(r: Rankings, k: int, metric: Metric) -> Floats:
    """Sum 1/i · P(first hit at i) over the ranks i, for each distinct (n, r) once."""
    _, found = _view(r, metric)
    pairs, place = np.unique(np.stack([r.n, found], axis=1), axis=0, return_inverse=True)
    n, hits = pairs[:, 0].astype(np.float64), pairs[:, 1].astype(np.float64)
    chance, total = ratio(hits, n), np.zeros(len(n))
    for rank in range(1, min(k, int(r.n.max(initial=0))) + 1):
        total += chance / rank
        chance = chance * np.maximum(ratio(n - rank - hits + 1, n - rank), 0.0)
        if not chance.any():
            break
    values: Floats = total[place.ravel()]
    return values


def _average_precision(r: Rankings, k: int, metric: Metric) -> Floats:
    view, found = _view(r, metric)
    denominator = metric.params["denominator"]
    top = np.minimum(k, r.n)
    harmonic = np.concatenate(([0.0], np.cumsum(1.0 / np.arange(1, top.max(initial=0) + 1))))[top]
    if denominator == "hits":  # given h hits in the first K, the sum over h is linear in h
        any_hit = _any_hit(r.n, found, top)
        more = ratio(ratio(found * top, r.n) - any_hit, top - 1)
        return ratio(harmonic * (any_hit - more) + more * top, top)
    share = ratio(found - 1, r.n - 1)
    sums = ratio(found, r.n) * (harmonic * (1 - share) + share * top)
    limit = top if metric.params["cut"] == "k_eff" else np.full(len(top), k)
    return ratio(sums, view.R if denominator == "R" else np.minimum(view.R, limit))


def _any_hit(n: Ints, hits: Ints, top: Ints) -> Floats:
    """Return 1 − C(n − r, K) / C(n, K), for each distinct (n, r, K) once."""
    keys, place = np.unique(np.stack([n, hits, top], axis=1), axis=0, return_inverse=True)
    chances = [1 - comb(of - r, k) / comb(of, k) if r else 0.0 for of, r, k in keys.tolist()]
    values: Floats = np.array(chances)[place.ravel()]
    return values


FAMILIES: dict[str, Expected] = {
    "precision": _precision,
    "recall": _recall,
    "rprec": _r_precision,
    "ndcg": _ndcg,
    "hit": _hit,
    "mrr": _reciprocal_rank,
    "map": _average_precision,
}
"""Measures by the name of their family."""
