"""What lint found, what it read and left out, and what that proves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from assay.verify.lint.rule import Finding

PROVES = (
    "An impossible finding proves that these printed values cannot all be right under the "
    "assumptions of the rule. It does not say which value is wrong, or why. An unusual finding "
    "proves nothing and is worth a question. No finding does not prove that the values are right. "
    "Typing errors, other definitions and other sets of queries explain most findings; none is a "
    "verdict on the authors. Each printed number stands for every value within half a unit of its "
    "last digit, both ends included."
)


@dataclass(frozen=True, slots=True)
class LintReport:
    """Findings, notes, and what was skipped."""

    source: str
    findings: tuple[Finding, ...]
    tables: tuple[str, ...]
    skipped: tuple[str, ...]  # tables without any known measure
    notes: tuple[str, ...]
    figures: int  # how many values were read
    not_read: tuple[str, ...] = ()  # rows, columns and cells that were skipped

    @property
    def impossible(self) -> tuple[Finding, ...]:
        """Findings that cannot be."""
        return tuple(each for each in self.findings if each.kind == "impossible")

    @property
    def unusual(self) -> tuple[Finding, ...]:
        """Findings that are only worth a question."""
        return tuple(each for each in self.findings if each.kind == "unusual")

    @property
    def exit_code(self) -> int:
        """1 where something is impossible, else 0."""
        return 1 if self.impossible else 0

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of the findings, in order."""
        return tuple(each.code for each in self.findings)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "schema": "assay/lint/1",
            "source": self.source,
            "tables": list(self.tables),
            "figures": self.figures,
            "findings": [each.to_dict() for each in self.findings],
            "impossible": len(self.impossible),
            "unusual": len(self.unusual),
            "skipped": list(self.skipped),
            "not_read": list(self.not_read),
            "notes": list(self.notes),
            "proves": PROVES,
        }
