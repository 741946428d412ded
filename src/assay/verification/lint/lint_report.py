"""The report: what lint found, what it read and skipped, and what that proves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.display.displayed import Checks
from assay.verification.lint.rule import LintFinding

if TYPE_CHECKING:
    import polars as pl

    from assay.display.summary import Summary

PROVES = (
    "An impossible finding proves that these printed values cannot all be right under the "
    "assumptions of the rule. It does not show which value is wrong, or why. An unusual finding "
    "proves nothing, but ask about it. No finding does not prove that the values are right. "
    "Typing errors, other definitions and other sets of queries explain most findings; none is a "
    "verdict on the authors. Each printed number means any value within half a unit of its "
    "last digit, both ends included."
)


@dataclass(frozen=True, slots=True, repr=False)
class LintReport(Checks):
    """Findings, notes, and what was skipped."""

    source: str
    findings: tuple[LintFinding, ...]
    tables: tuple[str, ...]
    skipped: tuple[str, ...]  # tables without any known measure
    notes: tuple[str, ...]
    figures: int  # how many values were read
    not_read: tuple[str, ...] = ()  # rows, columns and cells that were skipped

    @property
    def impossible(self) -> tuple[LintFinding, ...]:
        """Return findings of printed values that cannot all be right."""
        return tuple(each for each in self.findings if each.kind == "impossible")

    @property
    def unusual(self) -> tuple[LintFinding, ...]:
        """Return findings that prove nothing but deserve a question."""
        return tuple(each for each in self.findings if each.kind == "unusual")

    @property
    def ok(self) -> bool:
        """Whether nothing impossible was found."""
        return not self.impossible

    @property
    def exit_code(self) -> int:
        """1 if something is impossible, else 0."""
        return 1 if self.impossible else 0

    @property
    def codes(self) -> tuple[str, ...]:
        """Return the codes of the findings, in order."""
        return tuple(each.code for each in self.findings)

    def __iter__(self) -> Iterator[LintFinding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def _summary(self) -> Summary:
        from assay.verification.display.check_summaries import lint_summary

        return lint_summary(self)

    def _rows(self) -> pl.DataFrame:
        from assay.verification.display.check_summaries import lint_rows

        return lint_rows(self)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
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
