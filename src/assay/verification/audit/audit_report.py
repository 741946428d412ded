"""The result of an audit: one finding per check, and the contract's checklist."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from assay.display.displayed import Checks

if TYPE_CHECKING:
    import polars as pl

    from assay.display.summary import Summary
    from assay.verification.audit.facts import Facts

SHOWN = 5
"""Maximum number of examples per finding."""
CHANCE = 0.001
"""A suspicious result is a leak if chance would produce it this rarely, or more rarely."""
RARE = 1e-5
"""The same for tests that run on every data set, many at once."""


class Verdict(StrEnum):
    """The outcome of a check: a leak, something that needs an explanation, or neither."""

    FOUND = "found"
    FLAGGED = "flagged"
    CLEAN = "clean"
    NOT_APPLICABLE = "not applicable"


@dataclass(frozen=True, slots=True)
class Seen:
    """What one check saw: its verdict, what it examined, why, values, and examples by id."""

    verdict: Verdict
    looked_at: str
    why: str = ""
    numbers: Mapping[str, float | int | str] = field(default_factory=dict)
    examples: tuple[str, ...] = ()


def found(looked_at: str, why: str, examples: Iterable[str] = (), /, **numbers: Any) -> Seen:
    """Return a leak."""
    return Seen(Verdict.FOUND, looked_at, why, numbers, tuple(examples)[:SHOWN])


def flagged(looked_at: str, why: str, examples: Iterable[str] = (), /, **numbers: Any) -> Seen:
    """Return a suspicious result; an honest system may have another explanation."""
    return Seen(Verdict.FLAGGED, looked_at, why, numbers, tuple(examples)[:SHOWN])


def clean(looked_at: str, why: str = "", /, **numbers: Any) -> Seen:
    """Return that there is no leak of this kind in what was examined."""
    return Seen(Verdict.CLEAN, looked_at, why, numbers)


def not_applicable(why: str, looked_at: str = "", /, **numbers: Any) -> Seen:
    """Return that the data cannot show such a leak, or cannot rule it out."""
    return Seen(Verdict.NOT_APPLICABLE, looked_at, why, numbers)


@dataclass(frozen=True, slots=True)
class AuditSettings:
    """AuditSettings of an audit."""

    threshold: float = 0.8  # Jaccard of word shingles from which two posts are near-duplicates
    seed: int = 0


@dataclass(frozen=True, slots=True)
class AuditCheck:
    """One kind of leak: when it counts as found, what it needs, and the function that checks it."""

    code: str
    title: str
    rule: str
    needs: tuple[str, ...] = ()
    look: Callable[[Facts, AuditSettings], Seen] | None = None  # None: it needs a system


@dataclass(frozen=True, slots=True)
class AuditFinding:
    """A check with its outcome."""

    code: str
    title: str
    seen: Seen

    @property
    def verdict(self) -> Verdict:
        """found, flagged, clean or not applicable."""
        return self.seen.verdict

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {"code": self.code, "title": self.title, **asdict(self.seen)}


@dataclass(frozen=True, slots=True)
class Item:
    """One line of the contract's checklist: yes, no or unknown, and the evidence for it."""

    number: int
    asks: str
    answer: str
    looked_at: str


@dataclass(frozen=True, slots=True, repr=False)
class AuditReport(Checks):
    """All findings of an audit."""

    name: str
    kind: str  # corpus, bundle or system
    findings: tuple[AuditFinding, ...]
    checklist: tuple[Item, ...]

    @property
    def leaks(self) -> tuple[AuditFinding, ...]:
        """Return the leaks that were found."""
        return tuple(each for each in self.findings if each.verdict is Verdict.FOUND)

    @property
    def flags(self) -> tuple[AuditFinding, ...]:
        """Return what does not prove a leak but needs an explanation."""
        return tuple(each for each in self.findings if each.verdict is Verdict.FLAGGED)

    @property
    def ok(self) -> bool:
        """Whether no leak was found."""
        return not self.leaks

    def __iter__(self) -> Iterator[AuditFinding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def _summary(self) -> Summary:
        from assay.verification.display.check_summaries import audit_summary

        return audit_summary(self)

    def _rows(self) -> pl.DataFrame:
        from assay.verification.display.check_summaries import audit_rows

        return audit_rows(self)

    def __getitem__(self, code: str) -> AuditFinding:
        """Return the finding of a check, by its code."""
        for each in self.findings:
            if each.code == code:
                return each
        raise KeyError(code)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; ids and numbers, never text."""
        return {
            "schema": "assay/audit/1",
            "name": self.name,
            "kind": self.kind,
            "leaks": [each.code for each in self.leaks],
            "flags": [each.code for each in self.flags],
            "findings": [each.to_dict() for each in self.findings],
            "checklist": [asdict(each) for each in self.checklist],
        }
