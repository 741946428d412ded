"""What a measure is: name, definition, formula, population, columns, reduce, and what must hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from assay.data.model import Bools, Cases, Floats
from assay.kernels.layout import Convention
from assay.metrics.properties import Kind, Property
from assay.metrics.reduce import Columns, Reduce
from assay.metrics.toy import Toy


class Population(StrEnum):
    """Which queries a measure is about."""

    EVIDENCE = "evidence"
    ALL = "all"
    PREDICTED = "predicted"
    RETURNED = "returned"

    def mask(self, cases: Cases) -> Bools:
        """Queries of the population."""
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
    """A case that breaks a property, alone or with more queries beside it, and why."""

    case: Toy
    why: str
    more: tuple[Toy, ...] = ()


LONGEST_CASE = 1000


def at_cut(k: int, case: Callable[[int], Toy], why: str) -> Witness:
    """Return a witness whose list is as long as the cut-off.

    A list of a billion places would break the property no better than one of a thousand, and
    nobody could read it: there the case is that of a smaller cut-off, and says so.
    """
    if k <= LONGEST_CASE:
        return Witness(case(k), why)
    return Witness(case(LONGEST_CASE), f"{why} (written for k = {LONGEST_CASE})")


Share = Callable[[Columns], tuple[Floats, Floats]]
"""Of each query whether it is a hit, and whether it is a trial: Σ hits / Σ trials · range[1]."""


@dataclass(frozen=True, slots=True)
class Metric:
    """One measure with every parameter bound."""

    name: str
    params: Mapping[str, str]
    title: str
    formula: str  # in plain characters
    latex: str
    meaning: str
    range: tuple[float, float]
    better: str  # higher, lower or neither
    population: Population
    columns: Callable[[Cases], Columns]
    reduce: Reduce
    kind: Kind
    holds: frozenset[Property]
    fails: Mapping[Property, Witness]
    edges: tuple[Edge, ...]
    needs: tuple[str, ...] = field(default=())  # columns of Cases beyond rankings and gold
    resamples: int = 10_000  # of a bootstrap at the most: fewer where one is dear
    notes: tuple[str, ...] = ()  # what the formula alone does not say, one sentence each
    share: Share | None = None  # where the measure is a number of queries per number of queries

    @property
    def id(self) -> str:
        """The definition id: the name and every parameter, spelled."""
        spelled = ",".join(f"{name}={value}" for name, value in self.params.items())
        return f"{self.name}:{spelled}"

    @property
    def arrow(self) -> str:
        """Which way is better."""
        return {"higher": "↑", "lower": "↓"}.get(self.better, "·")
