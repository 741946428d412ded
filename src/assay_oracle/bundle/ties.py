"""Count the queries whose value depends on the order of candidates with equal scores."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import groupby
from math import isnan

from assay_oracle.bundle.scored import Scored
from assay_oracle.core.measure import score
from assay_oracle.core.rows import Row

TOLERANCE = 1e-12
Grade = Fraction | None


def other_orders(rows: Sequence[Row]) -> dict[int, list[Row]]:
    """Return, by place, the row with higher grades first, and last, within equal scores.

    In both orders, unjudged candidates are between those with a grade above 0 and the others. Only
    rows for which at least one of the two orders is a different list.
    """
    found: dict[int, list[Row]] = {}
    for place, row in enumerate(rows):
        if len(set(row.scores)) == row.n:
            continue
        best: list[Grade] = []
        worst: list[Grade] = []
        for _, group in groupby(zip(row.scores, row.ranked, strict=True), key=lambda pair: pair[0]):
            falling = sorted((grade for _, grade in group), key=_height, reverse=True)
            best += falling
            worst += falling[::-1]
        lists = {tuple(best), tuple(worst)} - {row.ranked}
        if lists:
            found[place] = [replace(row, ranked=ranked) for ranked in lists]
    return found


def _height(grade: Grade) -> tuple[int, Fraction]:
    """Sort key of a grade: relevant ones first, then unjudged, then the others, each by grade."""
    if grade is None:
        return (1, Fraction(0))
    return (2 if grade > 0 else 0, grade)


def tie_sensitive(measure: Scored, others: Mapping[int, Sequence[Row]]) -> int | None:
    """Count queries of the population whose value changes; None without values per query."""
    if measure.values is None:
        return None
    changed = 0
    for place, rows in others.items():
        value = measure.values[place]
        if not isnan(value):  # it is in the population
            found = (float(score(row, measure.definition).value) for row in rows)
            changed += any(abs(other - value) > TOLERANCE for other in found)
    return changed
