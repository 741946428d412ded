"""What an evaluation gives: every number with its definition, population, count and reasons."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from assay.contracts.targets import Target
from assay.data.model import Counts
from assay.errors import MeasureError
from assay.evaluation.histogram import Histogram
from assay.evaluation.thresholds import Threshold

if TYPE_CHECKING:
    from assay.contracts.model import Contract
    from assay.evaluation.intervals import Bootstrap
    from assay.evaluation.sources import Sources


@dataclass(frozen=True, slots=True)
class Spread:
    """How the values of the queries of a population lie; None where it is undefined."""

    std: float | None  # ddof 1
    median: float | None
    p25: float | None  # linear interpolation
    p75: float | None


@dataclass(frozen=True, slots=True)
class Folds:
    """A measure on each fold alone, their mean and their std (ddof 1)."""

    values: Mapping[str, float]
    mean: float
    std: float | None
    by_convention: int


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval of a headline value, and how it came about."""

    low: float
    high: float
    level: float
    method: str  # percentile or bca
    unit: str  # post or query
    resamples: int
    by_convention: int  # resamples whose value is a convention


@dataclass(frozen=True, slots=True)
class Exact:
    """Clopper–Pearson bounds of a share of queries, pooled over folds.

    A mean whose every query is at 0 or at 1 has them too: it is at least the share of ones.

    `low` and `high` take the queries for independent; `post_low` and `post_high` count those of a
    post as if they stood or fell together (`units` is Kish's effective number).
    """

    low: float
    high: float
    post_low: float
    post_high: float
    level: float
    hits: int
    trials: int
    units: float


@dataclass(frozen=True, slots=True)
class Value:
    """One measure of one system."""

    name: str
    definition: str
    title: str
    value: float
    aggregate: str  # pooled or fold_mean
    pooled: float
    population: str
    n: int
    better: str
    by_convention: Mapping[str, int]  # reason to number of queries
    convention: str | None  # why the value itself is a convention
    spread: Spread | None  # of means over queries
    folds: Folds | None
    tie_sensitive: int | None  # queries whose value another order of ties would change
    k_role: str | None  # primary, optional or ceiling in the contract's K policy
    interval: Interval | None = None  # of the headline
    exact: Exact | None = None  # of a share of queries, pooled
    target: Target | None = None  # of the contract


@dataclass(frozen=True, slots=True)
class GroupValue:
    """One measure on the queries of one group."""

    value: float
    n: int
    convention: str | None
    interval: Interval | None = None
    exact: Exact | None = None  # where no resample differs from the estimate


@dataclass(frozen=True, slots=True)
class Bounds:
    """What to print next to a value."""

    low: float
    high: float
    level: float
    exact: bool  # Clopper–Pearson by post, not the bootstrap


def unanswered(counts: Counts) -> str:
    """Say how queries without candidates count: only those with evidence are misses."""
    were = "query was" if counts.missing == 1 else "queries were"
    with_evidence, without = counts.missing_evidence, counts.missing - counts.missing_evidence
    if not without:
        return f"{counts.missing:,} {were} not answered: counted as missed."
    if not with_evidence:
        return f"{counts.missing:,} {were} not answered: no evidence there, so nothing was missed."
    return (
        f"{counts.missing:,} {were} not answered: {with_evidence:,} with evidence, counted as "
        f"missed; {without:,} without evidence."
    )


NO_SPREAD = "no spread"
"""What is printed for an interval that has collapsed where there are no exact bounds."""


def collapsed(interval: Interval) -> bool:
    """Return whether every resample gave the same value, which says nothing of uncertainty."""
    return interval.high - interval.low < 1e-12


def bounds(value: Value | GroupValue) -> Bounds | None:
    """Return the interval, or the exact bounds where it has collapsed; None where there is none."""
    interval, exact = value.interval, value.exact
    if interval is None:
        return None
    if not collapsed(interval):
        return Bounds(interval.low, interval.high, interval.level, exact=False)
    if exact is None:
        return None
    return Bounds(exact.post_low, exact.post_high, exact.level, exact=True)


Groups = Mapping[str, Mapping[str, GroupValue]]  # label to measure name to value


@dataclass(frozen=True)
class Result:
    """All measures of one system under one contract."""

    system: str
    contract: str
    contract_hash: str
    counts: Counts
    values: tuple[Value, ...]
    absent: Mapping[str, str]  # measures that these data cannot have, and why
    unexpected: Mapping[str, int]  # counts the contract declares and the data do not have
    groups: Mapping[str, Groups] = field(default_factory=dict)
    thresholds: tuple[Threshold, ...] = ()  # chosen on TUNE, one a rule and fold
    selected_k: Histogram = field(default_factory=dict)  # queries at each selected K, by group
    keys: tuple[str, ...] = ()  # columns that name a query
    rules: Contract | None = field(default=None, repr=False)  # the contract itself
    clean: bool = True  # TUNE was used for nothing but thresholds
    bootstrap: Bootstrap | None = None  # how the intervals were made
    sources: Sources | None = field(
        default=None, repr=False, compare=False
    )  # tables that a bundle is made of
    queries: Callable[[], pl.DataFrame] = field(default=pl.DataFrame, repr=False, compare=False)

    @cached_property
    def per_query(self) -> pl.DataFrame:
        """One row a query: ids, counts, decisions, and the values of measures that are means.

        A query outside the population of a measure has no value there.
        """
        return self.queries()

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields with the rows of the queries; the tables of a bundle stay behind."""
        state = {each.name: getattr(self, each.name) for each in fields(self)}
        return {**state, "sources": None, "queries": partial(_same, self.per_query)}

    def __getitem__(self, name: str) -> Value:
        """The value of a public name."""
        for value in self.values:
            if value.name == name:
                return value
        if name in self.absent:
            raise MeasureError(f"{name} is absent: {self.absent[name]}")
        raise MeasureError(f"{name} is not a measure of this result under {self.contract}")

    def __iter__(self) -> Iterator[Value]:
        return iter(self.values)

    def save(self, folder: str | Path, *, overwrite: bool = False) -> Path:
        """Write the bundle: every number with the tables that it can be recomputed from."""
        from assay.evaluation.bundle.write import save  # noqa: PLC0415 # it knows this class

        return save(self, folder, overwrite=overwrite)

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and texts, for JSON; the queries are not in it."""
        return {
            "schema": "assay/result/1",
            "system": self.system,
            "contract": self.contract,
            "contract_hash": self.contract_hash,
            "counts": asdict(self.counts),
            "measures": [asdict(value) for value in self.values],
            "absent": dict(self.absent),
            "unexpected": dict(self.unexpected),
            "selected_k": {
                group: {str(k): count for k, count in counts.items()}
                for group, counts in self.selected_k.items()
            },
            "thresholds": [each.to_dict() for each in self.thresholds],
            "groups": {
                column: {
                    label: {name: asdict(value) for name, value in row.items()}
                    for label, row in rows.items()
                }
                for column, rows in self.groups.items()
            },
        }


def _same(frame: pl.DataFrame) -> pl.DataFrame:
    return frame
