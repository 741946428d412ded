"""From log-odds to probabilities that TUNE agrees with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from assay.data.model import Bools, Floats
from assay.pipeline.boosting import SURE
from assay.pipeline.extras import sklearn
from assay.pipeline.settings import Settings, setting
from assay.pipeline.stage import Learns, Stage
from assay.pipeline.views import Columns, Labelled, Unlabelled

WEAK = 1e4  # inverse penalty of Platt's two parameters: next to none


@dataclass(frozen=True, slots=True)
class CalibrationSettings(Settings):
    """Platt keeps the order of all queries; isotonic takes any rising shape and makes ties."""

    method: str = setting("platt", choices=("platt", "isotonic"))


class Calibration(Stage):
    """A rising map from log-odds z to a probability, fitted on TUNE, for queries and for pairs.

    platt: p = 1 / (1 + e^−(az + b)) with a ≥ 0, by maximum likelihood. isotonic: the rising step
    function with the least squared error, straight between its corners. Both are kept inside
    [1e-6, 1 − 1e-6]. With one class only on TUNE, p is its share there, whatever z is.
    """

    name = "calibration"
    needs = ("gate", "node")
    gives = ("prob", "node_prob")
    learns = Learns.TUNE
    settings_type = CalibrationSettings
    settings: CalibrationSettings

    def fit(self, labelled: Labelled) -> None:
        """One map for queries, one for pairs."""
        known, pairs = labelled.known, labelled.known_pairs
        make = _platt if self.settings.method == "platt" else _isotonic
        view = labelled.view
        self._query = _map(make, view.column("gate")[known], labelled.evidence[known])
        self._pair = _map(make, view.column("node")[pairs], labelled.gold[pairs])

    def apply(self, view: Unlabelled) -> Columns:
        """Probabilities of evidence: of queries, and of pairs."""
        return {
            "prob": np.clip(self._query(view.column("gate")), SURE, 1 - SURE),
            "node_prob": np.clip(self._pair(view.column("node")), SURE, 1 - SURE),
        }


Map = Callable[[Floats], Floats]


def _map(make: Callable[[Floats, Bools], Map], scores: Floats, gold: Bools) -> Map:
    if len(gold) and gold.any() and not gold.all():
        return make(scores, gold)
    share = float(gold.mean()) if len(gold) else 0.0
    return lambda values: np.full(values.shape, share)


def _platt(scores: Floats, gold: Bools) -> Map:
    centre, width = float(scores.mean()), float(scores.std()) or 1.0
    model = sklearn("linear_model").LogisticRegression(C=WEAK)
    model.fit(((scores - centre) / width)[:, None], gold)
    slope, intercept = max(float(model.coef_[0, 0]), 0.0), float(model.intercept_[0])
    return lambda values: 1 / (1 + np.exp(-(slope * (values - centre) / width + intercept)))


def _isotonic(scores: Floats, gold: Bools) -> Map:
    model = sklearn("isotonic").IsotonicRegression(out_of_bounds="clip")
    model.fit(scores, gold.astype(np.float64))
    return lambda values: np.asarray(model.predict(values.reshape(-1))).reshape(values.shape)
