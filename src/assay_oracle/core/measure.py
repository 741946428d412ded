"""The registry: a decorator declares each measure where it is defined; packages are searched."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, TypeVar

from assay_oracle.core.definition import Definition
from assay_oracle.core.parameters import CHANGES, ON, Value
from assay_oracle.core.query_score import Score, by_convention
from assay_oracle.core.reduction import Reduction
from assay_oracle.core.rows import Row

MACHINERY = ("bundle", "core", "draws", "statistics")  # the packages that define no measure
Formula = Callable[[Row, Definition], Score]
Trial = Callable[[Row, Definition], bool | None]  # whether it is a hit; None: not a trial
F = TypeVar("F")


def _nothing_needed(row: Row, definition: Definition) -> bool:
    return True


def _nothing_refused(row: Row, definition: Definition) -> None:
    return None


def has_relevant(row: Row, definition: Definition) -> bool:
    """Return whether any judgement has a grade of at least `rel`."""
    return row.gold_count(definition.rel) > 0


def has_positive_grade(row: Row, definition: Definition) -> bool:
    """Return whether any judgement has a grade above 0."""
    return any(grade > 0 for grade in row.judgements)


@dataclass(frozen=True)
class Measure:
    """A measure: the grammar of its definition ids and how its value is computed.

    It has a `formula` per query, whose mean is the value, or a `reduction` of all queries. One with
    both has a parameter `average`, and the formula applies to `average=macro`.

    `averaged`: the formula for rows whose equal scores are in every order, or True if `formula`
    serves them, or False if none is known. Without it, measures of the groups ranking, graded and
    retrieved have none, and `formula` serves those of all other groups.

    `has_gold`: whether a query has the gold the formula needs; without it the value is 0 by
    convention. `check` raises for input the measure refuses. `needs`: the field of Query that the
    formula reads. `ranks`: whether it needs a candidate. `trial`: for a rate of queries, what is a
    hit; `scale`: what the rate is multiplied by. `listed`: whether
    per_query.csv has a column of a measure that is not a mean.
    """

    name: str
    cut: Value | None
    parameters: Mapping[str, Value]
    cut_required: bool = True
    formula: Formula | None = None
    reduction: Reduction | None = None
    has_gold: Callable[[Row, Definition], bool] = _nothing_needed
    check: Callable[[Row, Definition], None] = _nothing_refused
    needs: str | None = None
    ranks: bool = True
    trial: Trial | None = None
    scale: int = 1
    listed: bool = False
    averaged: Formula | bool | None = None


_registered: dict[str, Measure] = {}


def register(measure: Measure) -> None:
    """Add a measure; its name must be new."""
    if measure.name in _registered:
        raise ValueError(f"two measures are named {measure.name!r}")
    _registered[measure.name] = measure


@cache
def measures() -> Mapping[str, Measure]:
    """Import every module of the packages of measures, and return all measures by name."""
    root = import_module("assay_oracle")
    for package in iter_modules(root.__path__, "assay_oracle."):
        if package.ispkg and package.name.rpartition(".")[2] not in MACHINERY:
            group = import_module(package.name)
            for module in iter_modules(group.__path__, f"{package.name}."):
                import_module(module.name)
    return dict(sorted(_registered.items()))


def _changes(function: object) -> Mapping[str, Value]:
    """Return the parameters that change the rankings of measures in the group of a function."""
    return CHANGES.get(str(function.__module__).split(".")[-2], {})


def _is_changed(definition: Definition) -> bool:
    given = definition.parameters
    return given.get("judged_only", "no") != "no" or given.get("gains", "none") != "none"


def changed(row: Row, definition: Definition) -> Row:
    """Return the row with the changes that the definition asks for."""
    if not _is_changed(definition):
        return row
    row = with_gains(row, definition)
    return row.condensed() if definition.parameters.get("judged_only") == "yes" else row


def with_gains(row: Row, definition: Definition) -> Row:
    """Return the row with the gains that the definition gives to grades, if it does."""
    gains = definition.parameters.get("gains", "none")
    if gains == "none":
        return row
    pairs = (each.split(":") for each in gains.split("/"))
    return row.with_gains({Fraction(grade): Fraction(gain) for grade, gain in pairs})


def per_query(
    name: str,
    parameters: Mapping[str, Value] = {},
    *,
    cut: Value | None = None,
    cut_required: bool = True,
    has_gold: Callable[[Row, Definition], bool] = _nothing_needed,
    check: Callable[[Row, Definition], None] = _nothing_refused,
    needs: str | None = None,
    ranks: bool = True,
    otherwise: Reduction | None = None,
    averaged: Formula | bool | None = None,
) -> Callable[[Formula], Formula]:
    """Register the mean of a formula over the queries; `on` is added to the parameters.

    `averaged` is as in Measure; `otherwise` is the reduction for a parameter `average` other than macro.
    """

    def decorate(formula: Formula) -> Formula:
        register(
            Measure(
                name=name,
                cut=cut,
                cut_required=cut_required,
                parameters={**parameters, **_changes(formula), **ON},
                formula=formula,
                reduction=otherwise,
                has_gold=has_gold,
                check=check,
                needs=needs,
                ranks=ranks,
                averaged=not _changes(formula) if averaged is None else averaged,
            )
        )
        return formula

    return decorate


def pooled(
    name: str,
    parameters: Mapping[str, Value] = {},
    *,
    via: Callable[[F], Reduction],
    cut: Value | None = None,
    trial: Trial | None = None,
    scale: int = 1,
    listed: bool = False,
    averaged: bool | None = None,
) -> Callable[[F], F]:
    """Register a function of all queries; `via` makes the reduction from the decorated function.

    `averaged` is as in Measure.
    """

    def decorate(function: F) -> F:
        register(
            Measure(
                name=name,
                cut=cut,
                parameters={**parameters, **_changes(function), **ON},
                reduction=via(function),
                trial=trial,
                scale=scale,
                listed=listed,
                averaged=not _changes(function) if averaged is None else averaged,
            )
        )
        return function

    return decorate


def measure_of(definition: Definition) -> Measure:
    """Return the measure that a definition id names."""
    return measures()[definition.name]


def is_mean(definition: Definition) -> bool:
    """Return whether the value is the mean of the values per query."""
    macro = definition.parameters.get("average", "macro") == "macro"
    return measure_of(definition).formula is not None and macro


def reduction(definition: Definition) -> Reduction:
    """Return the reduction of a measure that is not a mean."""
    measure = measure_of(definition)
    found = measure.reduction
    assert found is not None, f"{definition.name} is a mean"
    if measure.averaged and not _is_changed(definition):
        return found
    made = found.contribution or (lambda row, definition: row)

    def contribution(row: Row, definition: Definition) -> Any:
        row = changed(row, definition)
        if not measure.averaged:
            refuse_ties(row, definition)
        return made(row, definition)

    return replace(found, contribution=contribution)


def can_score(row: Row, definition: Definition) -> bool:
    """Return whether the query has the field that the formula reads."""
    needs = measure_of(definition).needs
    return needs is None or getattr(row.query, needs) is not None


def has_orders(row: Row) -> bool:
    """Return whether equal scores of the row are to be in every order."""
    return row.averaged and len(set(row.scores)) < row.n


def refuse_ties(row: Row, definition: Definition) -> None:
    """Raise a ValueError if equal scores are to be in every order."""
    if has_orders(row):
        raise ValueError(f"{definition.text}: it has no expectation over the orders of equal scores")


def score(row: Row, definition: Definition) -> Score:
    """Return the formula's value, or 0 by convention: `no_gold` first, then `no_candidates`."""
    measure = measure_of(definition)
    assert measure.formula is not None, f"{definition.name} has no value per query"
    row = changed(row, definition)
    if not measure.averaged:
        refuse_ties(row, definition)
    measure.check(row, definition)
    if not measure.has_gold(row, definition):
        return by_convention("no_gold")
    if measure.ranks and row.n == 0:
        return by_convention("no_candidates")
    if has_orders(row) and callable(measure.averaged):
        return measure.averaged(row, definition)
    return measure.formula(row, definition)
