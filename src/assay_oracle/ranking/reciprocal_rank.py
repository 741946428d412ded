"""The reciprocal rank, whose mean is MRR."""

from fractions import Fraction

from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import has_relevant, per_query
from assay_oracle.core.parameters import CUT, REL
from assay_oracle.core.query_score import Score
from assay_oracle.core.rows import Row
from assay_oracle.statistics.tied_orders import chance_of_none, groups


def _averaged(row: Row, definition: Definition) -> Score:
    """Sum over ranks of 1 / rank times the chance that the first relevant item is there."""
    for group in groups(row):
        relevant = group.relevant(definition.rel)
        if relevant:
            total = Fraction(0)
            for place in range(1, min(group.ranks_within(definition.k), group.size - relevant + 1) + 1):
                none = [chance_of_none(group.size, relevant, drawn) for drawn in (place - 1, place)]
                total += (none[0] - none[1]) / (group.above + place)
            return Score(total)
    return Score(Fraction(0))


@per_query("mrr", REL, cut=CUT, cut_required=False, has_gold=has_relevant, averaged=_averaged)
def reciprocal_rank(row: Row, definition: Definition) -> Score:
    """1 / rank of the first relevant item in the top k, else 0."""
    for rank, relevant in enumerate(row.relevance(definition.rel, definition.k), start=1):
        if relevant:
            return Score(Fraction(1, rank))
    return Score(Fraction(0))
