"""Exact chances under `ties = expected`: every order of the candidates of one score is as likely."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from math import comb

from assay_oracle.core.rows import Grade, Row


@dataclass(frozen=True)
class Group:
    """Candidates with one score: how many are above them, and their grades in any order."""

    above: int
    grades: tuple[Grade, ...]

    @property
    def size(self) -> int:
        """The number of candidates."""
        return len(self.grades)

    def relevant(self, rel: int) -> int:
        """Count the relevant ones."""
        return sum(grade is not None and grade >= rel for grade in self.grades)

    def ranks_within(self, k: int | None) -> int:
        """Count the ranks of the group up to k."""
        return self.size if k is None else min(max(k - self.above, 0), self.size)


def groups(row: Row) -> Iterator[Group]:
    """Yield the groups of equal scores, highest first."""
    above = 0
    for _, pairs in groupby(zip(row.scores, row.ranked, strict=True), key=lambda pair: pair[0]):
        found = Group(above, tuple(grade for _, grade in pairs))
        yield found
        above += found.size


def chance_of_none(size: int, relevant: int, drawn: int) -> Fraction:
    """Return the chance that none of the relevant ones is among so many drawn."""
    return Fraction(comb(size - relevant, drawn), comb(size, drawn))


def chance_of_hits(size: int, relevant: int, drawn: int, hits: int) -> Fraction:
    """Return the chance that exactly so many relevant ones are among those drawn."""
    ways = comb(relevant, hits) * comb(size - relevant, drawn - hits)
    return Fraction(ways, comb(size, drawn))


def mean_products(factors: list[Fraction], size: int) -> list[Fraction]:
    """Return for each j <= size the mean product of j of the factors and ones, `size` altogether.

    The sum of the products of j of them is the coefficient of x^j in the product of all (1 + f·x).
    """
    polynomial = [Fraction(1)]
    for factor in factors:
        longer = [*polynomial, Fraction(0)]
        polynomial = [
            value + factor * (longer[power - 1] if power else 0) for power, value in enumerate(longer)
        ]
    ones = size - len(factors)
    sums = (
        sum((each * comb(ones, j - power) for power, each in enumerate(polynomial[: j + 1])), Fraction(0))
        for j in range(size + 1)
    )
    return [total / comb(size, j) for j, total in enumerate(sums)]
