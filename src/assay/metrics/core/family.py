"""Families of measures: functions from a cut-off and parameters to a `Metric`, registered by name.

The cut-off, the parameters, their order and their permitted values are read from the function's
signature, so they are written once. `recall@5:gold=all,rel=1,on=evidence` is a definition id.
"""

from __future__ import annotations

import inspect
import re
import sys
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from itertools import product
from typing import Annotated, Any, Literal, get_args, get_origin

from assay.data.cases import LARGEST_GRADE
from assay.errors import MeasureError
from assay.metrics.core.entry import INFINITE, Metric, Population, Property
from assay.metrics.core.rankings import ALL
from assay.metrics.core.threshold_rules import ThresholdRule

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

CUTS = ("required", "optional", "point", "interior")
SAMPLE_CUT = {"required": "10", "optional": None, "point": "0.10", "interior": "0.10", "none": None}
LARGEST_CUT = 10**15
"""Larger than any list, and safe in 64-bit arithmetic."""
MOST_BINS = 100
"""Each query takes a row of this many numbers."""
DECISIONS = ("tune", "not_neg", "pos", "returned")
TUNED = "tune_"
"""Prefix of a rule: `tune_f1` is the threshold with the highest F1 on TUNE, deployed or not."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter: its default, and its permitted values or the kind of number it takes."""

    name: str
    default: str
    values: tuple[str, ...] | None
    number: str | None

    def expected(self) -> str:
        """Describe the permitted values, for a message."""
        if self.values is not None:
            return " | ".join(self.values)
        return {
            "level": "a whole number from 1",
            "scale": f"a whole number from 1 to {LARGEST_GRADE}",
            "share": "a number between 0 and 1",
            "weight": "a number above 0",
            "cost": "a number from 0",
            "clip": "a number between 0 and 0.5",
            "count": f"a whole number from 1 to {MOST_BINS}",
            "decision": f"a threshold in [0, 1], {', '.join(DECISIONS)}, or {TUNED} with a rule",
        }[str(self.number)]

    def convert(self, text: str) -> object:
        """Return the value that a text spells; raise `ValueError` where it is not permitted."""
        if self.values is not None:
            if text not in self.values:
                raise ValueError
            return text
        if self.number == "decision":
            if text.startswith(TUNED):
                ThresholdRule.of(text.removeprefix(TUNED))
            elif text not in DECISIONS and not 0.0 <= _decimal(text) <= 1.0:
                raise ValueError
            return text
        if self.number == "cost":
            if not 0.0 <= _decimal(text) < float("inf"):
                raise ValueError
            return _decimal(text)
        if self.number in ("level", "count", "scale"):
            limits = {"level": LARGEST_CUT, "count": MOST_BINS, "scale": LARGEST_GRADE}
            most = limits[self.number]
            level = whole_number(text)
            if not 1 <= level <= most:
                raise ValueError
            return level
        value = _decimal(text)
        if not 0.0 < value < {"share": 1.0, "clip": 0.5}.get(str(self.number), float("inf")):
            raise ValueError
        return value


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
            Parameter(name, _spelled(default), _literals(hint), _tag(hint))
            for name, hint, default in self._signature[0 if self.cut == "none" else 1 :]
        ]
        populations = tuple(
            str(each)
            for each in (Population.EVIDENCE, Population.ALL, Population.PREDICTED, Population.RETURNED)
        )
        return (*found, Parameter("on", self.on, populations, None))

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
            [(each.name, value) for value in each.values or (each.default,)] for each in self.parameters
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
            spelled[parameter.name] = text
        population = Population(str(bound.pop("on")))
        built = self.build(*self._first(cut), **bound)
        name = self.name if cut is None else f"{self.name}@{cut}"
        return replace(built, name=name, params=spelled, population=population)

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
        expected = {"point": "a number in [0, 1]", "interior": "a number between 0 and 1"}
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
        value = _decimal(cut)
        if not (0.0 < value < 1.0 if self.cut == "interior" else 0.0 <= value <= 1.0):
            raise ValueError
        return cut if self.cut == "interior" else value

    def _example(self) -> str:
        return "10" if self.cut == "required" else "0.1"


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
) -> Callable[[Build], Build]:
    """Register the decorated function as a family of measures.

    Parameters
    ----------
    name
        The name in definition ids.
    on
        The default population: evidence, all, predicted or returned.
    aliases
        Other names that assay accepts.
    printed_as
        Other names under which publications print it; `assay lint` reads them.
    spellings
        How other tools name it, with the parameters of their definitions.

    """

    def register(build: Build) -> Build:
        if name in REGISTERED:
            raise ValueError(f"two measures are called {name!r}")
        group = sys.modules[build.__module__.rpartition(".")[0]]
        REGISTERED[name] = Family(name, build, on, aliases, printed_as, group.SECTION, spellings)
        return build

    return register


def _tag(hint: Any) -> str | None:
    return str(hint.__metadata__[0]) if get_origin(hint) is Annotated else None


def _literals(hint: Any) -> tuple[str, ...] | None:
    return tuple(map(str, get_args(hint))) if get_origin(hint) is Literal else None


def is_whole(text: str) -> bool:
    """Return whether a text is a whole number in ASCII digits, of a length that fits 64 bits."""
    return re.fullmatch("[0-9]{1,18}", text) is not None


def whole_number(text: str) -> int:
    """Return the number that a text of ASCII digits spells; `ValueError` for anything else."""
    if not is_whole(text):
        raise ValueError
    return int(text)


def _decimal(text: str) -> float:
    """Return the number that a text spells; `float` alone would accept `1_0` and other scripts."""
    if "_" in text or not text.isascii():
        raise ValueError
    return float(text)


def _spelled(value: object) -> str:
    """Spell a default as ids do: plain decimals, no exponent."""
    return format(Decimal(str(value)), "f") if isinstance(value, float) else str(value)
