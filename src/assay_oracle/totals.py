"""Measures over the whole population that are no mean: counts, and the geometric mean of AP."""

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from assay_oracle.definition import Definition
from assay_oracle.outcome import Summary
from assay_oracle.pool import judged_nonrelevant
from assay_oracle.ranking import precision_sum
from assay_oracle.rows import Row


def query_count(rows: Sequence[Row], definition: Definition) -> Summary:
    """num_q: queries."""
    return Summary(float(len(rows)))


def retrieved_count(rows: Sequence[Row], definition: Definition) -> Summary:
    """num_ret: candidates, after the depth cut."""
    return Summary(float(sum(row.n for row in rows)))


def relevant_count(rows: Sequence[Row], definition: Definition) -> Summary:
    """num_rel: sum of R."""
    return Summary(float(sum(row.gold_count(definition.rel) for row in rows)))


def relevant_retrieved_count(rows: Sequence[Row], definition: Definition) -> Summary:
    """num_rel_ret: relevant items among the candidates."""
    return Summary(float(sum(sum(row.relevance(definition.rel)) for row in rows)))


def nonrelevant_retrieved_count(rows: Sequence[Row], definition: Definition) -> Summary:
    """num_nonrel_judged_ret: candidates with 0 <= grade < rel."""
    return Summary(float(sum(sum(judged_nonrelevant(row, definition.rel)) for row in rows)))


def geometric_mean_ap(rows: Sequence[Row], definition: Definition) -> Summary:
    """exp(mean of log(max(AP, floor))); AP uncut over R, and 0 by convention without gold."""
    floor = definition.number("floor")
    logarithms: list[float] = []
    reasons: Counter[str] = Counter()
    for row in rows:
        gold_count = row.gold_count(definition.rel)
        if gold_count == 0:
            reasons["no_gold"] += 1
        elif row.n == 0:
            reasons["no_candidates"] += 1
        total = precision_sum(row.relevance(definition.rel))
        precision = total / gold_count if gold_count else Fraction(0)
        logarithms.append(math.log(max(precision, floor)))
    return Summary(math.exp(math.fsum(logarithms) / len(rows)), by_convention=dict(reasons))
