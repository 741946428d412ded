"""Measures of a ranking at a cut-off k: one value and one convention code a query.

Notation of the formulas: hits = relevant candidates in the top k, R = relevant items of the query
(retrieved or not), n = its candidates, K_eff = min(k, n).
"""

from __future__ import annotations

import numpy as np

from assay.kernels.layout import (
    ALL,
    Codes,
    Convention,
    Floats,
    Ints,
    Rankings,
    conventions,
    ordinals,
    per_query,
    ratio,
    relevant,
)

Kernel = tuple[Floats, Codes]


def cut_denominator(k: int, denominator: str, n: Ints, R: Ints) -> Ints:
    """What `k`, `k_eff` or `min_r_k` divides by; without a cut, `k` is the length of the list."""
    if denominator == "min_r_k":
        return np.minimum(R, k)
    if denominator == "k_eff" or k == ALL:
        return np.minimum(k, n)
    return np.full(len(n), k)


def recall(r: Rankings, k: int, gold: str, rel: int) -> Kernel:
    """Hits / R; with gold=retrieved, R counts only the relevant items among the candidates."""
    view = relevant(r, rel)
    total = view.R if gold == "all" else view.hits(ALL)
    codes = conventions(
        r.n, (view.R == 0, Convention.NO_GOLD), (total == 0, Convention.NO_RETRIEVED_GOLD)
    )
    return ratio(view.hits(k), total), codes


def precision(r: Rankings, k: int, denominator: str, rel: int) -> Kernel:
    """Hits / k, hits / min(k, n) or hits / min(R, k)."""
    view = relevant(r, rel)
    divisor = cut_denominator(k, denominator, r.n, view.R)
    no_gold = (view.R == 0) & (denominator == "min_r_k")
    return ratio(view.hits(k), divisor), conventions(r.n, (no_gold, Convention.NO_GOLD))


def hit(r: Rankings, k: int, rel: int) -> Kernel:
    """1 where at least one relevant candidate is in the top k, else 0."""
    return (relevant(r, rel).hits(k) > 0).astype(np.float64), conventions(r.n)


def reciprocal_rank(r: Rankings, k: int, rel: int) -> Kernel:
    """1 / rank of the first relevant candidate within the top k, else 0."""
    view = relevant(r, rel)
    first = (view.ordinal == 1) & (view.rank <= k)
    values = per_query(view.query[first], 1.0 / view.rank[first], len(r.n))
    return values, conventions(r.n, (view.R == 0, Convention.NO_GOLD))


def average_precision(r: Rankings, k: int, denominator: str, cut: str, rel: int) -> Kernel:
    """Σ over hits of (hits so far / rank), divided by R, min(R, k or K_eff), or the hits."""
    view = relevant(r, rel)
    top = view.rank <= k
    sums = per_query(view.query[top], view.ordinal[top] / view.rank[top], len(r.n))
    hits = view.hits(k)
    if denominator == "R":
        divisor = view.R
    elif denominator == "hits":
        divisor = hits
    else:
        divisor = np.minimum(view.R, np.minimum(k, r.n) if cut == "k_eff" else k)
    codes = conventions(
        r.n,
        (view.R == 0, Convention.NO_GOLD),
        ((hits == 0) & (denominator == "hits"), Convention.NO_HITS),
    )
    return ratio(sums, divisor), codes


def gains(grades: Floats, gain: str) -> Floats:
    """rel, or 2^rel − 1."""
    return grades if gain == "linear" else np.exp2(grades) - 1.0


def ndcg(r: Rankings, k: int, gain: str, gold: str, cut: str) -> Kernel:
    """DCG@k / IDCG@k with DCG = Σ g(rel_i) / log2(i + 1)."""
    queries = len(r.n)
    keep = (r.hit_grade > 0) & (r.hit_rank <= k)
    discounted = gains(r.hit_grade[keep], gain) / np.log2(r.hit_rank[keep] + 1.0)
    dcg = per_query(r.hit_query[keep], discounted, queries)

    ideal_query, ideal_grade = r.gold_query, r.gold_grade
    if gold == "retrieved":
        got = r.hit_grade > 0
        order = np.lexsort((-r.hit_grade[got], r.hit_query[got]))
        ideal_query, ideal_grade = r.hit_query[got][order], r.hit_grade[got][order]
    position = ordinals(ideal_query, queries)
    limit = np.minimum(k, r.n)[ideal_query] if cut == "k_eff" else k
    inside = position <= limit
    ideal_gain = gains(ideal_grade[inside], gain) / np.log2(position[inside] + 1.0)
    idcg = per_query(ideal_query[inside], ideal_gain, queries)

    has_gold = np.bincount(r.gold_query, minlength=queries) > 0
    codes = conventions(
        r.n, (~has_gold, Convention.NO_GOLD), (idcg == 0, Convention.NO_RETRIEVED_GOLD)
    )
    return ratio(dcg, idcg), codes


def f_measure(r: Rankings, k: int, beta: float, rel: int) -> Kernel:
    """(1+β²)·P·R / (β²·P + R) of precision and recall at k, written as counts."""
    view = relevant(r, rel)
    hits = view.hits(k)
    listed = cut_denominator(k, "k", r.n, view.R)
    weight = beta * beta
    values = ratio((1.0 + weight) * hits, weight * view.R + listed)
    return values, conventions(r.n, (view.R == 0, Convention.NO_GOLD))


def judged(r: Rankings, k: int, denominator: str) -> Kernel:
    """Judged candidates in the top k, of k or of min(k, n)."""
    count = np.bincount(r.hit_query[r.hit_rank <= k], minlength=len(r.n))
    return ratio(count, cut_denominator(k, denominator, r.n, r.n)), conventions(r.n)


def unjudged(r: Rankings, k: int, denominator: str) -> Kernel:
    """Candidates in the top k without a judgement, of k or of min(k, n)."""
    count = np.minimum(k, r.n) - np.bincount(r.hit_query[r.hit_rank <= k], minlength=len(r.n))
    return ratio(count, cut_denominator(k, denominator, r.n, r.n)), conventions(r.n)
