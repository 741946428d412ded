"""Gradient boosting, shared by both learned stages after the scorer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.array_types import Bools, Floats
from assay.pipeline.models.extras import sklearn
from assay.pipeline.settings import Settings, setting

MOST_CODES = 254  # categories that a histogram of 255 bins can hold
SURE = 1e-6

Features = NDArray[np.floating[Any]]


@dataclass(frozen=True, slots=True)
class BoostingSettings(Settings):
    """Number of trees, their size, and the learning rate."""

    trees: int = setting(80, low=1)
    rate: float = setting(0.09, low=1e-4, high=1)
    leaves: int = setting(15, low=2)
    least: int = setting(30, low=1)
    share: float = setting(0.5, low=0.01, high=1)
    ridge: float = setting(5.0, low=0)


class Boosted:
    """Return log-odds from gradient boosting with the logistic loss.

    The first feature is a categorical code unless `coded` is False.

    With one class only, it is the log-odds of its clipped share: there is nothing to learn.
    """

    def __init__(
        self, settings: BoostingSettings, seed: int, features: Features, gold: Bools, *, coded: bool = True
    ):
        self._constant, self._model = _logit(float(gold.mean()) if len(gold) else 0.0), None
        if len(gold) and gold.any() and not gold.all():
            # A feature that is always missing, such as neighbours of lone sentences, has no bins.
            self._kept = np.flatnonzero(~np.isnan(features).all(axis=0))
            coded = coded and self._kept[0] == 0 and bool(np.nanmax(features[:, 0]) <= MOST_CODES)
            self._model = _made(settings, seed, coded=coded)
            self._model.fit(features[:, self._kept], gold)

    def __call__(self, features: Features) -> Floats:
        """Return the log-odds of each row."""
        if self._model is None:
            return np.full(len(features), self._constant)
        return np.asarray(self._model.decision_function(features[:, self._kept]), dtype=np.float64)


def _made(settings: BoostingSettings, seed: int, *, coded: bool) -> Any:
    return sklearn("ensemble").HistGradientBoostingClassifier(
        max_iter=settings.trees,
        learning_rate=settings.rate,
        max_leaf_nodes=settings.leaves,
        min_samples_leaf=settings.least,
        l2_regularization=settings.ridge,
        max_features=settings.share,
        categorical_features=[0] if coded else None,
        early_stopping=False,
        random_state=seed,
    )


def _logit(share: float) -> float:
    inside = min(max(share, SURE), 1 - SURE)
    return float(np.log(inside / (1 - inside)))


def stacked(blocks: Sequence[Floats], rows: int) -> Floats:
    """Return arrays as the columns of a matrix; the trees bin single precision."""
    out = np.empty((rows, len(blocks)), dtype=np.float32, order="F")
    for at, block in enumerate(blocks):
        out[:, at] = block
    return out  # type: ignore[return-value] # half the memory of the declared type
