"""A number, the same number recomputed, and whether they agree."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from assay.evaluation.bundle import every_eval
from assay.verify.standing import Standing

TOLERANCE = 1e-9
ROUNDING = 1e-12
ONLY_INPUTS = "only the original files can tell"
INPUTS, BUNDLE = "inputs", "bundle"
"""What numbers were recomputed from: the original inputs, or the bundle's own tables alone."""
FROM = {
    INPUTS: "recomputed from the original inputs",
    BUNDLE: "recomputed from the bundle's own tables only",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """What a bundle says of one number, and what came out when it was computed again."""

    what: str  # such as measures/ndcg@10/value
    value: float | None
    recomputed: float | None
    reason: str = ""  # why it could not be recomputed
    by: str = "oracle"

    @property
    def difference(self) -> float | None:
        """How far apart they are; None where one of them is not there."""
        if self.value is None or self.recomputed is None:
            return None
        return abs(self.value - self.recomputed)

    @property
    def agrees(self) -> bool:
        """Within 1e-9, or both absent; a number of inputs that no table holds is not judged."""
        if self.reason == ONLY_INPUTS:
            return True
        if self.value is None and self.recomputed is None:
            return not self.reason
        difference = self.difference
        return difference is not None and not math.isnan(difference) and difference <= TOLERANCE

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {**asdict(self), "difference": self.difference, "agrees": self.agrees}


@dataclass(frozen=True, slots=True)
class Verification:
    """Everything that was compared, and what the files themselves say."""

    bundle: str
    files: tuple[str, ...]  # what is wrong with them, in sentences
    findings: tuple[Finding, ...]
    contract: Standing
    unlisted: tuple[str, ...] = ()  # files that no manifest lists: nobody vouches for them

    @property
    def failed(self) -> tuple[Finding, ...]:
        """Numbers that do not agree, and that no correction of the contract explains."""
        return tuple(
            each for each in self.findings if not each.agrees and not self._explained(each)
        )

    @property
    def outdated(self) -> tuple[Finding, ...]:
        """Numbers that do not agree because the contract was corrected after they were written."""
        return tuple(each for each in self.findings if not each.agrees and self._explained(each))

    def _explained(self, finding: Finding) -> bool:
        """Whether a finding is about a measure that a correction changes, or repeats its value."""
        if finding.what == every_eval.NAME:
            return bool(self.contract.affected)
        return any(f"/{name}/" in f"/{finding.what}/" for name in self.contract.affected)

    @property
    def recomputed_from(self) -> str:
        """`inputs` where the original inputs were evaluated again, `bundle` where they were not."""
        return INPUTS if any(each.by == INPUTS for each in self.findings) else BUNDLE

    @property
    def ok(self) -> bool:
        """Whether the bundle holds what it says."""
        return not self.files and not self.failed and not self.contract.affected

    @property
    def compared(self) -> int:
        """Numbers that could be compared."""
        return sum(finding.reason != ONLY_INPUTS for finding in self.findings)

    @property
    def largest(self) -> float:
        """The largest difference among those that agree."""
        return max((each.difference or 0.0 for each in self.findings if each.agrees), default=0.0)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "schema": "assay/verification/1",
            "bundle": self.bundle,
            "ok": self.ok,
            "recomputed_from": self.recomputed_from,
            "contract": asdict(self.contract),
            "files": list(self.files),
            "unlisted": list(self.unlisted),
            "compared": self.compared,
            "findings": [finding.to_dict() for finding in self.findings],
        }


def off_by(difference: float) -> str:
    """A difference for people: what rounding alone can make is not worth a figure."""
    return "1e-12" if difference <= ROUNDING else f"{difference:.1e}"
