"""A rule that chooses a threshold on TUNE, and what it promises."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from assay.metrics.core.threshold_rules import KINDS, check_rule


@dataclass(frozen=True, slots=True)
class ThresholdRule:
    """A rule and its target, such as `fpr_0.05` or `sensitivity_0.995`."""

    text: str
    kind: str
    target: Fraction | None

    @classmethod
    def of(cls, text: str) -> ThresholdRule:
        """Return the rule that a text spells."""
        check_rule(text)
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
