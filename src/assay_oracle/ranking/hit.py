"""Whether the top k has a relevant item."""

from fractions import Fraction

from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import per_query
from assay_oracle.core.parameters import CUT, REL
from assay_oracle.core.query_score import Score
from assay_oracle.core.rows import Row


@per_query("hit", REL, cut=CUT)
def hit(row: Row, definition: Definition) -> Score:
    """1 if the top k has a relevant item, else 0."""
    return Score(Fraction(any(row.relevance(definition.rel, definition.k))))
