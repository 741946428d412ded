"""Whether all items of one evidence group are among the first candidates."""

from fractions import Fraction

from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import per_query
from assay_oracle.core.parameters import CUT, REL
from assay_oracle.core.query_score import Score
from assay_oracle.core.rows import Row


def whole_group(row: Row, k: int | None, rel: int) -> bool:
    """Return whether the first k items contain a group whose items all have a grade of `rel`."""
    first = set(row.items[:k])
    return any(group.grade >= rel and group.items <= first for group in row.groups or ())


def _has_group(row: Row, definition: Definition) -> bool:
    return any(group.grade >= definition.rel for group in row.groups or ())


@per_query("evidence_group_recall", REL, cut=CUT, has_gold=_has_group, averaged=False)
def evidence_group_recall(row: Row, definition: Definition) -> Score:
    """1 if a whole group is in the top k, else 0."""
    return Score(Fraction(whole_group(row, definition.k, definition.rel)))
