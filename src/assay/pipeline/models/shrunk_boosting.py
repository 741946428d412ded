"""Boosted trees, shrunk towards a regression on a few features if TRAIN has little evidence."""

from __future__ import annotations

import numpy as np

from assay.array_types import Bools, Floats
from assay.pipeline.models.boosting import Boosted, BoostingSettings, Features, log_odds
from assay.pipeline.regressions.logistic_regression import fit_logistic

STRENGTH, TOLERANCE, ITERATIONS = 0.1, 1e-4, 200  # of the regression


class Regression:
    """Log-odds of a logistic regression on a few standardised features; NaN counts as their mean.

    With one class only, it is the log-odds of its clipped share.
    """

    def __init__(self, features: Features, gold: Bools) -> None:
        self._prior, self._model = log_odds(float(gold.mean()) if len(gold) else 0.0), None
        if len(gold) and gold.any() and not gold.all():
            self._mean = np.nanmean(features, axis=0)
            self._spread = np.maximum(np.nanstd(features, axis=0), 1e-9)
            self._model = fit_logistic(self._scaled(features), gold, STRENGTH, TOLERANCE, ITERATIONS)

    def __call__(self, features: Features) -> Floats:
        """Return the log-odds of each row."""
        if self._model is None:
            return np.full(len(features), self._prior)
        # The classes were weighted to the same sum, so the share of TRAIN is added again.
        return self._model.decision_function(self._scaled(features)) + self._prior

    def contributions(self, features: Features) -> tuple[Floats, float]:
        """Return weight × distance from the mean of TRAIN of each feature, and the base."""
        if self._model is None:
            return np.zeros(features.shape), self._prior
        made = np.asarray(self._scaled(features) * self._model.weights, dtype=np.float64)
        return made, self._model.intercept + self._prior

    def _scaled(self, features: Features) -> Floats:
        return np.asarray(np.nan_to_num((features - self._mean) / self._spread))


class ShrunkBoosting:
    """t·trees(features) + (1 − t)·regression(few), with t = n / (n + half).

    n is the number of rows of the rarer class in TRAIN. Trees need many of them before they do
    better than a regression, and always having both leaves no number of labels at which the result
    jumps.
    """

    def __init__(
        self,
        settings: BoostingSettings,
        seed: int,
        features: Features,
        few: Features,
        gold: Bools,
        half: float,
        *,
        coded: bool = True,
    ) -> None:
        rarer = min(int(gold.sum()), int((~gold).sum()))
        self._share = rarer / max(rarer + half, 1.0)
        self._trees = Boosted(settings, seed, features, gold, coded=coded)
        self._regression = Regression(few, gold)

    def __call__(self, features: Features, few: Features) -> Floats:
        """Return the log-odds of each row."""
        return self._share * self._trees(features) + (1 - self._share) * self._regression(few)

    def contributions(self, features: Features, few: Features) -> tuple[Floats, Floats, float]:
        """Return the contributions of the features of the trees, of the regression, and the base.

        All three add up to the log-odds of each row.
        """
        trees, above = self._trees.contributions(features)
        regression, below = self._regression.contributions(few)
        rest = 1 - self._share
        return self._share * trees, rest * regression, self._share * above + rest * below
