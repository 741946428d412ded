"""Measures of many queries together: their exact value, and their values under resampling."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from assay_oracle.core.definition import Definition
from assay_oracle.core.outcome import Summary
from assay_oracle.core.resamples import Counts, Resamples
from assay_oracle.core.rows import Query, Row

Number = Fraction | float
Resampled = Callable[[Resamples], list[Summary]]
Reduce = Callable[[Sequence[Any], Definition], Summary]
Resample = Callable[[Sequence[Any], Sequence[int], Definition], Resampled]
Contribution = Callable[[Row, Definition], Any]

NOTHING_DRAWN = Summary(0.0, "empty_population")


@dataclass(frozen=True)
class Reduction:
    """`value`: the exact value of at least one contribution.

    `resample`: given the contributions, the index of each one's unit and the definition, do once
    what all resamples share, and return the function from them to the value of each.
    `contribution`: what a row contributes, which is computed once for all folds, groups and
    resamples; without it, the row itself.
    """

    value: Reduce
    resample: Resample
    contribution: Contribution | None = None

    def contributions(self, rows: Sequence[Row], definition: Definition) -> Sequence[Any]:
        """Return what each row contributes."""
        made = self.contribution
        return rows if made is None else [made(row, definition) for row in rows]

    def value_of(self, rows: Sequence[Row], definition: Definition) -> Summary:
        """Return the value of at least one row."""
        return self.value(self.contributions(rows, definition), definition)


def each(resampled: Callable[[Counts], Summary]) -> Resampled:
    """Apply a function of the counts of one resample to all of them."""
    return lambda resamples: [resampled(counts) for counts in resamples.counts]


def same_under_counts(resample: Resample, contribution: Contribution | None = None) -> Reduction:
    """Return the reduction for a resample in whole numbers: the value is that of each row once."""

    def value(found: Sequence[Any], definition: Definition) -> Summary:
        return resample(found, [0] * len(found), definition)(Resamples([[1]]))[0]

    return Reduction(value, resample, contribution)


def resampled_by(
    resample: Resample, contribution: Contribution | None = None
) -> Callable[[Reduce], Reduction]:
    """Return the maker of a reduction whose resamples have their own, faster formula."""
    return lambda value: Reduction(value, resample, contribution)


def by_copies(value: Callable[[Sequence[Row], Definition], Summary]) -> Reduction:
    """Resample by copying rows: slow, but nothing has to be written for it."""

    def resample(rows: Sequence[Row], units: Sequence[int], definition: Definition) -> Resampled:
        def resampled(counts: Counts) -> Summary:
            drawn = copies(rows, units, counts)
            return value(drawn, definition) if drawn else NOTHING_DRAWN

        return each(resampled)

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
        lambda found, definition: choose(definition).value(found, definition),
        lambda found, units, definition: choose(definition).resample(found, units, definition),
        lambda row, definition: choose(definition).contributions([row], definition)[0],
    )


def add(terms: Iterable[Number]) -> Number:
    """Add exactly; floats are added exactly too and rounded once."""
    found = list(terms)
    kinds = set(map(type, found))
    if float in kinds:
        return math.fsum(found)
    return _added(found) if Fraction in kinds else Fraction(sum(found))


def _added(terms: Sequence[Number]) -> Fraction:
    """Add over the common denominator, which needs no greatest common divisor per term.

    14,770 probabilities: 4 ms instead of 22 ms.
    """
    ratios = [term.as_integer_ratio() for term in terms]
    common = math.lcm(*{below for _, below in ratios})
    return Fraction(sum(above * (common // below) for above, below in ratios), common)
