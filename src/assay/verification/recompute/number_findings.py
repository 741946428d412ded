"""Findings of `verify`: a reported number next to its recomputation, or a statement that holds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from assay.display.displayed import Checks
from assay.evaluation.bundle import every_eval
from assay.verification.contract_standing import Standing

if TYPE_CHECKING:
    import polars as pl

    from assay.display.summary import Summary

TOLERANCE = 1e-9
ONLY_INPUTS = "only the original files can tell"
USER_DEFINED = "user-defined: the second implementation cannot recompute it"
SET_ASIDE = (ONLY_INPUTS, USER_DEFINED)
"""Reasons why a number is neither confirmed nor wrong."""
INPUTS, BUNDLE = "inputs", "bundle"
"""What the numbers were recomputed from: the original inputs, or only the bundle's own tables."""
FROM = {INPUTS: "recomputed from the original inputs", BUNDLE: "recomputed from the bundle's own tables only"}


@dataclass(frozen=True, slots=True)
class NumberFinding:
    """A number of the bundle and its recomputed value, or a statement with neither."""

    what: str  # such as measures/ndcg@10/value
    value: float | None
    recomputed: float | None
    reason: str = ""  # why it could not be recomputed, or why the statement does not hold
    by: str = "oracle"

    @classmethod
    def statement(cls, what: str, holds: bool, reason: str, by: str = "assay") -> NumberFinding:
        """Return a finding that is true or false, such as 'this file came out the same'."""
        return cls(what, None, None, "" if holds else reason, by)

    @property
    def is_number(self) -> bool:
        """Whether a number was compared; a statement is not one."""
        return self.value is not None or self.recomputed is not None

    @property
    def difference(self) -> float | None:
        """The absolute difference; None if either value is missing."""
        if self.value is None or self.recomputed is None:
            return None
        return abs(self.value - self.recomputed)

    @property
    def agrees(self) -> bool:
        """Whether the values are within 1e-9, or the statement holds.

        Numbers that were set aside agree: nothing contradicts them.
        """
        if self.reason in SET_ASIDE:
            return True
        if self.value is None and self.recomputed is None:
            return not self.reason
        difference = self.difference
        return difference is not None and not math.isnan(difference) and difference <= TOLERANCE

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {**asdict(self), "difference": self.difference, "agrees": self.agrees}


@dataclass(frozen=True, slots=True, repr=False)
class Verification(Checks):
    """All findings on a bundle, the faults of its files, and the standing of its contract."""

    bundle: str
    files: tuple[str, ...]  # one sentence per file that does not match the manifest
    findings: tuple[NumberFinding, ...]
    standing: Standing
    unlisted: tuple[str, ...] = ()  # files that the manifest does not list, so unchecked
    user_defined: tuple[str, ...] = ()  # measures that the second implementation does not know

    def __iter__(self) -> Iterator[NumberFinding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def _summary(self) -> Summary:
        from assay.verification.display.check_summaries import verification_summary

        return verification_summary(self)

    def _rows(self) -> pl.DataFrame:
        from assay.verification.display.check_summaries import verification_rows

        return verification_rows(self)

    @property
    def failed(self) -> tuple[NumberFinding, ...]:
        """Findings that do not agree and that no correction of the contract explains."""
        return tuple(each for each in self.findings if not each.agrees and not self._explained(each))

    @property
    def outdated(self) -> tuple[NumberFinding, ...]:
        """Findings that do not agree because the contract was corrected later."""
        return tuple(each for each in self.findings if not each.agrees and self._explained(each))

    def _explained(self, finding: NumberFinding) -> bool:
        """Return whether a finding depends on a measure that a correction of the contract changed."""
        if finding.what == every_eval.NAME:
            return bool(self.standing.affected)
        return any(f"/{name}/" in f"/{finding.what}/" for name in self.standing.affected)

    @property
    def recomputed_from(self) -> str:
        """`inputs` if the original inputs were evaluated again, otherwise `bundle`."""
        return INPUTS if any(each.by == INPUTS for each in self.findings) else BUNDLE

    @property
    def ok(self) -> bool:
        """Whether every file, number and statement of the bundle was confirmed."""
        return not self.files and not self.failed and not self.standing.affected

    @property
    def compared(self) -> int:
        """How many numbers were recomputed."""
        return len(numbers(self.findings))

    @property
    def only_inputs(self) -> int:
        """How many numbers only the original inputs can confirm."""
        return sum(each.reason == ONLY_INPUTS for each in self.findings)

    @property
    def largest(self) -> float:
        """The largest difference among the numbers that agree."""
        return max((each.difference or 0.0 for each in self.findings if each.agrees), default=0.0)

    @property
    def summary(self) -> str:
        """How many numbers agree, as one sentence without its full stop."""
        where = FROM[self.recomputed_from]
        if self.failed:
            many, other = len(numbers(self.failed)), sum(not each.is_number for each in self.failed)
            text = f"{many:,} of {self.compared:,} numbers {where} do not agree"
            return f"{text}, {other:,} other checks failed" if other else text
        if self.outdated:
            many = len(numbers(self.outdated))
            text = f"{many:,} of {self.compared:,} numbers have values from before a correction"
            return f"{text}; the rest agree"
        largest = shown_difference(self.largest)
        return f"{self.compared:,} numbers {where}, largest difference {largest}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "schema": "assay/verification/1",
            "bundle": self.bundle,
            "ok": self.ok,
            "recomputed_from": self.recomputed_from,
            "contract": asdict(self.standing),
            "files": list(self.files),
            "unlisted": list(self.unlisted),
            "user_defined": list(self.user_defined),
            "compared": self.compared,
            "findings": [finding.to_dict() for finding in self.findings],
        }


def numbers(findings: Iterable[NumberFinding]) -> set[str]:
    """Return the numbers that were recomputed; one that both implementations gave counts once."""
    return {each.what for each in findings if each.is_number and each.reason not in SET_ASIDE}


def shown_difference(difference: float) -> str:
    """Return a difference with two digits; 0 only if the values are equal."""
    return f"{difference:.1e}" if difference else "0"
