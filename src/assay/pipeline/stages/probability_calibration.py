"""Calibrate log-odds to probabilities on TUNE."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from assay.array_types import Bools, Floats
from assay.pipeline.models.boosting import SURE, log_odds
from assay.pipeline.models.extras import sklearn
from assay.pipeline.regressions.lbfgs import Vector, minimise
from assay.pipeline.settings import Settings, setting
from assay.pipeline.stage import Learns, Stage
from assay.pipeline.views import Columns, Labelled, Unlabelled

TILT = 1e-3  # weight of platt in isotonic, so that different raw scores get different probabilities
SPREAD = 2.0  # of the prior of Platt's slope, whose mean is 1, for scores with standard deviation 1
TOLERANCE, ITERATIONS = 1e-8, 200  # of the solver


@dataclass(frozen=True, slots=True)
class CalibrationSettings(Settings):
    """Platt has two parameters, isotonic fits any increasing shape; both keep the order."""

    method: str = setting("platt", choices=("platt", "isotonic"))


class Calibration(Stage):
    """A strictly increasing map from a query's log-odds z to a probability, fitted on TUNE.

    platt: p = 1 / (1 + e^−(az + b)) with a ≥ 0, where z is standardised. a and b minimise
    Σ ln(1 + e^(az + b)) − t(az + b) + ½((a − 1) / 2)², with the targets of Platt (1999) for N₊
    queries with evidence and N₋ without: t = (N₊ + 1) / (N₊ + 2), or 1 / (N₋ + 2). So a TUNE that
    is separable, small or of one class yields neither certainty nor ties. isotonic: the increasing
    step function with the least squared error, linear between its corners; it has plateaus, on
    which a threshold could not separate raw scores, so it is mixed with 0.1% of platt. Both are
    clipped to [1e-6, 1 − 1e-6] and increase if a > 0, so a threshold on p is a threshold on z.
    Without any query in TUNE, p is 0.
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
    return make(scores, gold) if len(gold) else lambda values: np.zeros(values.shape)


def _platt(scores: Floats, gold: Bools) -> Map:
    centre, width = float(scores.mean()), float(scores.std()) or 1.0
    positives = int(gold.sum())
    target = np.where(gold, (positives + 1) / (positives + 2), 1 / (len(gold) - positives + 2))
    x = (scores - centre) / width

    def objective(at: Vector) -> tuple[float, Vector]:
        margin, beyond = at[0] * x + at[1], (at[0] - 1) / SPREAD
        loss = np.logaddexp(0, margin) - target * margin
        excess = _logistic(margin) - target
        slope = excess @ x + beyond / SPREAD
        return float(loss.sum() + 0.5 * beyond**2) / len(x), np.array([slope, excess.sum()]) / len(x)

    start = np.array([1.0, log_odds(float(target.mean()))])
    slope, intercept = minimise(objective, start, TOLERANCE, ITERATIONS)
    slope = max(float(slope), 0.0)
    return lambda values: _logistic(slope * (values - centre) / width + intercept)


def _logistic(values: Floats) -> Floats:
    """Return 1 / (1 + e^−x) = (1 + tanh(x/2)) / 2, which cannot overflow."""
    return np.asarray((1 + np.tanh(values / 2)) / 2)


def _isotonic(scores: Floats, gold: Bools) -> Map:
    model = sklearn("isotonic").IsotonicRegression(out_of_bounds="clip")
    model.fit(scores, gold.astype(np.float64))
    rising = _platt(scores, gold)

    def mapped(values: Floats) -> Floats:
        steps = np.asarray(model.predict(values.reshape(-1))).reshape(values.shape)
        return (1 - TILT) * steps + TILT * rising(values)

    return mapped
