"""The three-state gate: NEG, UNCERTAIN or POS, by two thresholds that TUNE chooses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from assay.array_types import Bools, Floats
from assay.pipeline.settings import Settings, setting
from assay.pipeline.stage import Learns, Stage
from assay.pipeline.views import Columns, Labelled, Unlabelled

Chooser = Callable[[Floats, Bools, Sequence[str], str, float], float]
"""From probabilities, labels, posts, a rule (`sensitivity_0.995`) and a confidence: a threshold."""


@dataclass(frozen=True, slots=True)
class StatesSettings(Settings):
    """The targets, and the confidence with which TUNE must show them."""

    sensitivity: float = setting(0.995, low=0.01, high=0.9999)
    precision: float = setting(0.9, low=0.01, high=0.9999)
    confidence: float = setting(0.9, low=0.5, high=0.9999)


class ThreeStateGate(Stage):
    """NEG if p < τ_neg, POS if p ≥ τ_pos, otherwise UNCERTAIN; a NEG query returns nothing.

    τ_neg is the highest threshold that meets the sensitivity with the confidence, τ_pos the lowest
    whose lower confidence bound on precision meets the target; both by post, on TUNE. If
    τ_neg > τ_pos, it is lowered to τ_pos, which keeps both promises. If there is no τ_pos, it is 1,
    which no probability reaches.
    """

    name = "states"
    needs = ("prob", "k")
    gives = ("state", "tau_neg", "tau_pos", "selected_k")
    learns = Learns.TUNE
    settings_type = StatesSettings
    settings: StatesSettings

    def __init__(self, settings: StatesSettings | None = None, *, seed: int = 0, choose: Chooser) -> None:
        super().__init__(settings, seed=seed)
        self._choose = choose

    def fresh(self) -> ThreeStateGate:
        """Return the same stage, not fitted."""
        return ThreeStateGate(self.settings, seed=self.seed, choose=self._choose)

    def fit(self, labelled: Labelled) -> None:
        """Choose both thresholds."""
        known, view = labelled.known, labelled.view
        prob, label = view.column("prob")[known], labelled.evidence[known]
        posts = [view.posts[at] for at in view.layout.query_post[known]]
        sure = self.settings.confidence
        low = self._choose(prob, label, posts, f"sensitivity_{self.settings.sensitivity}", sure)
        high = self._choose(prob, label, posts, f"precision_{self.settings.precision}", sure)
        self._tau_pos = min(high, 1.0)
        self._tau_neg = min(low, self._tau_pos)

    def apply(self, view: Unlabelled) -> Columns:
        """Return states as −1, 0 and 1, the thresholds, and the resulting K."""
        prob = view.column("prob")
        state = np.where(prob < self._tau_neg, -1.0, np.where(prob < self._tau_pos, 0.0, 1.0))
        return {
            "state": state,
            "tau_neg": np.full(prob.shape, self._tau_neg),
            "tau_pos": np.full(prob.shape, self._tau_pos),
            "selected_k": np.where(state < 0, 0.0, view.column("k")),
        }
