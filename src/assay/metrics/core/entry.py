"""The entry of a measure: definition, formula, population, columns, reduce and properties."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, StrEnum

import numpy as np

from assay.array_types import Bools, Floats
from assay.data.cases import Cases
from assay.errors import InternalError, MeasureError
from assay.metrics.core.rankings import Convention, Values
from assay.metrics.core.reduce import MEAN, Columns, Reduce, Reduced
from assay.metrics.core.toy_cases import Toy, ranking


class Property(StrEnum):
    """A change of the input and what must follow from it."""

    APPEND_UNJUDGED = "an unjudged candidate added at the end of the list changes nothing"
    SWAP_UP_NEVER_HURTS = "a relevant candidate that moves up past a non-relevant one never hurts"
    NEW_HIT_NEVER_HURTS = "missed gold that takes the place of an unjudged candidate never hurts"
    MISSED_GOLD_NEVER_HELPS = "one more gold item that was not retrieved never helps"
    UNJUDGED_IS_NONRELEVANT = "judging an unjudged candidate non-relevant changes nothing"
    IDEAL_IS_BEST = "the ideal ranking (all gold first, by grade) has the top value of the range"
    GROWS_WITH_K = "a larger k never lowers the value"
    DUPLICATION = "counting every query twice leaves the value unchanged"
    QUERY_ORDER = "the order of the queries changes nothing"
    COUNTS_ARE_ROWS = "counting a query c times is the same as c copies of it"
    MONOTONE_SCORES = "a strictly increasing change of the probabilities changes nothing"
    LABEL_FLIP = "flipped labels give one minus the value"


_RANKING = frozenset(
    {
        Property.APPEND_UNJUDGED,
        Property.SWAP_UP_NEVER_HURTS,
        Property.NEW_HIT_NEVER_HURTS,
        Property.MISSED_GOLD_NEVER_HELPS,
        Property.UNJUDGED_IS_NONRELEVANT,
        Property.IDEAL_IS_BEST,
    }
)
_AGGREGATE = frozenset({Property.DUPLICATION, Property.QUERY_ORDER, Property.COUNTS_ARE_ROWS})


class Kind(Enum):
    """Kinds of measures, each with its properties."""

    CUT_RANKING = "a ranking at a cut-off"
    RANKING = "a whole ranking"
    TOTAL = "a total over queries"
    GATE = "an order of the queries by probability"
    DECISION = "one decision per query"
    SELECTION = "a number of returned sentences per query"
    USER_DEFINED = "a user-defined measure, of which no property is known"

    @property
    def properties(self) -> frozenset[Property]:
        """Properties that either hold or fail for a measure of this kind."""
        return {
            Kind.CUT_RANKING: _RANKING | _AGGREGATE | {Property.GROWS_WITH_K},
            Kind.RANKING: _RANKING | _AGGREGATE,
            Kind.TOTAL: _AGGREGATE,
            Kind.GATE: _AGGREGATE | {Property.MONOTONE_SCORES, Property.LABEL_FLIP},
            Kind.DECISION: _AGGREGATE,
            Kind.SELECTION: _AGGREGATE,
            Kind.USER_DEFINED: frozenset(),
        }[self]


class Population(StrEnum):
    """Which queries a measure is about."""

    EVIDENCE = "evidence"
    NO_EVIDENCE = "no_evidence"
    ALL = "all"
    PREDICTED = "predicted"
    RETURNED = "returned"

    def mask(self, cases: Cases) -> Bools:
        """Return which queries are in the population."""
        if self is Population.EVIDENCE:
            return cases.has_evidence
        if self is Population.NO_EVIDENCE:
            return ~cases.has_evidence
        if self is Population.PREDICTED:
            return cases.answered
        if self is Population.RETURNED:
            selected = cases.selected_k
            return np.zeros(len(cases), dtype=bool) if selected is None else selected >= 1
        return np.ones(len(cases), dtype=bool)


POPULATION_TITLES = {
    Population.EVIDENCE: "queries with evidence",
    Population.NO_EVIDENCE: "queries without evidence",
    Population.ALL: "all queries",
    Population.PREDICTED: "queries that the system answered",
    Population.RETURNED: "queries on which the system returned something",
}

REPEATED = "a list has an item twice, and this measure counts each item once"
NO_EXPECTATION = "no formula is known for its mean over the orders of tied candidates, and some are tied"
REASONS = {
    Convention.NO_GOLD: "the query has no gold",
    Convention.NO_CANDIDATES: "nothing was ranked",
    Convention.NO_HITS: "no gold in the top k",
    Convention.NO_RETRIEVED_GOLD: "no gold among the candidates",
    Convention.ONE_CLASS: "only one class",
    Convention.ZERO_DENOMINATOR: "the denominator is zero",
    Convention.EMPTY_POPULATION: "the population has no query",
    Convention.NOTHING_RETURNED: "nothing was returned",
    Convention.NOT_IDENTIFIED: "no finite estimate exists",
}


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge case with the value that the formula or a convention gives, and why."""

    case: Toy
    value: float
    why: str
    convention: Convention = Convention.NONE


@dataclass(frozen=True, slots=True)
class Witness:
    """A case that breaks a property, alone or together with more queries, and why."""

    case: Toy
    why: str
    more: tuple[Toy, ...] = ()


LONGEST_CASE = 1000


def at_cut(k: int, case: Callable[[int], Toy], why: str) -> Witness:
    """Return a witness whose list is as long as the cut-off.

    Nobody could read a list of a billion ranks: beyond `LONGEST_CASE` the witness is the one for
    that smaller cut-off, and says so.
    """
    if k <= LONGEST_CASE:
        return Witness(case(k), why)
    return Witness(case(LONGEST_CASE), f"{why} (written for k = {LONGEST_CASE})")


Fails = dict[Property, Witness]
NO_GOLD = Edge(ranking("..", R=0), 0.0, "no gold to find", Convention.NO_GOLD)
EMPTY = Edge(ranking("", R=2), 0.0, "an empty list finds nothing", Convention.NO_CANDIDATES)
NOTHING = Edge(ranking("000", R=2), 0.0, "found nothing")
INFINITE = float("inf")

HitsAndTrials = Callable[[Columns], tuple[Floats, Floats]]
"""Whether each query is a hit and whether it is a trial: Σ hits / Σ trials · range[1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One measure with every parameter bound.

    The function that defines a measure gives everything but `name`, `params` and `population`,
    which its family fills in. Every property of its kind that is not in `fails` holds.
    """

    title: str
    formula: str  # in plain characters
    meaning: str
    columns: Callable[[Cases], Columns]
    kind: Kind
    reduce: Reduce = MEAN
    latex: str = ""
    range: tuple[float, float] = (0.0, 1.0)
    better: str = "higher"  # or lower, or neither
    edges: tuple[Edge, ...] = ()
    fails: Mapping[Property, Witness] = field(default_factory=dict)
    properties_known: bool = True  # whether those of its kind that do not fail are known to hold
    expected_ties: bool | None = None  # whether `columns` averages over the orders of ties when asked to
    extremes: bool = True  # whether gold first and last among ties give the highest and lowest value
    needs: tuple[str, ...] = ()  # columns of Cases beyond rankings and gold
    resamples: int = 10_000  # of a bootstrap at most: fewer where each is expensive
    abbreviation: str = ""  # what papers call it, if not by its title
    notes: tuple[str, ...] = ()  # what the formula alone does not say, one sentence each
    share: HitsAndTrials | None = None  # for measures that divide one number of queries by another
    name: str = ""
    params: Mapping[str, str] = field(default_factory=dict)
    population: Population = Population.ALL

    @property
    def id(self) -> str:
        """The definition id: the name with every parameter spelled out."""
        spelled = ",".join(f"{name}={value}" for name, value in self.params.items())
        return f"{self.name}:{spelled}"

    @property
    def holds(self) -> frozenset[Property]:
        """Properties of its kind that the measure has."""
        return self.kind.properties - self.fails.keys() if self.properties_known else frozenset()

    @property
    def averages_ties(self) -> bool:
        """Whether the expectation over the orders of tied candidates is known.

        Unless the entry says so, it is for measures of decisions, which no order of candidates changes.
        """
        if self.expected_ties is not None:
            return self.expected_ties
        return self.kind not in (Kind.RANKING, Kind.CUT_RANKING, Kind.USER_DEFINED)

    @property
    def arrow(self) -> str:
        """Which direction is better."""
        return {"higher": "↑", "lower": "↓"}.get(self.better, "·")


def per_query(values: Callable[[Cases], Values]) -> Callable[[Cases], Columns]:
    """Return the columns of a measure that is a mean of one value per query."""

    def columns(cases: Cases) -> Columns:
        value, codes = values(cases)
        return Columns({"value": value}, codes)

    return columns


def columns_of(metric: Metric, cases: Cases) -> Columns:
    """Return the columns of a measure, averaged over the orders of ties where the cases ask for it.

    Queries without ties have the bits that they have under any rule.
    """
    if not cases.expected_ties:
        return metric.columns(cases)
    if "tied" not in cases.derived:
        tied = cases.tied
        cases.derived["tied"] = (tied, cases.take(tied), replace(cases, expected_ties=False))
    tied, part, plain = cases.derived["tied"]
    columns = metric.columns(plain)
    if not len(tied):
        return columns
    if not metric.averages_ties:
        raise MeasureError(f"{metric.id}: {NO_EXPECTATION}")
    if metric.kind in (Kind.TOTAL, Kind.GATE, Kind.DECISION):
        return columns
    return columns.patched(tied, metric.columns(part))


@dataclass(frozen=True, slots=True)
class Scored:
    """A measure with its columns and population on some cases: ready to be reduced."""

    metric: Metric
    columns: Columns
    inside: Bools

    @classmethod
    def of(cls, metric: Metric, cases: Cases) -> Scored:
        """Compute the columns once."""
        return cls(metric, columns_of(metric, cases), metric.population.mask(cases))

    def reduce(self, counts: Floats) -> Reduced:
        """Return values of rows of counts over all queries; outside the population they count nothing."""
        counted = counts * self.inside
        empty: Bools = np.logical_not(counted.any(axis=1))
        return self.settled(self.metric.reduce(self.columns, counted), empty)

    def settled(self, reduced: Reduced, empty: Bools) -> Reduced:
        """Return values in the measure's range, 0 by convention where the population is empty."""
        if empty.any():
            values = np.where(empty, 0.0, reduced.values)
            codes = np.where(empty, np.uint8(Convention.EMPTY_POPULATION), reduced.codes)
            reduced = Reduced(values, codes)
        return _in_range(self.metric, reduced)

    @property
    def per_query(self) -> Floats | None:
        """The value of each query, where the measure is a mean of them."""
        return self.columns.arrays.get("value")

    @property
    def listed(self) -> Floats | None:
        """What the table of queries shows: the value of a mean, or what a total counts."""
        return self.columns.arrays.get("value", self.columns.arrays.get("count"))


def _in_range(metric: Metric, reduced: Reduced) -> Reduced:
    """Return the value after checking it against the range of its measure."""
    low, high = metric.range
    if not len(reduced.values) or (low <= reduced.values.min() and reduced.values.max() <= high):
        return reduced
    if not ((reduced.values >= low - 1e-12) & (reduced.values <= high + 1e-12)).all():
        worst = reduced.values[np.argmax(np.abs(reduced.values - np.clip(reduced.values, low, high)))]
        raise InternalError(f"{metric.id} came out as {worst}, outside [{low}, {high}]: a fault of assay")
    return Reduced(np.clip(reduced.values, low, high), reduced.codes)
