"""Recall at a cut-off."""

from fractions import Fraction

from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import has_relevant, per_query
from assay_oracle.core.parameters import CUT, GOLD, REL
from assay_oracle.core.query_score import Score, by_convention
from assay_oracle.core.rows import Row


@per_query("recall", {"gold": GOLD, **REL}, cut=CUT, has_gold=has_relevant, averaged=True)
def recall(row: Row, definition: Definition) -> Score:
    """Hits / R; with gold=retrieved, hits / relevant items among the candidates."""
    hits = sum(row.chances(definition.rel, definition.k))
    if definition.choice("gold") == "all":
        return Score(Fraction(hits, row.gold_count(definition.rel)))
    retrieved = sum(row.relevance(definition.rel))
    if retrieved == 0:
        return by_convention("no_retrieved_gold")
    return Score(Fraction(hits, retrieved))
