"""Measures of a ranked list with relevant items, one function a formula.

Each is called with at least one candidate, and with R > 0 where `formulas` says that it needs gold.
"""

from fractions import Fraction

from assay_oracle.definition import Definition
from assay_oracle.rows import Row
from assay_oracle.score import Score, at_most, by_convention, cut_size, weighted_f


def recall(row: Row, definition: Definition) -> Score:
    """Hits / R; with gold=retrieved, hits / relevant items among the candidates."""
    hits = sum(row.relevance(definition.rel, definition.k))
    if definition.choice("gold") == "all":
        return Score(Fraction(hits, row.gold_count(definition.rel)))
    retrieved = sum(row.relevance(definition.rel))
    if retrieved == 0:
        return by_convention("no_retrieved_gold")
    return Score(Fraction(hits, retrieved))


def precision(row: Row, definition: Definition) -> Score:
    """Hits / k, hits / min(k, n) or hits / min(R, k)."""
    hits = sum(row.relevance(definition.rel, definition.k))
    denominators = {
        "k": cut_size(definition.k, row.n),
        "k_eff": at_most(row.n, definition.k),
        "min_r_k": at_most(row.gold_count(definition.rel), definition.k),
    }
    return Score(Fraction(hits, denominators[definition.choice("denominator")]))


def hit(row: Row, definition: Definition) -> Score:
    """1 where the top k has a relevant item, else 0."""
    return Score(Fraction(any(row.relevance(definition.rel, definition.k))))


def reciprocal_rank(row: Row, definition: Definition) -> Score:
    """1 / rank of the first relevant item in the top k, else 0."""
    for rank, relevant in enumerate(row.relevance(definition.rel, definition.k), start=1):
        if relevant:
            return Score(Fraction(1, rank))
    return Score(Fraction(0))


def precision_sum(relevance: list[bool]) -> Fraction:
    """Sum over the hits of (hits so far / rank), the numerator of average precision."""
    total, hits = Fraction(0), 0
    for rank, relevant in enumerate(relevance, start=1):
        if relevant:
            hits += 1
            total += Fraction(hits, rank)
    return total


def average_precision(row: Row, definition: Definition) -> Score:
    """Sum over hits of (hits so far / rank), over R, min(R, K) or hits; K = k or min(k, n)."""
    relevance = row.relevance(definition.rel, definition.k)
    gold_count = row.gold_count(definition.rel)
    k_eff = at_most(row.n, definition.k)
    ideal_length = definition.k if definition.choice("cut") == "k" else k_eff
    denominators = {
        "R": gold_count,
        "min_r_k": at_most(gold_count, ideal_length),
        "hits": sum(relevance),
    }
    denominator = denominators[definition.choice("denominator")]
    if denominator == 0:
        return by_convention("no_hits")
    return Score(precision_sum(relevance) / denominator)


def r_precision(row: Row, definition: Definition) -> Score:
    """Hits in the top R / R."""
    gold_count = row.gold_count(definition.rel)
    return Score(Fraction(sum(row.relevance(definition.rel, gold_count)), gold_count))


def f_at_k(row: Row, definition: Definition) -> Score:
    """(1 + b²)·P·Rc / (b²·P + Rc) with P = hits / k and Rc = hits / R; 0 where both are 0."""
    hits = sum(row.relevance(definition.rel, definition.k))
    precision = Fraction(hits, cut_size(definition.k, row.n))
    recall = Fraction(hits, row.gold_count(definition.rel))
    return Score(weighted_f(precision, recall, definition.number("beta")))


def rank_biased_precision(row: Row, definition: Definition) -> Score:
    """(1 − p) · sum over the retrieved relevant items of p^(rank − 1)."""
    p = definition.number("p")
    relevance = row.relevance(definition.rel)
    terms = (p**above for above, relevant in enumerate(relevance) if relevant)
    return Score((1 - p) * sum(terms, Fraction(0)))
