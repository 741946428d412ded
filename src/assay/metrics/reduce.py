"""The four ways from one value a query to one value: mean, sums, ranked, groups.

`counts` is a (resamples × queries) matrix that says how often each query counts: a row of ones for
the estimate, zeros and ones for a fold or a group, a draw of posts for a bootstrap resample. It is
zero outside the measure's population already.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from assay.kernels.binary import Presorted, Steps, quantile
from assay.kernels.layout import Codes, Convention, Floats, Ints

MANY = 64


@dataclass(frozen=True, slots=True)
class Columns:
    """Arrays with one row a query, and why a value is a convention (0: it was computed).

    Where there is one row a candidate, the array `owner` holds its query, of `queries` in all.
    """

    arrays: Mapping[str, NDArray[Any]]
    codes: Codes | None = None
    queries: int = 0

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.arrays[name]

    @staticmethod
    def concatenate(parts: Sequence[Columns]) -> Columns:
        """Columns of parts of whole queries, one after the other."""
        first = parts[0]
        arrays = {name: np.concatenate([part[name] for part in parts]) for name in first.arrays}
        total = sum(part.queries for part in parts)
        if "owner" in arrays:
            shifts = np.cumsum([0, *(part.queries for part in parts)])
            owners = [part["owner"] + shift for part, shift in zip(parts, shifts, strict=False)]
            arrays["owner"] = np.concatenate(owners)
        if first.codes is None:
            return Columns(arrays, queries=total)
        codes = [part.codes for part in parts if part.codes is not None]
        return Columns(arrays, np.concatenate(codes), total)


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


def weighted(counts: Floats, column: NDArray[Any]) -> Floats:
    """Σ counts · column of each row: a matrix product for many rows, a plain loop for few.

    A product of a few rows costs less than waking the threads of the linear algebra library.
    """
    if len(counts) >= MANY:
        return np.asarray(counts @ column, dtype=np.float64)
    path = "ij,j->i" if column.ndim == 1 else "ij,jk->ik"
    return np.asarray(np.einsum(path, counts, column), dtype=np.float64)


def quotient(
    numerator: Floats,
    denominator: Floats,
    otherwise: float = 0.0,
    code: Convention = Convention.ZERO_DENOMINATOR,
) -> Reduced:
    """Elementwise quotient; `otherwise`, by convention, where the denominator is 0."""
    values = np.full(len(numerator), otherwise)
    defined = denominator != 0
    np.divide(numerator, denominator, out=values, where=defined)
    return Reduced(values, np.where(defined, 0, code).astype(np.uint8))


def computed(values: Floats) -> Reduced:
    """Values none of which is a convention."""
    return Reduced(values, np.zeros(len(values), dtype=np.uint8))


@dataclass(frozen=True, slots=True)
class Sums:
    """A function of sums. Its first argument is always n, the number of queries that count."""

    names: tuple[str, ...]
    function: Callable[..., Reduced]
    kind: str = "sums"

    def __call__(self, columns: Columns, counts: Floats) -> Reduced:
        """Sum every column under every row of counts, then apply the function."""
        sums = [weighted(counts, columns[name]) for name in self.names]
        return self.function(counts.sum(axis=1), *sums)


def _mean(n: Floats, total: Floats) -> Reduced:
    return quotient(total, n, 0.0, Convention.EMPTY_POPULATION)


MEAN = Sums(("value",), _mean, "mean")


@dataclass(frozen=True, slots=True)
class ByClass:
    """A ranked reduce that sees the steps at each distinct value of a marked row.

    Measures that look at the same values and marks share the steps: a bootstrap computes them once
    a resample.
    """

    of: Callable[[Steps], Reduced]
    by: str = "prob"
    mark: str = "label"
    kind = "ranked"

    def __call__(self, columns: Columns, counts: Floats) -> Reduced:
        """Sort, and count each row as often as its query."""
        order = Presorted.of(columns[self.by], columns[self.mark])
        if "owner" in columns.arrays:
            order = order.through(columns["owner"])
        return self.of(order.steps(counts.T.astype(np.int64)))


@dataclass(frozen=True, slots=True)
class Quantile:
    """A quantile of one column, by linear interpolation."""

    by: str
    q: float
    kind = "ranked"

    def __call__(self, columns: Columns, counts: Floats) -> Reduced:
        """How often each distinct value is there is all that matters."""
        values, code = distinct(columns[self.by])
        sizes = np.zeros((len(values), len(counts)))
        np.add.at(sizes, code, counts.T)
        return self.of(values, sizes)

    def of(self, values: Floats, sizes: Floats) -> Reduced:
        """From ascending values and how often each is there: (values × resamples)."""
        found, total = quantile(values, sizes, self.q)
        return quotient(found * total, total, 0.0, Convention.EMPTY_POPULATION)


@dataclass(frozen=True, slots=True)
class Rows:
    """A ranked reduce that sees every query of some resamples, (resamples × queries), at once."""

    of: Callable[[Columns, Floats], Reduced]
    kind = "ranked"

    def __call__(self, columns: Columns, counts: Floats) -> Reduced:
        """`of` gives the values of all rows of counts."""
        return self.of(columns, counts)


@dataclass(frozen=True, slots=True)
class Fitted:
    """A ranked reduce that sees every query of one resample at a time: dear."""

    of: Callable[[Columns, Floats], tuple[float, int]]
    kind = "ranked"

    def __call__(self, columns: Columns, counts: Floats) -> Reduced:
        """`of` gives the value of one row of counts, and why it is a convention."""
        found = [self.of(columns, row) for row in counts]
        values = np.array([value for value, _ in found], dtype=np.float64)
        return Reduced(values, np.array([code for _, code in found], dtype=np.uint8))


@dataclass(frozen=True, slots=True)
class Groups:
    """A mean over groups (posts or criteria) of a function of each group's sums.

    `function` gives the value of each group and its weight, from matrices (resamples × groups).
    Where `repeats` (posts), a group that is drawn c times counts c times, as c groups alike; where
    not (criteria), it counts once, with the sums of all that was drawn of it.
    """

    by: str
    names: tuple[str, ...]
    function: Callable[..., tuple[Floats, Floats]]
    repeats: bool
    kind = "groups"

    def __call__(self, columns: Columns, counts: Floats) -> Reduced:
        """Groups none of whose queries count are left out."""
        order, starts = runs(columns[self.by])
        ordered = counts[:, order]
        times = np.maximum.reduceat(ordered, starts, axis=1)
        size, *sums = (
            np.add.reduceat(ordered * column, starts, axis=1)
            for column in (np.ones(len(order)), *(columns[name][order] for name in self.names))
        )
        return self.mean(times, size, *sums)

    def mean(self, times: Floats, *sums: Floats) -> Reduced:
        """The weighted mean, from how often each group was drawn, its size and its sums."""
        if self.repeats:
            once = np.maximum(times, 1.0)
            sums = tuple(each / once for each in sums)
        values, weights = self.function(*sums)
        weights = weights * (times if self.repeats else times > 0)
        return quotient((values * weights).sum(axis=1), weights.sum(axis=1))


def runs(code: Ints) -> tuple[Ints, Ints]:
    """An order that puts equal codes side by side, and where each run of them starts."""
    order = np.argsort(code, kind="stable")
    fresh = np.ones(len(code), dtype=bool)
    fresh[1:] = code[order][1:] != code[order][:-1]
    return order, np.flatnonzero(fresh)


def distinct(column: NDArray[Any]) -> tuple[Floats, Ints]:
    """Distinct values, ascending, and which one each row has. (np.unique would load numpy.ma.)"""
    order, starts = runs(column)
    code = np.empty(len(column), dtype=np.int64)
    code[order] = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(column))))
    return column[order][starts].astype(np.float64), code
