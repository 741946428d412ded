"""Measures that are a function of sums over queries: a sum a unit, made once, times its count."""

import math
from collections.abc import Callable, Hashable, Sequence
from operator import mul

Counts = Sequence[int]  # how often each unit counts
Reduce = Callable[[Counts], float | None]
Vector = Sequence[float]


def unit_sums(units: Sequence[int], vectors: Sequence[Vector]) -> Callable[[Counts], list[float]]:
    """The sums of the vectors under counts; the number of queries comes first."""
    by_unit: dict[int, list[Vector]] = {}
    for unit, vector in zip(units, vectors, strict=True):
        by_unit.setdefault(unit, []).append((1, *vector))
    drawn = list(by_unit)
    columns = list(zip(*(_column_sums(found) for found in by_unit.values()), strict=True))

    def totals(counts: Counts) -> list[float]:
        weights = [counts[unit] for unit in drawn]
        return [math.fsum(map(mul, weights, column)) for column in columns]

    return totals


def _column_sums(vectors: Sequence[Vector]) -> list[float]:
    return [math.fsum(column) for column in zip(*vectors, strict=True)]


def of_sums(
    units: Sequence[int],
    vectors: Sequence[Vector],
    formula: Callable[[Sequence[float]], float | None],
) -> Reduce:
    """The formula of (number of queries, sums …); 0 where no query counts."""
    if not units:
        return lambda counts: 0.0
    totals = unit_sums(units, vectors)

    def reduce(counts: Counts) -> float | None:
        found = totals(counts)
        return formula(found) if found[0] else 0.0

    return reduce


def mean(units: Sequence[int], values: Sequence[float]) -> Reduce:
    """Sum of values / number of queries."""
    return of_sums(units, [(value,) for value in values], lambda sums: sums[1] / sums[0])


def grouped(
    units: Sequence[int], vectors: Sequence[Vector], keys: Sequence[Hashable]
) -> Callable[[Counts], list[list[float]]]:
    """The sums of each key under counts; keys of which no query counts are left out."""
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
