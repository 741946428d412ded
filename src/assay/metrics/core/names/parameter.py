"""Parameters of measures: their types in signatures, defaults, and the values that they permit."""

from __future__ import annotations

import re
from dataclasses import dataclass

from assay.data.cases import LARGEST_GRADE
from assay.metrics.core.changed_rankings import gains_of
from assay.metrics.core.threshold_rules import check_rule
from assay.plain_number import spelled_number

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
