"""What an evaluation gives: every number with its definition, population, count and reasons."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, overload

import polars as pl

from assay.contracts.contract_parts import Target
from assay.data.cases import Counts
from assay.display.displayed import Displayed, MeasuredNumber, short
from assay.display.frames import FrameKind, as_frame, flat_numbers
from assay.errors import MissingMeasureError
from assay.evaluation.scoring.k_histogram import Histogram
from assay.evaluation.value_names import listed_name

if TYPE_CHECKING:
    from assay.contracts.contract import Contract
    from assay.display.summary import Summary
    from assay.evaluation.bundle.loaded_bundle import LoadedBundle
    from assay.evaluation.inputs.aligned_input import Sources
    from assay.evaluation.intervals.bootstrap_plan import Bootstrap
    from assay.evaluation.thresholds.tune_thresholds import Threshold


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

    A mean whose every query is at 0 or at 1 has them too: it is at least the share of ones. `low`
    and `high` take the queries for independent; `post_low` and `post_high` count those of a post as
    if they stood or fell together (`units` is Kish's effective number).
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
class TieRange:
    """The lowest and the highest value that an order of tied candidates gives."""

    low: float
    high: float


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Value(MeasuredNumber):
    """One measure of one system: a float that knows its definition, population and interval."""

    _number = "value"

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
    tie_range: TieRange | None = None  # of the headline, where ties are averaged

    def __repr__(self) -> str:
        ends = bounds(self)
        interval = "" if ends is None else f", {ends.level:.0%} CI [{short(ends.low)}, {short(ends.high)}]"
        return f"Value({self.name} = {short(self.value)}{interval}, n = {self.n:,})"


@dataclass(frozen=True, slots=True)
class TuneSplit:
    """How a plain table was split: the share of groups asked for, and what each part has."""

    share: float
    tune_rows: int
    tune_groups: int
    eval_rows: int
    eval_groups: int


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


@dataclass(frozen=True, slots=True)
class Baseline:
    """What a result is compared with: such as random order, with its values by name of the measure."""

    name: str
    title: str
    text: str  # how it was computed
    values: Mapping[str, float]


Groups = Mapping[str, Mapping[str, GroupValue]]  # label to measure name to value
Breakdown = dict[str, dict[str, dict[str, GroupValue]]]  # column, label, measure


def _no_queries() -> pl.DataFrame:
    return pl.DataFrame()


@dataclass(frozen=True, eq=False, repr=False)
class Result(Displayed, Mapping[str, Value]):
    """All measures of one system under one contract: a mapping from names to values.

    Examples
    --------
    >>> result = assay.evaluate(assay.example_path("predictions"), assay.example_path("corpus"))
    >>> f"{result['ndcg@10']:.3f}", result["auroc"] > 0.85
    ('0.749', True)

    """

    system: str
    contract: Contract
    counts: Counts
    measures: tuple[Value, ...]
    absent: Mapping[str, str]  # measures that these data cannot have, and why
    unexpected: Mapping[str, int]  # counts the contract declares and the data do not have
    groups: Mapping[str, Groups] = field(default_factory=dict)
    thresholds: tuple[Threshold, ...] = ()  # chosen on TUNE, one per rule and fold
    selected_k: Histogram = field(default_factory=dict)  # queries at each selected K, by group
    query_keys: tuple[str, ...] = ()  # columns that name a query
    tune_reused: bool = False  # TUNE was used for more than choosing thresholds
    tune_split: TuneSplit | None = None  # where TUNE is a share of the input's groups
    bootstrap: Bootstrap | None = None  # how the intervals were made
    predicted_lists: bool = False  # lists are what the system predicted, and may repeat an item
    baselines: tuple[Baseline, ...] = ()  # of a bundle
    sources: Sources | None = None  # tables that a bundle is made of
    bundle: LoadedBundle | None = None  # where it was loaded from, and the tables there
    queries: Callable[[], pl.DataFrame] = _no_queries

    __hash__ = None  # type: ignore[assignment] # mappings are not hashable

    def __getitem__(self, name: str) -> Value:
        """Return the value of a public name, of another spelling of it, or of a definition id."""
        found = self._find(name)
        if found is not None:
            return found
        if name in self.absent:
            raise MissingMeasureError(f"{name} is absent: {self.absent[name]}")
        near = get_close_matches(str(name).lower(), self._by_name, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise MissingMeasureError(f"{name} is not a measure of this result under {self.contract.id}{hint}")

    def __contains__(self, name: object) -> bool:
        return self._find(name) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self.measures)

    def __eq__(self, other: object) -> bool:
        """Whether every number is the same, under the same contract, whatever the system is called."""
        mine = {**self.to_dict(), "system": None}
        return mine == {**other.to_dict(), "system": None} if isinstance(other, Result) else NotImplemented

    @property
    def short_name(self) -> str:
        """Return the name of the system without the folders of a path."""
        return Path(self.system).name or self.system

    @cached_property
    def _by_name(self) -> dict[str, Value]:
        return {value.name: value for value in self.measures}

    def _find(self, name: object) -> Value | None:
        if not isinstance(name, str) or name in self._by_name:
            return self._by_name.get(str(name))
        definitions = {each.name: each.definition for each in self.measures}
        return self._by_name.get(listed_name(definitions, name, self.contract))

    @cached_property
    def query_table(self) -> pl.DataFrame:
        """The rows of `per_query`, for code of assay."""
        return self.queries()

    @overload
    def per_query(self, frame: Literal["polars"] = "polars") -> pl.DataFrame: ...

    @overload
    def per_query(self, frame: Literal["pandas"]) -> Any: ...

    def per_query(self, frame: FrameKind = "polars") -> Any:
        """Return one row per query: ids, counts, decisions, and its part of measures that are means."""
        return as_frame(self.query_table, frame)

    def _rows(self) -> pl.DataFrame:
        from assay.evaluation.display.summaries import result_rows

        return result_rows(self)

    def to_latex(self) -> str:
        """Return the main results as a booktabs table, as `assay report` writes it to `tables/main.tex`."""
        from assay.evaluation.display.summaries import result_latex

        return result_latex(self)

    def _summary(self) -> Summary:
        from assay.evaluation.display.summaries import result_summary

        return result_summary(self)

    def __copy__(self) -> Self:
        """Return a result with the same parts, which do not change; a copy can be saved, too."""
        return replace(self)

    def __deepcopy__(self, _: object) -> Self:
        return replace(self)

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields with the rows of the queries; the inputs of a bundle stay behind."""
        state = {each.name: getattr(self, each.name) for each in fields(self)}
        return {**state, "sources": None, "queries": partial(pl.DataFrame, self.query_table)}

    def save(self, folder: str | Path, *, overwrite: bool = False) -> Path:
        """Write the bundle: every number with the tables that it can be recomputed from."""
        from assay.evaluation.bundle.save import save

        return save(self, folder, overwrite=overwrite)

    def to_dict(self, *, flat: bool = False) -> dict[str, Any]:
        """Return plain numbers and texts, for JSON; the queries are not in it.

        With `flat`, return one number per measure, under keys that experiment trackers such as
        MLflow and Weights & Biases accept: `ndcg@10` becomes `ndcg_at_10`.
        """
        if flat:
            return flat_numbers((value.name, value.value) for value in self.measures)
        from assay.evaluation.display.result_document import result_document

        return result_document(self)
