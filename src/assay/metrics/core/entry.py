"""The entry of a measure: definition, formula, population, columns, reduce and properties."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum

import numpy as np

from assay.array_types import Bools, Floats
from assay.data.cases import Cases
from assay.metrics.core.rankings import Convention, Values
from assay.metrics.core.reduce import MEAN, Columns, Reduce
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
    ALL = "all"
    PREDICTED = "predicted"
    RETURNED = "returned"

    def mask(self, cases: Cases) -> Bools:
        """Return which queries are in the population."""
        if self is Population.EVIDENCE:
            return cases.has_evidence
        if self is Population.PREDICTED:
            return cases.answered
        if self is Population.RETURNED:
            selected = cases.selected_k
            return np.zeros(len(cases), dtype=bool) if selected is None else selected >= 1
        return np.ones(len(cases), dtype=bool)


POPULATION_TITLES = {
    Population.EVIDENCE: "queries with evidence",
    Population.ALL: "all queries",
    Population.PREDICTED: "queries that the system answered",
    Population.RETURNED: "queries on which the system returned something",
}

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
    needs: tuple[str, ...] = ()  # columns of Cases beyond rankings and gold
    resamples: int = 10_000  # of a bootstrap at most: fewer where each is expensive
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
        return self.kind.properties - self.fails.keys()

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
