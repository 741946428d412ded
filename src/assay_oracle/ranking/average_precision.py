"""Average precision: its mean (MAP) and its geometric mean."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import has_relevant, per_query, pooled
from assay_oracle.core.outcome import Summary
from assay_oracle.core.parameters import CUT, K_OR_K_EFF, REL, SHARE, choice
from assay_oracle.core.query_score import Score, at_most, by_convention
from assay_oracle.core.reduction import resampled_by
from assay_oracle.core.rows import Row
from assay_oracle.core.sums import Sums, sums_of


def _precision_sum(relevance: list[bool]) -> Fraction:
    """Sum over the hits of (hits so far / rank), the numerator of average precision."""
    total, hits = Fraction(0), 0
    for rank, relevant in enumerate(relevance, start=1):
        if relevant:
            hits += 1
            total += Fraction(hits, rank)
    return total


@per_query(
    "map",
    {"denominator": choice("R", "min_r_k", "hits"), "cut": K_OR_K_EFF, **REL},
    cut=CUT,
    has_gold=has_relevant,
)
def average_precision(row: Row, definition: Definition) -> Score:
    """Sum over hits of (hits so far / rank), over R, min(R, K) or hits; K = k or min(k, n)."""
    relevance = row.relevance(definition.rel, definition.k)
    gold_count = row.gold_count(definition.rel)
    k_eff = at_most(row.n, definition.k)
    ideal_length = definition.k if definition.choice("cut") == "k" else k_eff
    denominators = {"R": gold_count, "min_r_k": at_most(gold_count, ideal_length), "hits": sum(relevance)}
    denominator = denominators[definition.choice("denominator")]
    if denominator == 0:
        return by_convention("no_hits")
    return Score(_precision_sum(relevance) / denominator)


def _log_precision(row: Row, definition: Definition) -> tuple[float]:
    """log(max(AP, floor)); AP uncut over R, and 0 by convention without gold."""
    gold = row.gold_count(definition.rel)
    total = _precision_sum(row.relevance(definition.rel))
    precision = total / gold if gold else Fraction(0)
    return (math.log(max(precision, definition.number("floor"))),)


def _geometric_mean(sums: Sums, definition: Definition) -> Summary:
    return Summary(math.exp(sums[1] / sums[0]))


_LOGARITHMS = sums_of(_log_precision)(_geometric_mean)


@pooled("gm_map", {"floor": SHARE, **REL}, via=resampled_by(_LOGARITHMS.resample))
def geometric_mean(rows: Sequence[Row], definition: Definition) -> Summary:
    """exp(mean of log(max(AP, floor)))."""
    reasons = Counter(
        "no_candidates" if has_relevant(row, definition) else "no_gold"
        for row in rows
        if row.n == 0 or not has_relevant(row, definition)
    )
    return replace(_LOGARITHMS.value(rows, definition), by_convention=dict(reasons))
