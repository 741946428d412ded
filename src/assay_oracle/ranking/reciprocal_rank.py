"""The reciprocal rank, whose mean is MRR."""

from fractions import Fraction

from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import has_relevant, per_query
from assay_oracle.core.parameters import CUT, REL
from assay_oracle.core.query_score import Score
from assay_oracle.core.rows import Row


@per_query("mrr", REL, cut=CUT, cut_required=False, has_gold=has_relevant)
def reciprocal_rank(row: Row, definition: Definition) -> Score:
    """1 / rank of the first relevant item in the top k, else 0."""
    for rank, relevant in enumerate(row.relevance(definition.rel, definition.k), start=1):
        if relevant:
            return Score(Fraction(1, rank))
    return Score(Fraction(0))
