"""The utility of answering or abstaining."""

from fractions import Fraction

from assay_oracle.core.decision import decided
from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import per_query
from assay_oracle.core.parameters import WEIGHT, choice
from assay_oracle.core.query_score import Score
from assay_oracle.core.rows import Row

WEIGHTS = dict.fromkeys(("abstain", "found", "missed", "alarm"), WEIGHT)


@per_query("utility", {**WEIGHTS, "at": choice("returned")}, needs="selected_k", ranks=False)
def utility(row: Row, definition: Definition) -> Score:
    """Without evidence: +abstain if nothing is returned, else −alarm. With evidence: −missed if
    nothing is returned, else found · (gold in the top selected_k / R).
    """
    returned = decided(row, definition)
    if not row.has_evidence:
        return Score(-definition.number("alarm") if returned else definition.number("abstain"))
    if not returned:
        return Score(-definition.number("missed"))
    return Score(definition.number("found") * Fraction(row.returned_hits(1), row.gold_count(1)))
