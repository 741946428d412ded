"""Measures that are a function of sums over queries.

The value is computed from exact sums. For resamples the sums of each unit are computed once, and
each is multiplied by how often its unit was drawn.
"""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from operator import mul

from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import Trial, pooled
from assay_oracle.core.outcome import Summary
from assay_oracle.core.parameters import Value
from assay_oracle.core.reduction import NOTHING_DRAWN, Number, Reduction, Resampled, add
from assay_oracle.core.resamples import Resamples
from assay_oracle.core.rows import Row

Sums = Sequence[Number]  # the number of queries, then the sum of each part
Parts = Callable[[Row, Definition], Sequence[Number]]
Formula = Callable[[Sums, Definition], Summary]
HITS_AND_TRIALS = {True: (True, True), False: (False, True), None: (False, False)}


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
        def value(vectors: Sequence[Sequence[Number]], definition: Definition) -> Summary:
            return formula(exact_sums(vectors), definition)

        def resample(
            vectors: Sequence[Sequence[Number]], units: Sequence[int], definition: Definition
        ) -> Resampled:
            return resampled_sums(units, vectors, lambda sums: formula(sums, definition))

        return Reduction(value, resample, parts)

    return via


def total(
    name: str, parameters: Mapping[str, Value] = {}, *, listed: bool = False
) -> Callable[[Callable[[Row, Definition], int]], Callable[[Row, Definition], int]]:
    """Register the sum of a count per query."""

    def via(count: Callable[[Row, Definition], int]) -> Reduction:
        return sums_of(lambda row, definition: (count(row, definition),))(
            lambda sums, definition: Summary(float(sums[1]))
        )

    return pooled(name, parameters, via=via, listed=listed, averaged=True)


def share(name: str, parameters: Mapping[str, Value] = {}, *, scale: int = 1) -> Callable[[Trial], Trial]:
    """Register a rate: `scale` times the hits over the trials."""

    def decorate(trial: Trial) -> Trial:
        def parts(row: Row, definition: Definition) -> tuple[bool, bool]:
            return HITS_AND_TRIALS[trial(row, definition)]

        via = sums_of(parts)
        pooled(name, parameters, via=via, trial=trial, scale=scale)(
            lambda sums, definition: ratio(scale * sums[1], sums[2])
        )
        return trial

    return decorate


def exact_sums(vectors: Sequence[Sequence[Number]]) -> list[Number]:
    """Return the number of vectors and the exact sum of each column."""
    if are_whole(vectors[:1]):
        found = Counter(vectors)
        if are_whole(found):
            columns = zip(*found, strict=True)
            times = list(found.values())
            return [Fraction(len(vectors)), *(Fraction(sum(map(mul, column, times))) for column in columns)]
    return [add((len(vectors),)), *(add(column) for column in zip(*vectors, strict=True))]


def are_whole(vectors: Iterable[Sequence[Number]]) -> bool:
    """Return whether all vectors are tuples of whole numbers: those have few values, to be counted."""
    return all(isinstance(each, tuple) and all(isinstance(v, int) for v in each) for each in vectors)


def unit_sums(
    units: Sequence[int], vectors: Sequence[Sequence[Number]]
) -> Callable[[Resamples], list[tuple[float, ...]]]:
    """Return the function from resamples to the number of vectors and the sum of each column."""
    if are_whole(vectors[:1]) and are_whole(set(vectors)):
        return lambda resamples: _whole_sums(resamples, units, vectors)
    by_unit: dict[int, list[Sequence[Number]]] = {}
    for unit, vector in zip(units, vectors, strict=True):
        by_unit.setdefault(unit, []).append((1, *vector))
    drawn = tuple(by_unit)
    sums = ([math.fsum(column) for column in zip(*v, strict=True)] for v in by_unit.values())
    columns = list(zip(*sums, strict=True))

    def totals(resamples: Resamples) -> list[tuple[float, ...]]:
        return list(zip(*(resamples.totals(drawn, column) for column in columns), strict=True))

    return totals


def _whole_sums(
    resamples: Resamples, units: Sequence[int], vectors: Sequence[Sequence[Number]]
) -> list[tuple[float, ...]]:
    times = resamples.times(units, vectors)
    columns = list(zip(*((1, *vector) for vector in times), strict=True))
    drawn = zip(*times.values(), strict=True)
    return [tuple(float(sum(map(mul, column, many))) for column in columns) for many in drawn]


def resampled_sums(
    units: Sequence[int], vectors: Sequence[Sequence[Number]], formula: Callable[[Sequence[float]], Summary]
) -> Resampled:
    """Return the function from resamples to the formula's value of the sums."""
    if not units:
        return lambda resamples: [NOTHING_DRAWN] * len(resamples.counts)
    totals = unit_sums(units, vectors)

    def resampled(resamples: Resamples) -> list[Summary]:
        return [formula(found) if found[0] else NOTHING_DRAWN for found in totals(resamples)]

    return resampled


def resampled_mean(units: Sequence[int], values: Sequence[float]) -> Resampled:
    """Return the function from resamples to the mean of the drawn values."""
    vectors = [(value,) for value in values]
    return resampled_sums(units, vectors, lambda sums: Summary(sums[1] / sums[0]))


def sums_by_key(
    units: Sequence[int], vectors: Sequence[Sequence[Number]], keys: Sequence[Hashable]
) -> Callable[[Resamples], list[list[tuple[float, ...]]]]:
    """Return the function from resamples to the sums of each key that was drawn at all."""
    places: dict[Hashable, list[int]] = {}
    for place, key in enumerate(keys):
        places.setdefault(key, []).append(place)
    parts = [
        unit_sums([units[place] for place in found], [vectors[place] for place in found])
        for found in places.values()
    ]

    def totals(resamples: Resamples) -> list[list[tuple[float, ...]]]:
        by_key = [part(resamples) for part in parts]
        if not by_key:
            return [[] for _ in resamples.counts]
        return [[sums for sums in found if sums[0]] for found in zip(*by_key, strict=True)]

    return totals
