"""Interpolated precision at a level of recall, and its mean over eleven levels."""

import math
from fractions import Fraction

from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import has_relevant, per_query
from assay_oracle.core.parameters import REL, UNIT, choice
from assay_oracle.core.query_score import Score
from assay_oracle.core.rows import Row

NEED = {"need": choice("ceil", "round", "trec9"), **REL}


@per_query("iprec", NEED, cut=UNIT, has_gold=has_relevant)
def interpolated_precision(row: Row, definition: Definition) -> Score:
    """The largest (hits in the top i) / i over the ranks i with at least m hits, or 0.

    m is the number of hits that the recall level x needs: see `_needed`.
    """
    return Score(_at_level(row, definition, definition.level))


@per_query("iprec_avg", NEED, has_gold=has_relevant)
def average_interpolated_precision(row: Row, definition: Definition) -> Score:
    """Mean of the interpolated precision at the recall levels 0.0, 0.1, …, 1.0."""
    levels = [Fraction(tenths, 10) for tenths in range(11)]
    values = [_at_level(row, definition, level) for level in levels]
    return Score(sum(values, Fraction(0)) / len(levels))


def _at_level(row: Row, definition: Definition, level: Fraction) -> Fraction:
    needed = _needed(level, row.gold_count(definition.rel), definition.choice("need"))
    best, hits = Fraction(0), 0
    for rank, relevant in enumerate(row.relevance(definition.rel), start=1):
        hits += relevant
        if hits >= needed:
            best = max(best, Fraction(hits, rank))
    return best


def _needed(level: Fraction, gold_count: int, rule: str) -> int:
    """ceil(x·R) exactly; x·R in floats rounded half up; or floor(x·R + 0.9) in floats."""
    if rule == "ceil":
        return math.ceil(level * gold_count)
    product = float(level) * gold_count
    if rule == "trec9":
        return math.floor(product + 0.9)
    whole = math.floor(product)
    return whole + (product - whole >= 0.5)
