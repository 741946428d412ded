"""Rules that choose a threshold on TUNE, as they are spelled in ids and contracts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from assay.errors import MeasureError

KINDS = {
    "fpr": "highest TPR with FPR at most the budget",
    "sensitivity": "sensitivity at least the target, with confidence (order statistic, by post)",
    "precision": "precision at least the target, with confidence (lower bound, by post)",
    "conformal": "share missed at most 1 − target in expectation (conformal risk control, by post)",
    "f1": "highest F1",
}
SPELLED = r"(fpr|sensitivity|precision|conformal)_0?\.[0-9]*[1-9][0-9]*|f1"
EXPECTED = "fpr_X, sensitivity_X, precision_X or conformal_X with X between 0 and 1, or f1"


@dataclass(frozen=True, slots=True)
class ThresholdRule:
    """A rule and its target, such as `fpr_0.05` or `sensitivity_0.995`."""

    text: str
    kind: str
    target: Fraction | None

    @classmethod
    def of(cls, text: str) -> ThresholdRule:
        """Return the rule that a text spells."""
        if re.fullmatch(SPELLED, text) is None:
            raise MeasureError(f"no threshold rule is called {text!r}; expected {EXPECTED}")
        kind, _, target = text.partition("_")
        return cls(text, kind, Fraction(target) if target else None)

    @property
    def meaning(self) -> str:
        """What it optimises, in words."""
        return KINDS[self.kind]

    @property
    def promises(self) -> bool:
        """Whether it states a confidence that the target holds on new posts."""
        return self.kind in ("sensitivity", "precision")
