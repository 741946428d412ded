"""Parameters of measures: their types in signatures, defaults, permitted values, and bound ones."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NoReturn, TypeVar

from assay.data.cases import LARGEST_GRADE
from assay.metrics.core.changed_rankings import gains_of
from assay.metrics.core.threshold_rules import check_rule
from assay.plain_number import spelled_number

K = TypeVar("K")
V = TypeVar("V")
CUTS = ("required", "optional", "point", "interior")
SAMPLE_CUT = {"required": "10", "optional": None, "point": "0.10", "interior": "0.10", "none": None}
LARGEST_CUT = 10**15
"""Larger than any list, and safe in 64-bit arithmetic."""
MOST_BINS = 100
"""Each query takes a row of this many numbers."""
DECISIONS = ("tune", "not_neg", "pos", "returned")
TUNED = "tune_"
"""Prefix of a rule: `tune_f1` is the threshold with the highest F1 on TUNE, deployed or not."""


class Frozen(Mapping[K, V]):
    """A read-only, hashable mapping; unlike `MappingProxyType` it can be pickled and copied.

    Contracts and measures are cached: an edit of one would reach every later user.
    """

    __slots__ = ("_entries",)
    _entries: Mapping[K, V]

    def __init__(self, entries: Mapping[K, V]) -> None:
        object.__setattr__(self, "_entries", MappingProxyType(dict(entries)))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        """Refuse: the entries are set once."""
        raise AttributeError(f"{type(self).__name__} cannot be changed")

    def __getitem__(self, key: K) -> V:
        """Return the value of a key."""
        return self._entries[key]

    def __iter__(self) -> Iterator[K]:
        """Iterate over the keys in their order."""
        return iter(self._entries)

    def __len__(self) -> int:
        """Return the number of keys."""
        return len(self._entries)

    def __contains__(self, key: object) -> bool:
        """Return whether there is such a key."""
        return key in self._entries

    def __hash__(self) -> int:
        """Hash the entries regardless of their order, as equality compares them."""
        return hash(frozenset(self._entries.items()))

    def __repr__(self) -> str:
        """Return the text of the equal dict."""
        return repr(dict(self._entries))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as the equal dict."""
        return type(self), (dict(self._entries),)


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter: its default, and its permitted values or the kind of number it takes."""

    name: str
    default: str
    values: tuple[str, ...] | None
    number: str | None
    later: bool = False  # added after ids were in use: spelled only where it is not the default

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
            "gains": "none, or a gain for each grade such as 0:0/1:1/2:3, where 0 keeps 0",
            "real": "a number",
            "decision": f"a threshold in [0, 1], {', '.join(DECISIONS)}, or {TUNED} with a rule",
        }[str(self.number)]

    def convert(self, text: str) -> object:
        """Return the value that a text spells; raise `ValueError` where it is not permitted."""
        if self.values is not None:
            if text not in self.values:
                raise ValueError
            return text
        if self.number in ("gains", "decision"):
            self._check_text(text)
            return text
        return self._number(text)

    def _check_text(self, text: str) -> None:
        """Raise `ValueError` for a text that is not a mapping of gains, or not a decision."""
        if self.number == "gains":
            if text != "none":
                gains_of(text)
        elif text.startswith(TUNED):
            check_rule(text.removeprefix(TUNED))
        elif text not in DECISIONS and not 0.0 <= spelled_number(text) <= 1.0:
            raise ValueError

    def _number(self, text: str) -> float | int:
        """Return the number that a text spells; raise `ValueError` where it is out of range."""
        if self.number == "real":
            number = spelled_number(text.removeprefix("-"))
            if not number < float("inf"):
                raise ValueError
            return -number if text.startswith("-") else number
        if self.number == "cost":
            if not 0.0 <= spelled_number(text) < float("inf"):
                raise ValueError
            return spelled_number(text)
        if self.number in ("level", "count", "scale"):
            limits = {"level": LARGEST_CUT, "count": MOST_BINS, "scale": LARGEST_GRADE}
            most = limits[self.number]
            level = whole_number(text)
            if not 1 <= level <= most:
                raise ValueError
            return level
        value = spelled_number(text)
        if not 0.0 < value < {"share": 1.0, "clip": 0.5}.get(str(self.number), float("inf")):
            raise ValueError
        return value


def is_whole(text: str) -> bool:
    """Return whether a text is a whole number in ASCII digits, of a length that fits 64 bits."""
    return re.fullmatch("0|[1-9][0-9]{0,17}", text) is not None


def whole_number(text: str) -> int:
    """Return the number that a text of ASCII digits spells; `ValueError` for anything else."""
    if not is_whole(text):
        raise ValueError
    return int(text)
