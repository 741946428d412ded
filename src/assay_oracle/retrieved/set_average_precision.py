"""Average precision of a set, and set precision relative to the best for its size."""

from fractions import Fraction

from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import has_relevant, per_query
from assay_oracle.core.parameters import REL
from assay_oracle.core.query_score import Score
from assay_oracle.core.rows import Row


@per_query("set_map", REL, has_gold=has_relevant, averaged=True)
def set_average_precision(row: Row, definition: Definition) -> Score:
    """Set precision times set recall."""
    found = sum(row.relevance(definition.rel))
    return Score(Fraction(found, row.n) * Fraction(found, row.gold_count(definition.rel)))


@per_query("set_relative_precision", REL, has_gold=has_relevant, averaged=True)
def set_relative_precision(row: Row, definition: Definition) -> Score:
    """Set precision / the highest set precision of any list of n items."""
    precision = Fraction(sum(row.relevance(definition.rel)), row.n)
    return Score(precision / Fraction(min(row.n, row.gold_count(definition.rel)), row.n))
