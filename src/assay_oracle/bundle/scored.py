"""A measure over any part of the queries, with the values per query computed once."""

from __future__ import annotations  # an array is not subscriptable in Python 3.11

import math
from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from assay_oracle.bundle.parts import Members, Part
from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import is_mean, reduction, score
from assay_oracle.core.outcome import Summary
from assay_oracle.core.reduction import Reduction
from assay_oracle.core.rows import Row

QUARTILES = {"median": Fraction(1, 2), "p25": Fraction(1, 4), "p75": Fraction(3, 4)}


@dataclass(frozen=True, slots=True)
class Scored:
    """A definition applied to the rows of a bundle.

    `values` has one number per row, nan outside the population; it is None if the measure is not a
    mean, and `contributions` then has what each row contributes. `conventions` counts the values per
    query that are set by convention.
    """

    definition: Definition
    values: array[float] | None
    conventions: dict[str, int]
    contributions: Sequence[Any] = ()  # one per row of the population, by place in the bundle

    def members(self, part: Part) -> Members:
        """Return the queries of the part that are in the measure's population."""
        return part[self.definition.choice("on")]

    def reduced(self, part: Part) -> Summary:
        """Return the value over the part, or 0 by convention if it is empty."""
        members = self.members(part)
        if not members.rows:
            return Summary(0.0, "empty_population")
        if self.values is None:
            return reduction(self.definition).value(self.contributed(part), self.definition)
        found = [self.values[place] for place in members.places]
        return Summary(math.fsum(found) / len(found))

    def contributed(self, part: Part) -> list[Any]:
        """Return the contributions of the part's queries to a measure that is not a mean."""
        return list(map(self.contributions.__getitem__, self.members(part).places))

    def spread(self, part: Part) -> dict[str, float | None]:
        """Return std, median and quartiles of the values per query; nothing without them."""
        if self.values is None:
            return {}
        return spread([self.values[place] for place in self.members(part).places])


def scored(
    rows: Sequence[Row], whole: Part, definition: Definition, shared: dict[Any, Sequence[Any]] | None = None
) -> Scored:
    """Score each query of the population if the measure is a mean, else compute its contribution.

    Measures that need the same of each row share it through `shared`.
    """
    if not is_mean(definition):
        made = reduction(definition)
        key = (made.contribution, definition.cut, *sorted(definition.parameters.items()))
        known = {} if shared is None else shared
        if key not in known:
            known[key] = _by_place(rows, whole, definition, made)
        return Scored(definition, None, {}, known[key])
    values = array("d", [math.nan]) * len(rows)
    conventions: Counter[str] = Counter()
    for place in whole[definition.choice("on")].places:
        one = score(rows[place], definition)
        values[place] = float(one.value)
        if one.convention is not None:
            conventions[one.convention] += 1
    return Scored(definition, values, dict(conventions))


def _by_place(rows: Sequence[Row], whole: Part, definition: Definition, made: Reduction) -> Sequence[Any]:
    members = whole[definition.choice("on")]
    found: list[Any] = [None] * len(rows)
    for place, each in zip(members.places, made.contributions(members.rows, definition), strict=True):
        found[place] = each
    return found


def spread(values: Sequence[float]) -> dict[str, float | None]:
    """Return std with n − 1 (None below two values), and interpolated median and quartiles."""
    if not values:
        return dict.fromkeys(("std", *QUARTILES))
    ordered = sorted(values)
    quartiles = {name: _quantile(ordered, share) for name, share in QUARTILES.items()}
    return {"std": standard_deviation(values), **quartiles}


def standard_deviation(values: Sequence[float]) -> float | None:
    """Return sqrt(sum of (x − mean)² / (n − 1)); None below two values."""
    if len(values) < 2:
        return None
    centre = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((value - centre) ** 2 for value in values) / (len(values) - 1))


def _quantile(ordered: Sequence[float], share: Fraction) -> float:
    position = share * (len(ordered) - 1)
    below, above = ordered[math.floor(position)], ordered[math.ceil(position)]
    return below + float(position - math.floor(position)) * (above - below)
