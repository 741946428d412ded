"""Recall and precision of what is returned."""

from fractions import Fraction

from assay_oracle.core import decision
from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import has_relevant, per_query
from assay_oracle.core.outcome import Summary
from assay_oracle.core.parameters import REL, choice
from assay_oracle.core.query_score import Score, by_convention
from assay_oracle.core.rows import Row
from assay_oracle.core.sums import Sums, ratio, sums_of


def _recall_parts(row: Row, definition: Definition) -> tuple[Fraction | int, int, bool]:
    """Return the hits, what they are a share of, and whether the query has a K.

    A query without a K returns nothing; micro_conditional counts only queries with K >= 1.
    """
    average = definition.choice("average")
    known = row.query.selected_k is not None
    if average == "micro_conditional" and not row.query.selected_k:
        return 0, 0, known
    if average == "retrieved":
        return row.returned_hits(definition.rel), sum(row.relevance(definition.rel)), known
    return row.returned_hits(definition.rel), row.gold_count(definition.rel), known


@sums_of(_recall_parts)
def _pooled_recall(sums: Sums, definition: Definition) -> Summary:
    """Sum of hits / sum of R, or of relevant items among the candidates; no value without any K."""
    _, hits, of, known = sums
    return ratio(hits, of) if known else Summary(None, "no_selected_k")


def _check_k(row: Row, definition: Definition) -> None:
    """Refuse a query without a K, whatever its gold and its candidates."""
    decision.selected_k(row, definition)


@per_query(
    "evidence_recall",
    {"average": choice("macro", "micro", "micro_conditional", "retrieved"), **REL},
    has_gold=has_relevant,
    check=_check_k,
    needs="selected_k",
    otherwise=_pooled_recall,
)
def recall(row: Row, definition: Definition) -> Score:
    """Relevant items in the top selected_k / R."""
    return Score(Fraction(row.returned_hits(definition.rel), row.gold_count(definition.rel)))


def _precision_parts(row: Row, definition: Definition) -> tuple[Fraction | int, int]:
    return row.returned_hits(definition.rel), decision.selected_k(row, definition)


@sums_of(_precision_parts)
def _pooled_precision(sums: Sums, definition: Definition) -> Summary:
    """Sum of hits / sum of selected_k."""
    return ratio(sums[1], sums[2])


@per_query(
    "evidence_precision",
    {"average": choice("macro", "micro"), **REL},
    needs="selected_k",
    ranks=False,
    otherwise=_pooled_precision,
)
def precision(row: Row, definition: Definition) -> Score:
    """Relevant items in the top selected_k / selected_k; 0 by convention if that is 0."""
    hits, size = _precision_parts(row, definition)
    return Score(Fraction(hits, size)) if size else by_convention("nothing_returned")
