"""Count the queries whose value depends on the order of candidates with equal scores."""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import groupby
from math import fsum, isnan

from assay_oracle.bundle.parts import Part
from assay_oracle.bundle.scored import Scored
from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import reduction, score, with_gains
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
        made = {each.ranked: each for each in _extremes(row, row.ranked)}
        others = [each for ranked, each in made.items() if row.averaged or ranked != row.ranked]
        if others:
            found[place] = others
    return found


def _extremes(row: Row, grades: Sequence[Grade]) -> list[Row]:
    """Return the row with higher grades first, and last, within equal scores."""
    best: list[int] = []
    worst: list[int] = []
    for _, group in groupby(range(row.n), key=row.scores.__getitem__):
        rising = sorted(group, key=lambda at: _height(grades[at]))
        best += sorted(rising, key=lambda at: _height(grades[at]), reverse=True)
        worst += rising  # in both orders, equal grades stay in the order given
    return [_reordered(row, best), _reordered(row, worst)]


def _by_gain(rows: Sequence[Row], definition: Definition) -> Sequence[Row]:
    """Return the orders again, by the gains of grades where the definition has gains."""
    mapped = with_gains(rows[0], definition)
    return rows if mapped is rows[0] else _extremes(rows[0], mapped.ranked)


def _reordered(row: Row, order: Sequence[int]) -> Row:
    items = tuple(row.items[at] for at in order) if row.items else ()
    return replace(row, ranked=tuple(row.ranked[at] for at in order), items=items, averaged=False)


def tie_range(
    measure: Scored, others: Mapping[int, Sequence[Row]], parts: Sequence[Part], *, highest: bool
) -> float | None:
    """Return the mean over the parts of the value with gold last, or first, in each group of ties."""
    end = max if highest else min
    if measure.values is None:
        parts_of = list(measure.contributions)
        made = reduction(measure.definition)
        for place, rows in others.items():
            if parts_of[place] is not None and not isinstance(parts_of[place], Row):
                parts_of[place] = end(
                    (
                        each
                        for row in _by_gain(rows, measure.definition)
                        for each in made.contributions([row], measure.definition)
                    ),
                    default=parts_of[place],
                )
        other = replace(measure, contributions=parts_of)
    else:
        values = array("d", measure.values)
        for place, rows in others.items():
            if not isnan(values[place]):
                orders = _by_gain(rows, measure.definition)
                values[place] = end(float(score(row, measure.definition).value) for row in orders)
        other = replace(measure, values=values)
    found = [value for part in parts if (value := other.reduced(part).value) is not None]
    return fsum(found) / len(found) if found else None


def _height(grade: Grade) -> tuple[int, Fraction]:
    """Sort key of a grade: relevant ones first, then unjudged, then the others, each by grade."""
    if grade is None or grade < 0:
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
            orders = _by_gain(rows, measure.definition)
            found = (float(score(row, measure.definition).value) for row in orders)
            changed += any(abs(other - value) > TOLERANCE for other in found)
    return changed
