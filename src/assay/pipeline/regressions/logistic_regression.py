"""Logistic regression on many sparse features, by L-BFGS without bounds.

scikit-learn calls SciPy's L-BFGS-B, which with a hundred thousand weights spends more time on its
bounds than on the data: here the same fits take about half the time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.array_types import Bools, Floats
from assay.pipeline.regressions.lbfgs import Vector, minimise

LEAST_SMOOTHING = 1e-6  # so that no share is 0


@dataclass(frozen=True, slots=True, eq=False)
class Logistic:
    """Weights and intercept of a fitted regression."""

    weights: Vector
    intercept: float

    def decision_function(self, features: Any) -> Floats:
        """Return w·x + b of each row."""
        return np.asarray(features @ self.weights, dtype=np.float64) + self.intercept

    def times(self, factor: float) -> Logistic:
        """Return the regression whose scores are multiples."""
        return Logistic(self.weights * self.weights.dtype.type(factor), self.intercept * factor)

    def plus(self, other: Logistic) -> Logistic:
        """Return the regression whose scores are the sums of both."""
        return Logistic(self.weights + other.weights, self.intercept + other.intercept)


class Loss:
    """Σ cᵧ·ln(1 + e^(−y·margin)) ÷ the number of rows, the two classes weighted to the same sum."""

    def __init__(self, gold: Bools) -> None:
        n, positives = len(gold), int(gold.sum())
        self._sign = np.where(gold, 1.0, -1.0)
        self._weight = np.where(gold, 0.5 / positives, 0.5 / (n - positives))

    def __call__(self, margin: Vector) -> tuple[float, Floats]:
        """Return the loss and its derivative with respect to each margin."""
        right = self._sign * margin
        small = np.exp(-np.abs(right))
        value = float(self._weight @ (np.log1p(small) + np.maximum(-right, 0.0)))
        return value, -self._weight * self._sign * np.where(right >= 0, small, 1.0) / (1.0 + small)


def fit_logistic(
    features: Any,
    gold: Bools,
    strength: float,
    tolerance: float,
    iterations: int,
    scale: Vector | float = 1.0,
) -> Logistic:
    """Minimise ½‖w / scale‖² / C + Σ cᵧ·ln(1 + e^(−y(w·x + b))), the classes weighted to the same sum.

    It stops when no part of the gradient of the mean loss with respect to w / scale exceeds
    `tolerance`, like scikit-learn. Both classes must be present. A feature with a larger scale is
    penalised less.
    """
    kind = np.float32 if features.dtype == np.float32 else np.float64
    loss, ridge, scale = Loss(gold), 1.0 / (strength * len(gold)), np.asarray(scale, kind)

    def objective(at: Vector) -> tuple[float, Vector]:
        value, pull = loss(features @ (scale * at[:-1]) + at[-1])
        gradient = np.empty_like(at)
        gradient[:-1] = scale * (features.T @ pull.astype(at.dtype))
        gradient[:-1] += at.dtype.type(ridge) * at[:-1]
        gradient[-1] = pull.sum()
        return value + 0.5 * ridge * float(at[:-1] @ at[:-1]), gradient

    found = minimise(objective, np.zeros(features.shape[1] + 1, dtype=kind), tolerance, iterations)
    return Logistic(scale * found[:-1], float(found[-1]))


def contrast(features: Any, gold: Bools, smoothing: float) -> Vector:
    """Return a scale for each feature ≥ 0: how much its share differs between the two classes.

    |ln(share among positives / share among the others)| ÷ its mean, with `smoothing` added to the
    sum of each feature. A regression whose features are multiplied by it lies between naive Bayes
    and a regression (Wang and Manning 2012).
    """
    logs, added = [], features.dtype.type(max(smoothing, LEAST_SMOOTHING))
    for marks in (gold, ~gold):
        sums = features.T @ marks.astype(features.dtype) + added
        logs.append(np.log(sums / sums.sum()))
    found: Vector = np.abs(logs[0] - logs[1])
    return found / max(float(found.mean()), 1e-9)
