"""Precision at a cut-off."""

from fractions import Fraction

from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import has_relevant, per_query
from assay_oracle.core.parameters import CUT, REL, choice
from assay_oracle.core.query_score import Score, at_most, cut_size
from assay_oracle.core.rows import Row


def _has_gold(row: Row, definition: Definition) -> bool:
    return definition.choice("denominator") != "min_r_k" or has_relevant(row, definition)


@per_query(
    "precision",
    {"denominator": choice("k", "k_eff", "min_r_k"), **REL},
    cut=CUT,
    has_gold=_has_gold,
    averaged=True,
)
def precision(row: Row, definition: Definition) -> Score:
    """Hits / k, hits / min(k, n) or hits / min(R, k)."""
    hits = sum(row.chances(definition.rel, definition.k))
    denominators = {
        "k": cut_size(definition.k, row.n),
        "k_eff": at_most(row.n, definition.k),
        "min_r_k": at_most(row.gold_count(definition.rel), definition.k),
    }
    return Score(Fraction(hits, denominators[definition.choice("denominator")]))
