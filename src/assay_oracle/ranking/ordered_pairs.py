"""Pairs of a relevant and another item in the top k, and how many of them are in order."""

from fractions import Fraction

from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import pooled, refuse_ties
from assay_oracle.core.outcome import Summary
from assay_oracle.core.parameters import CUT, REL
from assay_oracle.core.reduction import Number
from assay_oracle.core.rows import Row
from assay_oracle.core.sums import Sums, ratio, sums_of


def _parts(row: Row, definition: Definition) -> tuple[Number, Number]:
    """The share of ordered pairs of a query and 1; zeros where it has no pair."""
    refuse_ties(row, definition)
    flags = [bool(flag) for flag in row.relevance(definition.rel, definition.k)]
    pairs = [(a, b) for at, a in enumerate(flags) for b in flags[at + 1 :] if a is not b]
    if not pairs:
        return Fraction(0), Fraction(0)
    return Fraction(sum(a for a, _ in pairs), len(pairs)), Fraction(1)


@pooled("ordered_pairs", REL, cut=CUT, via=sums_of(_parts), listed=True)
def ordered_pairs(sums: Sums, definition: Definition) -> Summary:
    """Mean over the queries that have pairs."""
    return ratio(sums[1], sums[2])
