"""Parts of a contract: targets, and dated corrections."""

from __future__ import annotations

import hashlib
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

PLACE = "{k}"
"""The place of the cut-off in the names and definitions of a contract."""


def is_definition(name: str) -> bool:
    """Return whether a name is a definition id; `nDCG(gains={1:3})@10` is a name with a colon."""
    return ":" in name and "(" not in name.partition(":")[0]


TARGET = r"(>=|<=|<|>) ([0-9]+(\.[0-9]+)?)"
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

    @property
    def limit(self) -> float:
        """Return the number that a value is compared with."""
        return float(self.text.split()[-1])


def check_target(text: str, value: float, convention: str | None) -> Target:
    """Return whether a value meets its target."""
    match = re.fullmatch(TARGET, text)
    assert match is not None, "contracts are checked when they are read"
    if convention is not None:
        return Target(text, None, f"the value is a convention: {convention}")
    return Target(text, COMPARE[match[1]](value, float(match[2])))


CORRECTIONS = (
    "tables with date, title, what, why, measures (names) and before (the SHA-256 of the text "
    "before the correction)"
)
_TEXTS = ("title", "what", "why")
SHA256 = r"[0-9a-f]{64}"


@dataclass(frozen=True, slots=True)
class Correction:
    """One entry of `[[corrections]]`."""

    date: str  # ISO 8601
    title: str
    what: str
    why: str
    measures: tuple[str, ...]  # public names whose values it changes or removes
    before: str  # SHA-256 of the contract's text before it


def is_corrections(value: Any) -> bool:
    """Return whether a TOML value is a list of complete entries."""
    return isinstance(value, list) and all(map(_complete, value))


def corrections_of(value: list[Mapping[str, Any]]) -> tuple[Correction, ...]:
    """Return the entries of a TOML value that `is_corrections` accepts."""
    return tuple(
        Correction(
            date=each["date"].isoformat(),
            measures=tuple(each["measures"]),
            before=each["before"],
            **{name: each[name] for name in _TEXTS},
        )
        for each in value
    )


def text_hash(text: str) -> str:
    """Return the SHA-256 of a contract's text, without the line that options add at its end."""
    own = text.partition("\n# changed: ")[0]
    return hashlib.sha256(own.encode("utf-8", "surrogatepass")).hexdigest()


def _complete(each: Any) -> bool:
    return (
        isinstance(each, dict)
        and set(each) == {"date", "measures", "before", *_TEXTS}
        and type(each["date"]) is date
        and all(isinstance(each[name], str) and each[name] for name in _TEXTS)
        and isinstance(each["measures"], list)
        and all(isinstance(name, str) for name in each["measures"])
        and isinstance(each["before"], str)
        and re.fullmatch(SHA256, each["before"]) is not None
    )
