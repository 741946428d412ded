"""Precision at rank R and at its multiples."""

import math
from fractions import Fraction

from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import has_relevant, per_query
from assay_oracle.core.parameters import POSITIVE, REL
from assay_oracle.core.query_score import Score, by_convention
from assay_oracle.core.rows import Row


@per_query("rprec", REL, has_gold=has_relevant, averaged=True)
def r_precision(row: Row, definition: Definition) -> Score:
    """Hits in the top R / R."""
    gold_count = row.gold_count(definition.rel)
    return Score(Fraction(sum(row.chances(definition.rel, gold_count)), gold_count))


@per_query("rprec_mult", {"times": POSITIVE, **REL}, has_gold=has_relevant, averaged=True)
def precision_at_multiple(row: Row, definition: Definition) -> Score:
    """Hits in the top c / c, where c is times·R rounded up unless it exceeds a whole number by < 0.1.

    times·R + 0.9 is computed in floats, as trec_eval documents its cut-offs.
    """
    cut = math.floor(float(definition.number("times")) * row.gold_count(definition.rel) + 0.9)
    if cut == 0:
        return by_convention("zero_denominator")
    return Score(Fraction(sum(row.chances(definition.rel, cut)), cut))
