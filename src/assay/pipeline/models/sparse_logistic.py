"""Logistic regression on many sparse features, by L-BFGS without bounds.

scikit-learn calls SciPy's L-BFGS-B, which with a hundred thousand weights spends more time on its
bounds than on the data: here the same fits take about half the time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.array_types import Bools, Floats

MEMORY = 10  # steps used to estimate the curvature
ENOUGH = 1e-4  # of the decrease that the slope predicts
SHORTEST = 1e-6  # step below which a direction is abandoned
STALLED = 1e-9  # relative decrease below which it has converged
LEAST_SMOOTHING = 1e-6  # so that no share is 0

Vector = NDArray[np.floating[Any]]
Objective = Callable[[Vector], tuple[float, Vector]]


@dataclass(frozen=True, slots=True, eq=False)
class Logistic:
    """Weights and intercept of a fitted regression."""

    weights: Vector
    intercept: float

    def decision_function(self, features: Any) -> Floats:
        """Return w·x + b of each row."""
        return np.asarray(features @ self.weights, dtype=np.float64) + self.intercept


def fit_logistic(
    features: Any,
    gold: Bools,
    strength: float,
    tolerance: float,
    iterations: int,
    scale: Vector | float = 1.0,
) -> Logistic:
    """Minimise ½‖w / scale‖² / C + Σ cᵧ·ln(1 + e^(−y(w·x + b))), the classes weighted to the same sum.

    It stops when no part of the gradient of the mean loss exceeds `tolerance`, like scikit-learn.
    Both classes must be present. A feature with a larger scale is penalised less.
    """
    kind = np.float32 if features.dtype == np.float32 else np.float64
    start = np.zeros(features.shape[1] + 1, dtype=kind)
    found = minimise(_loss(features, gold, strength, np.asarray(scale, kind)), start, tolerance, iterations)
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


def _loss(features: Any, gold: Bools, strength: float, scale: Vector) -> Objective:
    n, positives = len(gold), int(gold.sum())
    sign = np.where(gold, 1.0, -1.0)
    weight = np.where(gold, 0.5 / positives, 0.5 / (n - positives))
    ridge = 1.0 / (strength * n)

    def objective(at: Vector) -> tuple[float, Vector]:
        margin = sign * (features @ (scale * at[:-1]) + at[-1])
        small = np.exp(-np.abs(margin))
        loss = float(weight @ (np.log1p(small) + np.maximum(-margin, 0.0)))
        pull = -weight * sign * np.where(margin >= 0, small, 1.0) / (1.0 + small)
        gradient = np.empty_like(at)
        gradient[:-1] = scale * (features.T @ pull.astype(at.dtype))
        gradient[:-1] += at.dtype.type(ridge) * at[:-1]
        gradient[-1] = pull.sum()
        return loss + 0.5 * ridge * float(at[:-1] @ at[:-1]), gradient

    return objective


def minimise(objective: Objective, start: Vector, tolerance: float, iterations: int) -> Vector:
    """Run L-BFGS with backtracking: the two-loop recursion of Nocedal (1980)."""
    at, kind = start, start.dtype.type
    value, gradient = objective(at)
    steps: list[tuple[Vector, Vector, float]] = []  # step, change of gradient, 1 / product
    for _ in range(iterations):
        if float(np.abs(gradient).max()) <= tolerance:
            break
        direction = _direction(gradient, steps)
        slope, size = float(direction @ gradient), 1.0
        while True:
            there = at - kind(size) * direction
            reached, after = objective(there)
            if reached <= value - ENOUGH * size * slope or size < SHORTEST:
                break
            size /= 2
        if reached >= value - STALLED * max(abs(value), 1.0):
            return there if reached < value else at
        moved, turned = there - at, after - gradient
        product = float(moved @ turned)
        if product > 0:
            steps = [*steps[1 - MEMORY :], (moved, turned, 1 / product)]
        at, value, gradient = there, reached, after
    return at


def _direction(gradient: Vector, steps: list[tuple[Vector, Vector, float]]) -> Vector:
    """Return the inverse of the estimated curvature times the gradient."""
    kind, made = gradient.dtype.type, gradient.copy()
    if not steps:
        return made * kind(min(1.0, 1.0 / float(np.linalg.norm(gradient))))
    shares = []
    for moved, turned, inverse in reversed(steps):
        shares.append(inverse * float(moved @ made))
        made -= kind(shares[-1]) * turned
    _, turned, inverse = steps[-1]
    made *= kind(1.0 / (inverse * float(turned @ turned)))
    for (moved, turned, inverse), share in zip(steps, reversed(shares), strict=True):
        made += kind(share - inverse * float(turned @ made)) * moved
    return made
