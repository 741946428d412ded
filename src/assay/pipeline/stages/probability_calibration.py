"""Calibrate log-odds to probabilities on TUNE."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from assay.array_types import Bools, Floats
from assay.pipeline.models.boosting import SURE
from assay.pipeline.models.extras import sklearn
from assay.pipeline.settings import Settings, setting
from assay.pipeline.stage import Learns, Stage
from assay.pipeline.views import Columns, Labelled, Unlabelled

TILT = 1e-3  # weight of platt in isotonic, so that different raw scores get different probabilities
WEAK = 1e4  # inverse penalty of Platt's two parameters: almost none


@dataclass(frozen=True, slots=True)
class CalibrationSettings(Settings):
    """Platt has two parameters, isotonic fits any increasing shape; both keep the order."""

    method: str = setting("platt", choices=("platt", "isotonic"))


class Calibration(Stage):
    """A strictly increasing map from a query's log-odds z to a probability, fitted on TUNE.

    platt: p = 1 / (1 + e^−(az + b)) with a ≥ 0, by maximum likelihood. isotonic: the increasing
    step function with the least squared error, linear between its corners; it has plateaus, on
    which a threshold could not separate raw scores, so it is mixed with 0.1% of platt. Both are
    clipped to [1e-6, 1 − 1e-6] and increase if a > 0, so a threshold on p is a threshold on z. If
    TUNE has only one class, p is its share there, whatever z is.
    """

    name = "calibration"
    needs = ("gate",)
    gives = ("prob",)
    learns = Learns.TUNE
    settings_type = CalibrationSettings
    settings: CalibrationSettings

    def fit(self, labelled: Labelled) -> None:
        """Fit the map of queries."""
        self._learn(labelled.view.column("gate"), labelled.evidence, labelled.known)

    def apply(self, view: Unlabelled) -> Columns:
        """Return the probabilities of evidence, one per query."""
        return {"prob": self._mapped(view.column("gate"))}

    def _learn(self, scores: Floats, gold: Bools, known: Bools) -> None:
        make = _platt if self.settings.method == "platt" else _isotonic
        self._map = _map(make, scores[known], gold[known])

    def _mapped(self, scores: Floats) -> Floats:
        return np.clip(self._map(scores), SURE, 1 - SURE)


class NodeCalibration(Calibration):
    """A strictly increasing map from a pair's log-odds to the probability that it is evidence.

    platt or isotonic as for queries, fitted on the (sentence, criterion) pairs of TUNE. Dynamic K
    sums these probabilities, so they have to be calibrated.
    """

    name = "node_calibration"
    needs = ("node",)
    gives = ("node_prob",)

    def fit(self, labelled: Labelled) -> None:
        """Fit the map of pairs."""
        self._learn(labelled.view.column("node"), labelled.gold, labelled.known_pairs)

    def apply(self, view: Unlabelled) -> Columns:
        """Return the probabilities of evidence, one per pair."""
        return {"node_prob": self._mapped(view.column("node"))}


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
    # 1 / (1 + e^−x) = (1 + tanh(x/2)) / 2, which cannot overflow
    return lambda values: (1 + np.tanh((slope * (values - centre) / width + intercept) / 2)) / 2


def _isotonic(scores: Floats, gold: Bools) -> Map:
    model = sklearn("isotonic").IsotonicRegression(out_of_bounds="clip")
    model.fit(scores, gold.astype(np.float64))
    rising = _platt(scores, gold)

    def mapped(values: Floats) -> Floats:
        steps = np.asarray(model.predict(values.reshape(-1))).reshape(values.shape)
        return (1 - TILT) * steps + TILT * rising(values)

    return mapped
