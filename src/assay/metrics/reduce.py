"""The four ways from one value a query to one value: mean, sums, ranked, groups.

`counts` is a (resamples × queries) matrix that says how often each query counts: a row of ones for
the estimate, zeros and ones for a fold or a group, a draw of posts for a bootstrap resample. It is
zero outside the measure's population already.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from assay.kernels.binary import Presorted
from assay.kernels.layout import Codes, Convention, Floats

MANY = 64


@dataclass(frozen=True, slots=True)
class Columns:
    """Arrays with one value a query, and why a value is a convention (0: it was computed)."""

    arrays: Mapping[str, Floats]
    codes: Codes | None = None

    def __getitem__(self, name: str) -> Floats:
        return self.arrays[name]

    @staticmethod
    def concatenate(parts: Sequence[Columns]) -> Columns:
        """Columns of parts of whole queries, one after the other."""
        first = parts[0]
        arrays = {name: np.concatenate([part[name] for part in parts]) for name in first.arrays}
        if first.codes is None:
            return Columns(arrays)
        return Columns(
            arrays, np.concatenate([part.codes for part in parts if part.codes is not None])
        )


@dataclass(frozen=True, slots=True)
class Reduced:
    """One value a row of counts, and why it is a convention (0: it was computed)."""

    values: Floats
    codes: Codes


class Reduce(Protocol):
    """From columns and counts to values."""

    @property
    def kind(self) -> str:
        """Which of the four it is."""

    def __call__(self, columns: Columns, counts: Floats) -> Reduced:
        """One value a row of counts."""


def weighted(counts: Floats, column: Floats) -> Floats:
    """Σ counts · column of each row: a matrix product for many rows, a plain loop for few.

    A product of a few rows costs less than waking the threads of the linear algebra library.
    """
    if len(counts) < MANY:
        return np.asarray(np.einsum("ij,j->i", counts, column), dtype=np.float64)
    return counts @ column


def _quotient(
    numerator: Floats, denominator: Floats, otherwise: float, code: Convention
) -> Reduced:
    """Elementwise quotient; `otherwise`, by convention, where the denominator is 0."""
    values = np.full(len(numerator), otherwise)
    defined = denominator != 0
    np.divide(numerator, denominator, out=values, where=defined)
    return Reduced(values, np.where(defined, 0, code).astype(np.uint8))


@dataclass(frozen=True, slots=True)
class Mean:
    """Σ counts · value / Σ counts."""

    kind = "mean"

    def __call__(self, columns: Columns, counts: Floats) -> Reduced:
        """Undefined on an empty population: 0 by convention."""
        total = counts.sum(axis=1)
        return _quotient(
            weighted(counts, columns["value"]), total, 0.0, Convention.EMPTY_POPULATION
        )


@dataclass(frozen=True, slots=True)
class Sums:
    """A function of sums: `numerator(sums) / denominator(sums)`, or the numerator alone."""

    names: tuple[str, ...]
    numerator: Callable[..., Floats]
    denominator: Callable[..., Floats] | None = None
    code: Convention = Convention.ZERO_DENOMINATOR
    finish: Callable[[Floats], Floats] | None = None
    kind = "sums"

    def __call__(self, columns: Columns, counts: Floats) -> Reduced:
        """`n`, the number of queries that count, is always there as the first sum."""
        sums = [counts.sum(axis=1), *(weighted(counts, columns[name]) for name in self.names)]
        values = self.numerator(*sums)
        codes = np.zeros(len(counts), dtype=np.uint8)
        if self.denominator is not None:
            reduced = _quotient(values, self.denominator(*sums), 0.0, self.code)
            values, codes = reduced.values, reduced.codes
        if self.finish is not None:
            values = np.where(codes == 0, self.finish(values), values)
        return Reduced(values, codes)


@dataclass(frozen=True, slots=True)
class Ranked:
    """A function of the queries in the order of one column, sorted once for all resamples."""

    by: str
    function: Callable[[Presorted, Columns, Floats], tuple[Floats, Floats]]
    otherwise: float
    code: Convention
    kind = "ranked"

    def __call__(self, columns: Columns, counts: Floats) -> Reduced:
        """`function` gives numerators and denominators."""
        numerator, denominator = self.function(Presorted.of(columns[self.by]), columns, counts)
        return _quotient(numerator, denominator, self.otherwise, self.code)


MEAN = Mean()
