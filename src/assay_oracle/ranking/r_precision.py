"""Precision at rank R."""

from fractions import Fraction

from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import has_relevant, per_query
from assay_oracle.core.parameters import REL
from assay_oracle.core.query_score import Score
from assay_oracle.core.rows import Row


@per_query("rprec", REL, has_gold=has_relevant)
def r_precision(row: Row, definition: Definition) -> Score:
    """Hits in the top R / R."""
    gold_count = row.gold_count(definition.rel)
    return Score(Fraction(sum(row.relevance(definition.rel, gold_count)), gold_count))
