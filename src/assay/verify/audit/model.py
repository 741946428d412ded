"""What an audit gives: a finding a check, and the contract's checklist filled in from them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.verify.audit.facts import Facts

SHOWN = 5
"""Examples of a finding, at the most."""
CHANCE = 0.001
"""What looks like a leak is one where chance would give it this rarely, or less."""
RARE = 1e-5
"""The same for tests that are made on every data set, many of them at once."""


class Verdict(StrEnum):
    """What a check came to: a leak, something that needs an explanation, or neither."""

    FOUND = "found"
    FLAGGED = "flagged"
    CLEAN = "clean"
    NOT_APPLICABLE = "not applicable"


@dataclass(frozen=True, slots=True)
class Seen:
    """What one check saw: its verdict, what it looked at, why, figures, and examples by id."""

    verdict: Verdict
    looked_at: str
    why: str = ""
    numbers: Mapping[str, float | int | str] = field(default_factory=dict)
    examples: tuple[str, ...] = ()


def many(number: int, word: str) -> str:
    """`1 post`, `2 posts`."""
    return f"{number} {word}{'s' * (number != 1)}"


def found(looked_at: str, why: str, examples: Iterable[str] = (), /, **numbers: Any) -> Seen:
    """A leak."""
    return Seen(Verdict.FOUND, looked_at, why, numbers, tuple(examples)[:SHOWN])


def flagged(looked_at: str, why: str, examples: Iterable[str] = (), /, **numbers: Any) -> Seen:
    """Implausible, or worth a look; an honest system may have another explanation."""
    return Seen(Verdict.FLAGGED, looked_at, why, numbers, tuple(examples)[:SHOWN])


def clean(looked_at: str, why: str = "", /, **numbers: Any) -> Seen:
    """No leak of this kind in what was looked at."""
    return Seen(Verdict.CLEAN, looked_at, why, numbers)


def not_applicable(why: str, looked_at: str = "", /, **numbers: Any) -> Seen:
    """The data cannot show such a leak, or cannot rule it out."""
    return Seen(Verdict.NOT_APPLICABLE, looked_at, why, numbers)


@dataclass(frozen=True, slots=True)
class Settings:
    """What a user may set."""

    threshold: float = 0.8  # Jaccard of word shingles from which two posts are near-duplicates
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Check:
    """One kind of leak: when it counts as found, what it needs, and the function that looks."""

    code: str
    title: str
    rule: str
    needs: tuple[str, ...] = ()
    look: Callable[[Facts, Settings], Seen] | None = None  # None: it needs a system that predicts


@dataclass(frozen=True, slots=True)
class Finding:
    """A check with what it saw."""

    code: str
    title: str
    seen: Seen

    @property
    def verdict(self) -> Verdict:
        """found, flagged, clean or not applicable."""
        return self.seen.verdict

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"code": self.code, "title": self.title, **asdict(self.seen)}


@dataclass(frozen=True, slots=True)
class Item:
    """One line of the contract's checklist: yes, no, or cannot be seen here; and from what."""

    number: int
    asks: str
    answer: str
    looked_at: str


@dataclass(frozen=True, slots=True)
class AuditReport:
    """All findings of an audit."""

    name: str
    kind: str  # corpus, bundle or system
    findings: tuple[Finding, ...]
    checklist: tuple[Item, ...]

    @property
    def leaks(self) -> tuple[Finding, ...]:
        """Leaks that were found."""
        return tuple(each for each in self.findings if each.verdict is Verdict.FOUND)

    @property
    def flags(self) -> tuple[Finding, ...]:
        """What is no proof of a leak, but needs an explanation."""
        return tuple(each for each in self.findings if each.verdict is Verdict.FLAGGED)

    def __getitem__(self, code: str) -> Finding:
        """The finding of a check, by its code."""
        return next(each for each in self.findings if each.code == code)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; ids and numbers, never a text."""
        return {
            "schema": "assay/audit/1",
            "name": self.name,
            "kind": self.kind,
            "leaks": [each.code for each in self.leaks],
            "flags": [each.code for each in self.flags],
            "findings": [each.to_dict() for each in self.findings],
            "checklist": [asdict(each) for each in self.checklist],
        }
