"""Utility of the retrieved set from its contingency table."""

from fractions import Fraction

from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import per_query
from assay_oracle.core.parameters import REL, WEIGHT
from assay_oracle.core.query_score import Score
from assay_oracle.core.rows import Row


@per_query(
    "set_utility", {"found": WEIGHT, "alarm": WEIGHT, "missed": WEIGHT, **REL}, ranks=False, averaged=True
)
def set_utility(row: Row, definition: Definition) -> Score:
    """p1·a + p2·b + p3·c: a relevant retrieved, b other retrieved, c relevant not retrieved.

    p1 = found, p2 = −alarm, p3 = −missed.
    """
    flags = row.relevance(definition.rel)
    a, b = flags.count(True), flags.count(False)
    c = row.gold_count(definition.rel) - a
    worth = {"found": a, "alarm": -b, "missed": -c}
    return Score(sum((definition.number(name) * count for name, count in worth.items()), Fraction(0)))
