"""A family: a function from a cut-off and parameters to a `Metric`, with a closed list of values.

The parameters, their order and their permitted values are read off the function's signature, so
they are written once. `recall@5:gold=all,rel=1,on=evidence` is a definition id.
"""

from __future__ import annotations

import inspect
import re
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Annotated, Literal, get_args, get_origin

from assay.data.model import LARGEST_GRADE
from assay.errors import MeasureError
from assay.kernels.layout import ALL
from assay.metrics.entry import Metric
from assay.metrics.rules import Rule

Cut = Annotated[int, "cut"]  # a positive integer, or `all`
Point = Annotated[float, "point"]  # a recall level in [0, 1]
Level = Annotated[int, "level"]  # a relevance level, 1 or more
Scale = Annotated[int, "scale"]  # the highest grade of a scale
Share = Annotated[float, "share"]  # strictly between 0 and 1
Weight = Annotated[float, "weight"]  # above 0
At = Annotated[str, "decision"]  # what counts as a positive decision
Costs = Annotated[float, "cost"]  # 0 or more
Clip = Annotated[float, "clip"]  # strictly between 0 and 0.5
Count = Annotated[int, "count"]  # 1 to MOST_BINS
On = Literal["evidence", "all", "predicted", "returned"]


LARGEST_CUT = 10**15
"""Larger than any list; beyond it 64-bit arithmetic would end."""
MOST_BINS = 100
"""Each query has a row of so many numbers."""
DECISIONS = ("tune", "not_neg", "pos", "returned")
TUNED = "tune_"
"""Before a rule: `tune_f1` is the threshold with the highest F1 on TUNE, whatever is deployed."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter: its default, and its values or the kind of number it is."""

    name: str
    default: str
    values: tuple[str, ...] | None
    number: str | None

    def expected(self) -> str:
        """What may stand there, for a message."""
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
        """The value behind its spelling; `ValueError` where there is none."""
        if self.values is not None:
            if text not in self.values:
                raise ValueError
            return text
        if self.number == "decision":
            if text.startswith(TUNED):
                Rule.of(text.removeprefix(TUNED))
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
    """Measures that differ in cut-off and parameters only."""

    name: str
    build: Callable[..., Metric]
    cut: str = "none"  # or required, optional, point
    section: str = "Ranking"  # under which it stands in tables

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """Read off the signature of `build`, after its name, spelled parameters and cut-off."""
        hints = typing.get_type_hints(self.build, include_extras=True)
        skipped = 2 if self.cut == "none" else 3
        parameters = []
        for parameter in list(inspect.signature(self.build).parameters.values())[skipped:]:
            hint = hints[parameter.name]
            literal = get_origin(hint) is Literal
            values = tuple(str(value) for value in get_args(hint)) if literal else None
            number = None if literal else str(hint.__metadata__[0])
            default = _spelled(parameter.default)
            parameters.append(Parameter(parameter.name, default, values, number))
        return tuple(parameters)

    def bind(self, cut: str | None, given: Mapping[str, str]) -> Metric:
        """The measure with this cut-off and these parameters; defaults fill what is not given."""
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
                    f"{self.name}: {parameter.name}={text[:40]} is not a value of it; "
                    f"expected {parameter.expected()}"
                ) from None
            spelled[parameter.name] = text
        first = self._first(cut)
        name = self.name if cut is None else f"{self.name}@{cut}"
        return self.build(name, spelled, *first, **bound)

    def _first(self, cut: str | None) -> tuple[object, ...]:
        if self.cut == "none":
            if cut is not None:
                raise MeasureError(f"{self.name} has no cut-off, but @{cut} was given")
            return ()
        if cut is None:
            if self.cut == "optional":
                return (ALL,)
            raise MeasureError(f"{self.name} needs a cut-off: {self.name}@{self._example()}")
        try:
            if self.cut == "point":
                value = _decimal(cut)
                if not 0.0 <= value <= 1.0:
                    raise ValueError
                return (value,)
            if cut == "all":
                return (ALL,)
            if not 1 <= whole_number(cut) <= LARGEST_CUT:
                raise ValueError
            return (int(cut),)
        except ValueError:
            expected = (
                "a number in [0, 1]"
                if self.cut == "point"
                else "a whole number from 1 to 10^15, or all"
            )
            raise MeasureError(f"{self.name}@{cut[:40]}: the cut-off must be {expected}") from None

    def _example(self) -> str:
        return "0.1" if self.cut == "point" else "10"


def is_whole(text: str) -> bool:
    """Return whether a text is a whole number in ASCII digits, of a length that fits 64 bits."""
    return re.fullmatch("[0-9]{1,18}", text) is not None


def whole_number(text: str) -> int:
    """Return the number that a text of ASCII digits spells; `ValueError` for anything else."""
    if not is_whole(text):
        raise ValueError
    return int(text)


def _decimal(text: str) -> float:
    """Return the number that a text spells; Python would take `1_0` and other scripts too."""
    if "_" in text or not text.isascii():
        raise ValueError
    return float(text)


def _spelled(value: object) -> str:
    """A default as it stands in an id: plain decimals, no exponent."""
    return format(Decimal(str(value)), "f") if isinstance(value, float) else str(value)
