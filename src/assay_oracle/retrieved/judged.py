"""The share of the top k that was judged, and the share that was not."""

from fractions import Fraction

from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import per_query
from assay_oracle.core.parameters import CUT, K_OR_K_EFF
from assay_oracle.core.query_score import Score, at_most, cut_size
from assay_oracle.core.rows import Row

DENOMINATOR = {"denominator": K_OR_K_EFF}


@per_query("judged", DENOMINATOR, cut=CUT, averaged=True)
def judged(row: Row, definition: Definition) -> Score:
    """Judged items in the top k / k or min(k, n)."""
    return Score(Fraction(sum(row.chances_judged(definition.k)), _denominator(row, definition)))


@per_query("unjudged", DENOMINATOR, cut=CUT, averaged=True)
def unjudged(row: Row, definition: Definition) -> Score:
    """Items in the top k that nobody judged / k or min(k, n)."""
    items = row.chances_judged(definition.k)
    return Score(Fraction(len(items) - sum(items), _denominator(row, definition)))


def _denominator(row: Row, definition: Definition) -> int:
    if definition.choice("denominator") == "k":
        return cut_size(definition.k, row.n)
    return at_most(row.n, definition.k)
