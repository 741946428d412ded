"""A measure over any part of the queries, with the values of single queries worked out once."""

from __future__ import annotations  # an array is not subscriptable in Python 3.11

import math
from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from assay_oracle.bundle.parts import Members, Part
from assay_oracle.definition import Definition
from assay_oracle.formulas import is_mean, score
from assay_oracle.outcome import Summary
from assay_oracle.pooled import POOLED
from assay_oracle.rows import Row

QUARTILES = {"median": Fraction(1, 2), "p25": Fraction(1, 4), "p75": Fraction(3, 4)}


@dataclass(frozen=True, slots=True)
class Measure:
    """A definition on the rows of a bundle.

    `values` has one number a row, nan outside the population, and is None where the measure is no
    mean; `conventions` counts the values of single queries that are set by convention.
    """

    definition: Definition
    values: array[float] | None
    conventions: dict[str, int]

    def members(self, part: Part) -> Members:
        """The queries of the part that the measure is taken over."""
        return part[self.definition.choice("on")]

    def reduced(self, part: Part) -> Summary:
        """The value over the part, or by convention."""
        members = self.members(part)
        if not members.rows:
            return Summary(0.0, "empty_population")
        if self.values is None:
            return POOLED[self.definition.name](members.rows, self.definition)
        found = [self.values[place] for place in members.places]
        return Summary(math.fsum(found) / len(found))

    def spread(self, part: Part) -> dict[str, float | None]:
        """Std, median and quartiles of the values of single queries; nothing without them."""
        if self.values is None:
            return {}
        return spread([self.values[place] for place in self.members(part).places])


def measure(rows: Sequence[Row], whole: Part, definition: Definition) -> Measure:
    """Score each query of the population where the measure is a mean."""
    if not is_mean(definition):
        return Measure(definition, None, {})
    values = array("d", [math.nan]) * len(rows)
    conventions: Counter[str] = Counter()
    for place in whole[definition.choice("on")].places:
        scored = score(rows[place], definition)
        values[place] = float(scored.value)
        if scored.convention is not None:
            conventions[scored.convention] += 1
    return Measure(definition, values, dict(conventions))


def spread(values: Sequence[float]) -> dict[str, float | None]:
    """Std with n − 1 (None below two values), median and quartiles by linear interpolation."""
    if not values:
        return dict.fromkeys(("std", *QUARTILES))
    ordered = sorted(values)
    quartiles = {name: _quantile(ordered, share) for name, share in QUARTILES.items()}
    return {"std": standard_deviation(values), **quartiles}


def standard_deviation(values: Sequence[float]) -> float | None:
    """sqrt(sum of (x − mean)² / (n − 1)); None below two values."""
    if len(values) < 2:
        return None
    centre = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((value - centre) ** 2 for value in values) / (len(values) - 1))


def _quantile(ordered: Sequence[float], share: Fraction) -> float:
    position = share * (len(ordered) - 1)
    below, above = ordered[math.floor(position)], ordered[math.ceil(position)]
    return below + float(position - math.floor(position)) * (above - below)
