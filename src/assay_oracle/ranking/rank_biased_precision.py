"""Rank-biased precision (Moffat and Zobel 2008)."""

from fractions import Fraction

from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import per_query
from assay_oracle.core.parameters import REL, SHARE
from assay_oracle.core.query_score import Score
from assay_oracle.core.rows import Row


@per_query("rbp", {"p": SHARE, **REL})
def rank_biased_precision(row: Row, definition: Definition) -> Score:
    """(1 − p) · sum over the retrieved relevant items of p^(rank − 1)."""
    p = definition.number("p")
    relevance = row.relevance(definition.rel)
    terms = (p**above for above, relevant in enumerate(relevance) if relevant)
    return Score((1 - p) * sum(terms, Fraction(0)))
