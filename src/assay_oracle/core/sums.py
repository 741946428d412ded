"""Measures that are a function of sums over queries.

The value is computed from exact sums. For resamples the sums of each unit are computed once, and
each is multiplied by how often its unit was drawn.
"""

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from operator import mul

from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import Trial, pooled
from assay_oracle.core.outcome import Summary
from assay_oracle.core.parameters import Value
from assay_oracle.core.reduction import NOTHING_DRAWN, Counts, Number, Reduction, Resampled, add
from assay_oracle.core.rows import Row

Sums = Sequence[Number]  # the number of queries, then the sum of each part
Parts = Callable[[Row, Definition], Sequence[Number]]
Formula = Callable[[Sums, Definition], Summary]


def ratio(numerator: Number, denominator: Number) -> Summary:
    """Divide; 0 by convention if the denominator is 0."""
    if denominator == 0:
        return Summary(0.0, "zero_denominator")
    return Summary(float(numerator / denominator))


def sums_of(parts: Parts) -> Callable[[Formula], Reduction]:
    """Return the maker of a reduction: a formula of the sums of `parts` over the queries.

    The sums are fractions for the value and floats for resamples.
    """

    def via(formula: Formula) -> Reduction:
        def value(rows: Sequence[Row], definition: Definition) -> Summary:
            return formula(exact_sums([parts(row, definition) for row in rows]), definition)

        def resample(rows: Sequence[Row], units: Sequence[int], definition: Definition) -> Resampled:
            vectors = [parts(row, definition) for row in rows]
            return resampled_sums(units, vectors, lambda sums: formula(sums, definition))

        return Reduction(value, resample)

    return via


def total(
    name: str, parameters: Mapping[str, Value] = {}, *, listed: bool = False
) -> Callable[[Callable[[Row, Definition], int]], Callable[[Row, Definition], int]]:
    """Register the sum of a count per query."""

    def via(count: Callable[[Row, Definition], int]) -> Reduction:
        return sums_of(lambda row, definition: (count(row, definition),))(
            lambda sums, definition: Summary(float(sums[1]))
        )

    return pooled(name, parameters, via=via, listed=listed)


def share(name: str, parameters: Mapping[str, Value] = {}, *, scale: int = 1) -> Callable[[Trial], Trial]:
    """Register a rate: `scale` times the hits over the trials."""

    def decorate(trial: Trial) -> Trial:
        def parts(row: Row, definition: Definition) -> tuple[bool, bool]:
            hit = trial(row, definition)
            return bool(hit), hit is not None

        via = sums_of(parts)
        pooled(name, parameters, via=via, trial=trial, scale=scale)(
            lambda sums, definition: ratio(scale * sums[1], sums[2])
        )
        return trial

    return decorate


def exact_sums(vectors: Sequence[Sequence[Number]]) -> list[Number]:
    """Return the number of vectors and the exact sum of each column."""
    return [add((len(vectors),)), *(add(column) for column in zip(*vectors, strict=True))]


def unit_sums(units: Sequence[int], vectors: Sequence[Sequence[Number]]) -> Callable[[Counts], list[float]]:
    """Return the function from counts to the number of vectors and the sum of each column."""
    by_unit: dict[int, list[Sequence[Number]]] = {}
    for unit, vector in zip(units, vectors, strict=True):
        by_unit.setdefault(unit, []).append((1, *vector))
    drawn = list(by_unit)
    sums = ([math.fsum(column) for column in zip(*v, strict=True)] for v in by_unit.values())
    columns = list(zip(*sums, strict=True))

    def totals(counts: Counts) -> list[float]:
        weights = [counts[unit] for unit in drawn]
        return [math.fsum(map(mul, weights, column)) for column in columns]

    return totals


def resampled_sums(
    units: Sequence[int], vectors: Sequence[Sequence[Number]], formula: Callable[[Sequence[float]], Summary]
) -> Resampled:
    """Return the function from counts to the formula's value of the sums."""
    if not units:
        return lambda counts: NOTHING_DRAWN
    totals = unit_sums(units, vectors)

    def resampled(counts: Counts) -> Summary:
        found = totals(counts)
        return formula(found) if found[0] else NOTHING_DRAWN

    return resampled


def resampled_mean(units: Sequence[int], values: Sequence[float]) -> Resampled:
    """Return the function from counts to the mean of the drawn values."""
    vectors = [(value,) for value in values]
    return resampled_sums(units, vectors, lambda sums: Summary(sums[1] / sums[0]))


def sums_by_key(
    units: Sequence[int], vectors: Sequence[Sequence[Number]], keys: Sequence[Hashable]
) -> Callable[[Counts], list[list[float]]]:
    """Return the function from counts to the sums of each key that was drawn at all."""
    places: dict[Hashable, list[int]] = {}
    for place, key in enumerate(keys):
        places.setdefault(key, []).append(place)
    parts = [
        unit_sums([units[place] for place in found], [vectors[place] for place in found])
        for found in places.values()
    ]

    def totals(counts: Counts) -> list[list[float]]:
        return [sums for part in parts if (sums := part(counts))[0]]

    return totals
