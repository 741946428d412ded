"""Families of measures: functions from a cut-off and parameters to a `Metric`, registered by name.

The cut-off, the parameters, their order and their permitted values are read from the function's
signature, so they are written once. `recall@5:gold=all,rel=1,on=evidence` is a definition id.
"""

from __future__ import annotations

import inspect
import sys
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from itertools import product
from typing import Annotated, Any, Literal, get_args, get_origin

from assay.errors import MeasureError
from assay.metrics.core.changed_rankings import change
from assay.metrics.core.entry import INFINITE, Metric, Population, Property
from assay.metrics.core.names.parameter import CUTS, LARGEST_CUT, SAMPLE_CUT, Frozen, Parameter, whole_number
from assay.metrics.core.rankings import ALL
from assay.plain_number import spelled_number

# The first parameter of a measure with a cut-off has one of these types.
Cut = Annotated[int, "required"]  # a positive integer, or `all`
OptionalCut = Annotated[int | None, "optional"]  # the same, or none
Point = Annotated[float, "point"]  # in [0, 1]
Interior = Annotated[str, "interior"]  # strictly between 0 and 1, as it is spelled
# The others are a Literal or one of these.
Level = Annotated[int, "level"]  # a relevance level, 1 or more
Scale = Annotated[int, "scale"]  # the highest grade of a scale
Share = Annotated[float, "share"]  # strictly between 0 and 1
Weight = Annotated[float, "weight"]  # above 0
At = Annotated[str, "decision"]  # what counts as a positive decision
Costs = Annotated[float, "cost"]  # 0 or more
Clip = Annotated[float, "clip"]  # strictly between 0 and 0.5
Count = Annotated[int, "count"]  # 1 to MOST_BINS
Real = Annotated[float, "real"]  # any finite number
BETWEEN = "a number between 0 and 1"


@dataclass(frozen=True)
class Family:
    """Measures that differ only in cut-off, parameters and population."""

    name: str
    build: Callable[..., Metric]
    on: str  # the default population
    aliases: tuple[str, ...] = ()  # other names that assay accepts
    printed_as: tuple[str, ...] = ()  # other names that publications print, read by `assay lint`
    section: str = ""  # heading in tables
    spellings: tuple[tuple[str, ...], ...] = ()  # how other tools name it
    later: tuple[str, ...] = ()  # parameters that an id spells only where they are not the default
    changes: tuple[Parameter, ...] = ()  # of the rankings, before the measure sees them

    @cached_property
    def _signature(self) -> tuple[tuple[str, Any, object], ...]:
        """Name, type and default of each parameter of `build`."""
        hints = typing.get_type_hints(self.build, include_extras=True)
        signature = inspect.signature(self.build).parameters.values()
        return tuple((each.name, hints[each.name], each.default) for each in signature)

    @cached_property
    def cut(self) -> str:
        """Return required, optional, point, interior or none."""
        first = _tag(self._signature[0][1]) if self._signature else None
        return first if first in CUTS else "none"

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """Return the parameters after the cut-off; the population comes last."""
        found = [
            Parameter(name, _spelled(default), _literals(hint), _tag(hint), name in self.later)
            for name, hint, default in self._signature[0 if self.cut == "none" else 1 :]
        ]
        populations = tuple(str(each) for each in Population)
        return (*found, *self.changes, Parameter("on", self.on, populations, None))

    def sample(self) -> Metric:
        """Return the family at a usual cut-off with its default parameters."""
        return self.bind(SAMPLE_CUT[self.cut], {})

    @cached_property
    def range(self) -> tuple[float, float]:
        """Return the bounds of every measure of the family; costs may remove a bound."""
        costs = {each.name: "2.5" for each in self.parameters if each.number == "cost"}
        low, high = self.sample().range
        costly = self.bind(SAMPLE_CUT[self.cut], costs).range
        return low if low == costly[0] else -INFINITE, high if high == costly[1] else INFINITE

    @cached_property
    def grows_with_k(self) -> bool:
        """Return whether a larger cut-off never lowers the value, whatever the parameters."""
        if self.cut not in ("required", "optional"):
            return False
        choices = [
            [(each.name, value) for value in each.values or (each.default,)]
            for each in self.parameters
            if each not in self.changes
        ]
        return all(
            Property.GROWS_WITH_K in self.bind("3", dict(chosen)).holds for chosen in product(*choices)
        )

    def bind(self, cut: str | None, given: Mapping[str, str]) -> Metric:
        """Return the measure with this cut-off and these parameters; defaults fill the rest."""
        unknown = sorted(set(given) - {parameter.name for parameter in self.parameters})
        if unknown:
            known = ", ".join(parameter.name for parameter in self.parameters)
            raise MeasureError(f"{self.name} has no parameter {unknown[0]!r}; it has {known}")
        bound: dict[str, object] = {}
        spelled: dict[str, str] = {}
        for parameter in self.parameters:
            text = given.get(parameter.name, parameter.default)
            try:
                bound[parameter.name] = parameter.convert(text)
            except ValueError:
                raise MeasureError(
                    f"{self.name}: {parameter.name}={text[:40]} is not a permitted value; "
                    f"expected {parameter.expected()}"
                ) from None
            if not parameter.later or text != parameter.default:
                spelled[parameter.name] = text
        population = Population(str(bound.pop("on")))
        changes = {each.name: str(bound.pop(each.name)) for each in self.changes}
        built = self.build(*self._first(cut), **bound)
        name = self.name if cut is None else f"{self.name}@{cut}"
        made = _changed(built, **changes)
        fails, params = Frozen(made.fails), Frozen(spelled)
        return replace(made, name=name, population=population, params=params, fails=fails)

    def _first(self, cut: str | None) -> tuple[object, ...]:
        """Return the cut-off as the first argument of `build`, if it takes one."""
        if self.cut == "none":
            if cut is not None:
                raise MeasureError(f"{self.name} has no cut-off, but @{cut} was given")
            return ()
        if cut is None:
            if self.cut == "optional":
                return (None,)
            raise MeasureError(f"{self.name} needs a cut-off: {self.name}@{self._example()}")
        expected = {"point": "a number in [0, 1] of at most 15 digits", "interior": BETWEEN}
        try:
            if self.cut in expected:
                return (self._fraction(cut),)
            if cut == "all":
                return (ALL,)
            if not 1 <= whole_number(cut) <= LARGEST_CUT:
                raise ValueError
            return (int(cut),)
        except ValueError:
            permitted = expected.get(self.cut, "a whole number from 1 to 10^15, or all")
            raise MeasureError(f"{self.name}@{cut[:40]}: the cut-off must be {permitted}") from None

    def _fraction(self, cut: str) -> float | str:
        value = spelled_number(cut)
        if not (0.0 < value < 1.0 if self.cut == "interior" else 0.0 <= value <= 1.0):
            raise ValueError
        if self.cut == "interior":
            return cut
        if Decimal(cut) != Decimal(str(value)):  # the id would say another number than is used
            raise ValueError
        return value

    def _example(self) -> str:
        return "10" if self.cut == "required" else "0.1"


JUDGED_ONLY = Parameter("judged_only", "no", ("no", "yes"), None, later=True)
GAINS = Parameter("gains", "none", None, "gains", later=True)
CHANGES = {"ranking": (JUDGED_ONLY,), "graded": (JUDGED_ONLY, GAINS), "retrieved": (JUDGED_ONLY,)}
"""Changes of the rankings that the measures of a group offer."""

Build = typing.TypeVar("Build", bound=Callable[..., Metric])
REGISTERED: dict[str, Family] = {}
"""Measures in the order in which their files were imported; `registry.FAMILIES` is complete."""


def measure(
    name: str,
    on: str = "evidence",
    *,
    aliases: tuple[str, ...] = (),
    printed_as: tuple[str, ...] = (),
    spellings: tuple[tuple[str, ...], ...] = (),
    later: tuple[str, ...] = (),
) -> Callable[[Build], Build]:
    """Register the decorated function as a family of measures.

    Parameters
    ----------
    name
        The name in definition ids.
    on
        The default population: evidence, no_evidence, all, predicted or returned.
    aliases
        Other names that assay accepts.
    printed_as
        Other names under which publications print it; `assay lint` reads them.
    spellings
        How other tools name it, with the parameters of their definitions.
    later
        Parameters that were added after definition ids were in use: an id spells them only where
        they are not the default.

    """

    def register(build: Build) -> Build:
        if name in REGISTERED:
            raise ValueError(f"two measures are called {name!r}")
        group = sys.modules[build.__module__.rpartition(".")[0]]
        changes = CHANGES.get(group.__name__.rpartition(".")[2], ())
        REGISTERED[name] = Family(
            name, build, on, aliases, printed_as, group.SECTION, spellings, later, changes
        )
        return build

    return register


def _changed(built: Metric, judged_only: str = "no", gains: str = "none") -> Metric:
    """Return the measure of changed rankings; what is known of the measure need not hold for it."""
    if judged_only == "no" and gains == "none":
        return built
    made, columns = change(judged_only, gains), built.columns
    assert made is not None, "one of the two is not the default"
    said = ["unjudged candidates are left out"] if judged_only == "yes" else []
    said += [f"gains by grade are {gains.replace('/', ', ')}"] if gains != "none" else []
    return replace(
        built,
        formula=f"{built.formula}; {'; '.join(said)}",
        columns=lambda cases: columns(made(cases)),
        properties_known=False,
        fails={},
        edges=(),
    )


def _tag(hint: Any) -> str | None:
    return str(hint.__metadata__[0]) if get_origin(hint) is Annotated else None


def _literals(hint: Any) -> tuple[str, ...] | None:
    return tuple(map(str, get_args(hint))) if get_origin(hint) is Literal else None


def _spelled(value: object) -> str:
    """Spell a default as ids do: plain decimals, no exponent."""
    return format(Decimal(str(value)), "f") if isinstance(value, float) else str(value)
