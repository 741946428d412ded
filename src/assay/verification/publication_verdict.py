"""The publication gate's verdict: every check with its outcome and reason."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from assay.display.displayed import Checks
from assay.verification.recompute.number_findings import BUNDLE

if TYPE_CHECKING:
    import polars as pl

    from assay.display.summary import Summary

PASS, FAIL, NOT_APPLICABLE = "pass", "fail", "not applicable"


@dataclass(frozen=True, slots=True)
class PublicationCheck:
    """One check of the publication gate: its verdict and the reason."""

    name: str
    verdict: str  # pass, fail, not applicable
    reason: str


@dataclass(frozen=True, slots=True, repr=False)
class PublicationVerdict(Checks):
    """All checks of one bundle."""

    bundle: str
    system: str
    contract: str
    checks: tuple[PublicationCheck, ...]
    recomputed_from: str = BUNDLE  # inputs or bundle
    users: bool = False  # whether the contract is a user-defined one

    def __iter__(self) -> Iterator[PublicationCheck]:
        return iter(self.checks)

    def __len__(self) -> int:
        return len(self.checks)

    def _summary(self) -> Summary:
        from assay.verification.display.check_summaries import verdict_summary

        return verdict_summary(self)

    def _rows(self) -> pl.DataFrame:
        from assay.verification.display.check_summaries import verdict_rows

        return verdict_rows(self)

    @property
    def ok(self) -> bool:
        """Whether nothing failed."""
        return all(check.verdict != FAIL for check in self.checks)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON: the content of `gate.json`."""
        return {
            "schema": "assay/gate/1",
            "bundle": self.bundle,
            "system": self.system,
            "contract": self.contract,
            "users_contract": self.users,
            "recomputed_from": self.recomputed_from,
            "passed": self.ok,
            "checks": [asdict(check) for check in self.checks],
        }
