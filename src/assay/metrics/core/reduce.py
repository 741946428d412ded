"""The four ways to reduce one value per query to one value: mean, sums, ranked, groups.

`counts` is a (resamples × queries) matrix of how often each query counts: a row of ones for the
estimate, zeros and ones for a fold or a group, a draw of posts for a bootstrap resample. Queries
outside the measure's population already count zero times.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from assay.array_types import Codes, Floats, Ints
from assay.metrics.core.ranked_steps import Presorted, Steps, quantile
from assay.metrics.core.rankings import Convention

MANY = 64


@dataclass(frozen=True, slots=True)
class Columns:
    """Arrays with one row per query, and convention codes (0: computed).

    With one row per candidate, the array `owner` holds the query of each, out of `queries`.
    """

    arrays: Mapping[str, NDArray[Any]]
    codes: Codes | None = None
    queries: int = 0
    orders: dict[tuple[str, str], Presorted] = field(default_factory=dict, repr=False, compare=False)

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.arrays[name]

    def patched(self, queries: Ints, part: Columns) -> Columns:
        """Return the columns with other rows for some queries."""
        arrays = {name: np.array(column, copy=True) for name, column in self.arrays.items()}
        for name, column in arrays.items():
            column[queries] = part[name]
        codes = None if self.codes is None else self.codes.copy()
        if codes is not None and part.codes is not None:
            codes[queries] = part.codes
        return Columns(arrays, codes, self.queries)

    @staticmethod
    def concatenate(parts: Sequence[Columns]) -> Columns:
        """Join the columns of parts; each part has whole queries."""
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
    """One value per row of counts, and convention codes (0: computed)."""

    values: Floats
    codes: Codes


class Reduce(Protocol):
    """A function from columns and counts to values."""

    @property
    def kind(self) -> str:
        """Which of the four ways it is."""

    def __call__(self, columns: Columns, counts: Floats) -> Reduced:
        """Return one value per row of counts."""


def weighted(counts: Floats, column: NDArray[Any]) -> Floats:
    """Return Σ counts · column for each row: a matrix product for many rows, a loop for few.

    For a few rows, starting the threads of the linear algebra library takes longer than the loop.
    """
    if len(counts) >= MANY:
        return np.asarray(counts @ column, dtype=np.float64)
    path = "ij,j->i" if column.ndim == 1 else "ij,jk->ik"
    return np.asarray(np.einsum(path, counts, column), dtype=np.float64)


def in_order(counts: Floats, column: NDArray[Any]) -> Floats:
    """Return Σ counts · column for each row, added one by one in the order of the queries.

    Scripts of shared tasks add in this order, so that the last printed digit is theirs.
    """
    if len(counts) >= MANY or not len(column):
        return weighted(counts, column)
    return np.asarray(np.add.accumulate(counts * column, axis=1)[:, -1], dtype=np.float64)


def quotient(
    numerator: Floats,
    denominator: Floats,
    otherwise: float = 0.0,
    code: Convention = Convention.ZERO_DENOMINATOR,
) -> Reduced:
    """Divide elementwise; `otherwise`, by convention, where the denominator is 0."""
    values, defined = np.full(len(numerator), otherwise), denominator != 0
    if defined.all():  # as nearly always, and faster
        return computed(np.divide(numerator, denominator, out=values))
    np.divide(numerator, denominator, out=values, where=defined)
    return Reduced(values, np.where(defined, 0, code).astype(np.uint8))


def geometric_mean(n: Floats, logs: Floats) -> Reduced:
    """Return exp(mean) from a sum of logarithms; 0 by convention without queries."""
    mean = quotient(logs, n, 0.0, Convention.EMPTY_POPULATION)
    return Reduced(np.where(mean.codes == 0, np.exp(mean.values), 0.0), mean.codes)


def computed(values: Floats) -> Reduced:
    """Return values that were all computed."""
    return Reduced(values, np.zeros(len(values), dtype=np.uint8))


@dataclass(frozen=True, slots=True)
class Sums:
    """A function of sums; its first argument is n, the number of queries that count."""

    names: tuple[str, ...]
    function: Callable[..., Reduced]
    kind: str = "sums"
    ordered: bool = False  # add the queries one by one: for values that must have the bits of a script

    def __call__(self, columns: Columns, counts: Floats) -> Reduced:
        """Sum every column under every row of counts, then apply the function."""
        add = in_order if self.ordered else weighted
        sums = [add(counts, columns[name]) for name in self.names]
        return self.function(counts.sum(axis=1), *sums)


def _mean(n: Floats, total: Floats) -> Reduced:
    return quotient(total, n, 0.0, Convention.EMPTY_POPULATION)


MEAN = Sums(("value",), _mean, "mean")


@dataclass(frozen=True, slots=True)
class Rate:
    """Some of the counts TP, FP, TN, FN as a share of others: `Rate("TP", "TP FN")`."""

    hits: str
    trials: str

    def __call__(self, tp: Floats, fp: Floats, tn: Floats, fn: Floats) -> Reduced:
        """Divide the sums."""
        four = {"TP": tp, "FP": fp, "TN": tn, "FN": fn}
        hits, trials = (_total(four, names) for names in (self.hits, self.trials))
        return quotient(hits, trials)

    def of_queries(self, columns: Columns) -> tuple[Floats, Floats]:
        """Return whether each query is a hit, and whether it is a trial."""
        tp, fp, y = columns["tp"], columns["fp"], columns["y"]
        four = {"TP": tp, "FP": fp, "TN": 1 - y - fp, "FN": y - tp}
        return _total(four, self.hits), _total(four, self.trials)


def _total(four: Mapping[str, Floats], names: str) -> Floats:
    return np.asarray(sum(four[name] for name in names.split()))


@dataclass(frozen=True, slots=True)
class ByClass:
    """A ranked reduce of the counts at each distinct value of a marked row.

    Measures of the same values and marks share those counts: a bootstrap computes them once per
    resample.
    """

    of: Callable[[Steps], Reduced]
    by: str = "prob"
    mark: str = "label"
    kind = "ranked"

    def __call__(self, columns: Columns, counts: Floats) -> Reduced:
        """Sort, and count each row as often as its query."""
        return self.of(self._order(columns).steps(counts.T.astype(np.int64)))

    def _order(self, columns: Columns) -> Presorted:
        """Sort once for all queries, folds and groups.

        `assay evaluate -o` on 100,000 queries of a corpus: 87 sorts instead of 161.
        """
        name = (self.by, self.mark)
        if name not in columns.orders:
            order = Presorted.of(columns[self.by], columns[self.mark])
            columns.orders[name] = order.through(columns["owner"]) if "owner" in columns.arrays else order
        return columns.orders[name]


@dataclass(frozen=True, slots=True)
class Quantile:
    """A quantile of one column, by linear interpolation."""

    by: str
    q: float
    kind = "ranked"

    def __call__(self, columns: Columns, counts: Floats) -> Reduced:
        """Count each distinct value, then interpolate."""
        values, code = distinct(columns[self.by])
        sizes = np.zeros((len(values), len(counts)))
        np.add.at(sizes, code, counts.T)
        return self.of(values, sizes)

    def of(self, values: Floats, sizes: Floats) -> Reduced:
        """Return the quantile of ascending values, given how often each occurs per resample."""
        found, total = quantile(values, sizes, self.q)
        return quotient(found * total, total, 0.0, Convention.EMPTY_POPULATION)


@dataclass(frozen=True, slots=True)
class Rows:
    """A ranked reduce of several resamples at once: it sees (resamples × queries) counts."""

    of: Callable[[Columns, Floats], Reduced]
    kind = "ranked"

    def __call__(self, columns: Columns, counts: Floats) -> Reduced:
        """Return what `of` gives for all rows of counts."""
        return self.of(columns, counts)


@dataclass(frozen=True, slots=True)
class Fitted:
    """A ranked reduce of one resample at a time, which is slow."""

    of: Callable[[Columns, Floats], tuple[float, int]]
    kind = "ranked"

    def __call__(self, columns: Columns, counts: Floats) -> Reduced:
        """Call `of` for each row of counts; it returns a value and a convention code."""
        found = [self.of(columns, row) for row in counts]
        values = np.array([value for value, _ in found], dtype=np.float64)
        return Reduced(values, np.array([code for _, code in found], dtype=np.uint8))


@dataclass(frozen=True, slots=True)
class Groups:
    """A mean over groups (posts or criteria) of a function of each group's sums.

    `function` returns the value and the weight of each group, from matrices (resamples × groups).
    If `repeats` (posts), a group drawn c times counts as c identical groups; if not (criteria), it
    counts once, with the sums over everything drawn from it.
    """

    by: str
    names: tuple[str, ...]
    function: Callable[..., tuple[Floats, Floats]]
    repeats: bool
    kind = "groups"

    def __call__(self, columns: Columns, counts: Floats) -> Reduced:
        """Leave out groups none of whose queries count."""
        order, starts = runs(columns[self.by])
        ordered = counts[:, order]
        times = np.maximum.reduceat(ordered, starts, axis=1)
        size, *sums = (
            np.add.reduceat(ordered * column, starts, axis=1)
            for column in (np.ones(len(order)), *(columns[name][order] for name in self.names))
        )
        return self.mean(times, size, *sums)

    def mean(self, times: Floats, *sums: Floats) -> Reduced:
        """Return the weighted mean, given how often each group was drawn, its size and its sums."""
        if self.repeats:
            once = np.maximum(times, 1.0)
            sums = tuple(each / once for each in sums)
        values, weights = self.function(*sums)
        weights = weights * (times if self.repeats else times > 0)
        return quotient((values * weights).sum(axis=1), weights.sum(axis=1))


def runs(code: Ints) -> tuple[Ints, Ints]:
    """Return an order that sorts equal codes together, and where each run of them starts."""
    order = np.argsort(code, kind="stable")
    fresh = np.ones(len(code), dtype=bool)
    fresh[1:] = code[order][1:] != code[order][:-1]
    return order, np.flatnonzero(fresh)


def distinct(column: NDArray[Any]) -> tuple[Floats, Ints]:
    """Return the distinct values, ascending, and which one each row has."""
    values, code = np.unique(column, return_inverse=True)
    return values.astype(np.float64), code.astype(np.int64)
