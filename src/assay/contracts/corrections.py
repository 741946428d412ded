"""Dated corrections of a contract: what changed, why, and which bundles were written before."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

EXPECTED = (
    "tables with date, title, what, why, measures (names) and before (the SHA-256 of the text "
    "before the correction)"
)
TEXTS = ("title", "what", "why")
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
            **{name: each[name] for name in TEXTS},
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
        and set(each) == {"date", "measures", "before", *TEXTS}
        and type(each["date"]) is date
        and all(isinstance(each[name], str) and each[name] for name in TEXTS)
        and isinstance(each["measures"], list)
        and all(isinstance(name, str) for name in each["measures"])
        and isinstance(each["before"], str)
        and re.fullmatch(SHA256, each["before"]) is not None
    )
