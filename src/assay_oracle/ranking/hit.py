"""Whether the top k has a relevant item."""

from fractions import Fraction

from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import per_query
from assay_oracle.core.parameters import CUT, REL
from assay_oracle.core.query_score import Score
from assay_oracle.core.rows import Row
from assay_oracle.statistics.tied_orders import chance_of_none, groups


def _averaged(row: Row, definition: Definition) -> Score:
    """1 minus the chance that no group has a relevant item in the top k."""
    none = Fraction(1)
    for group in groups(row):
        drawn = group.ranks_within(definition.k)
        none *= chance_of_none(group.size, group.relevant(definition.rel), drawn)
    return Score(1 - none)


@per_query("hit", REL, cut=CUT, averaged=_averaged)
def hit(row: Row, definition: Definition) -> Score:
    """1 if the top k has a relevant item, else 0."""
    return Score(Fraction(any(row.relevance(definition.rel, definition.k))))
