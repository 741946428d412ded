"""Measures of many queries together: their exact value, and their values under resampling."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from assay_oracle.core.definition import Definition
from assay_oracle.core.outcome import Summary
from assay_oracle.core.rows import Query, Row

Number = Fraction | float
Counts = Sequence[int]  # how often each unit was drawn
Resampled = Callable[[Counts], Summary]
Reduce = Callable[[Sequence[Row], Definition], Summary]
Resample = Callable[[Sequence[Row], Sequence[int], Definition], Resampled]

NOTHING_DRAWN = Summary(0.0, "empty_population")


@dataclass(frozen=True)
class Reduction:
    """`value`: the exact value of at least one row.

    `resample`: given the rows, the index of each row's unit and the definition, do once what all
    resamples share, and return the function from counts to the value of that resample.
    """

    value: Reduce
    resample: Resample


def same_under_counts(resample: Resample) -> Reduction:
    """Return the reduction for a resample in whole numbers: the value is that of each row once."""

    def value(rows: Sequence[Row], definition: Definition) -> Summary:
        return resample(rows, [0] * len(rows), definition)([1])

    return Reduction(value, resample)


def resampled_by(resample: Resample) -> Callable[[Reduce], Reduction]:
    """Return the maker of a reduction whose resamples have their own, faster formula."""
    return lambda value: Reduction(value, resample)


def by_copies(value: Reduce) -> Reduction:
    """Resample by copying rows: slow, but nothing has to be written for it."""

    def resample(rows: Sequence[Row], units: Sequence[int], definition: Definition) -> Resampled:
        def resampled(counts: Counts) -> Summary:
            drawn = copies(rows, units, counts)
            return value(drawn, definition) if drawn else NOTHING_DRAWN

        return resampled

    return Reduction(value, resample)


def copies(rows: Sequence[Row], units: Sequence[int], counts: Counts) -> list[Row]:
    """Repeat each row as often as its unit was drawn; each copy of a post is a separate post."""
    return [
        replace(row, query=_copy(row.query, number))
        for row, unit in zip(rows, units, strict=True)
        for number in range(counts[unit])
    ]


def _copy(query: Query, number: int) -> Query:
    post = None if query.post is None else f"{query.post}\u001f{number}"
    return replace(query, id=f"{query.id}\u001f{number}", post=post)


def chosen(choose: Callable[[Definition], Reduction]) -> Reduction:
    """Let the parameters of the definition decide which reduction applies."""
    return Reduction(
        lambda rows, definition: choose(definition).value(rows, definition),
        lambda rows, units, definition: choose(definition).resample(rows, units, definition),
    )


def add(terms: Iterable[Number]) -> Number:
    """Add exactly; floats are added exactly too and rounded once."""
    found = list(terms)
    return math.fsum(found) if float in map(type, found) else Fraction(sum(found))
