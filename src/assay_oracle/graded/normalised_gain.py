"""Gain of each item, discounted by how far the list is behind the ideal order."""

import math
from fractions import Fraction
from itertools import chain, repeat

from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import has_positive_grade, has_relevant, per_query
from assay_oracle.core.parameters import REL
from assay_oracle.core.query_score import Score
from assay_oracle.core.rows import Row
from assay_oracle.statistics.tied_orders import groups


@per_query("normalised_gain", has_gold=has_positive_grade)
def normalised_gain(row: Row, definition: Definition) -> Score:
    """Sum of gain / log2(2 + cost − gain so far) over the sum of all gains.

    At each rank the gain so far grows by that of the item, and the cost by that of the ideal order,
    or by 1 if that is less.
    """
    ideal = sorted((grade for grade in row.judgements if grade > 0), reverse=True)
    terms, behind = [], Fraction(0)
    for gain, best in zip(row.gains(), chain(ideal, repeat(Fraction(0))), strict=False):
        behind += max(best, Fraction(1)) - gain
        terms.append(float(gain) / math.log2(2 + behind))
    return Score(Fraction(math.fsum(terms)) / sum(ideal, Fraction(0)))


def _averaged(row: Row, definition: Definition) -> Score:
    """Among its ties that are not relevant, a relevant item has 0, 1, … above it, all equally likely."""
    total, others = 0.0, 0
    for group in groups(row):
        relevant = group.relevant(definition.rel)
        tied = group.size - relevant
        total += (
            relevant * math.fsum(1 / math.log2(2 + others + more) for more in range(tied + 1)) / (tied + 1)
        )
        others += tied
    return Score(Fraction(total) / row.gold_count(definition.rel))


@per_query("binary_gain", REL, has_gold=has_relevant, averaged=_averaged)
def binary_gain(row: Row, definition: Definition) -> Score:
    """Average over all relevant items of 1 / log2(2 + items above that are not relevant)."""
    terms, others = [], 0
    for relevant in row.relevance(definition.rel):
        if relevant:
            terms.append(1 / math.log2(2 + others))
        else:
            others += 1
    return Score(Fraction(math.fsum(terms)) / row.gold_count(definition.rel))
