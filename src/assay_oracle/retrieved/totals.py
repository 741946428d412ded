"""Counts over the whole population."""

from assay_oracle.core.definition import Definition
from assay_oracle.core.parameters import REL
from assay_oracle.core.rows import Row
from assay_oracle.core.sums import total


@total("num_q")
def queries(row: Row, definition: Definition) -> int:
    """Count queries."""
    return 1


@total("num_ret", listed=True)
def retrieved(row: Row, definition: Definition) -> int:
    """Count candidates, after the depth cut."""
    return row.n


@total("num_rel", REL, listed=True)
def relevant(row: Row, definition: Definition) -> int:
    """Sum R."""
    return row.gold_count(definition.rel)


@total("num_rel_ret", REL, listed=True)
def relevant_retrieved(row: Row, definition: Definition) -> int:
    """Count relevant items among the candidates."""
    return sum(row.relevance(definition.rel))


@total("num_nonrel_judged_ret", REL, listed=True)
def nonrelevant_retrieved(row: Row, definition: Definition) -> int:
    """Count candidates with 0 <= grade < rel."""
    return sum(row.judged_nonrelevant(definition.rel))
