"""Targets of a contract: what a value is held against, and whether it is met."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass

SPELLED = r"(>=|<=|<|>) ([0-9]+(\.[0-9]+)?)"
COMPARE: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "<": operator.lt,
    ">": operator.gt,
}


@dataclass(frozen=True, slots=True)
class Target:
    """A target as a contract spells it, such as `>= 0.85`.

    `met` is None where it is not applicable: a value that is a convention meets nothing.
    """

    text: str
    met: bool | None
    reason: str = ""


def held_against(text: str, value: float, convention: str | None) -> Target:
    """A value against its target."""
    match = re.fullmatch(SPELLED, text)
    assert match is not None, "contracts are checked when they are read"
    if convention is not None:
        return Target(text, None, f"the value is a convention: {convention}")
    return Target(text, COMPARE[match[1]](value, float(match[2])))
