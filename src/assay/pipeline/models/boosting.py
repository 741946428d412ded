"""Gradient boosting, shared by both learned stages after the scorer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.array_types import Bools, Floats
from assay.pipeline.models.extras import sklearn, without_pandas
from assay.pipeline.models.tree_contributions import tree_contributions
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
        self._constant, self._model = log_odds(float(gold.mean()) if len(gold) else 0.0), None
        if len(gold) and gold.any() and not gold.all():
            # A feature that is always missing, such as neighbours of lone sentences, has no bins.
            filled = [at for at in range(features.shape[1]) if not np.isnan(features[:, at]).all()]
            self._kept = _range_of(filled)
            coded = coded and filled[0] == 0 and bool(np.nanmax(features[:, 0]) <= MOST_CODES)
            self._model = _made(settings, seed, coded=coded)
            with without_pandas():
                self._model.fit(features[:, self._kept], gold)

    def __call__(self, features: Features) -> Floats:
        """Return the log-odds of each row."""
        if self._model is None:
            return np.full(len(features), self._constant)
        with without_pandas():
            made = self._model.decision_function(features[:, self._kept])
        return np.asarray(made, dtype=np.float64)

    def contributions(self, features: Features) -> tuple[Floats, float]:
        """Return the contribution of each feature to each row's log-odds, and the base."""
        out = np.zeros(features.shape)
        if self._model is None:
            return out, self._constant
        with without_pandas():
            out[:, self._kept], base = tree_contributions(self._model, features[:, self._kept])
        return out, base


def _range_of(columns: list[int]) -> slice | list[int]:
    """Return columns as a range if they are one: it selects them without a copy."""
    begin, end = columns[0], columns[-1] + 1
    return slice(begin, end) if len(columns) == end - begin else columns


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


def log_odds(share: float) -> float:
    """Return ln(share / (1 − share)), the share clipped to [SURE, 1 − SURE]."""
    inside = min(max(share, SURE), 1 - SURE)
    return float(np.log(inside / (1 - inside)))


def stacked(blocks: Iterable[Floats], rows: int) -> Features:
    """Return arrays as the columns of a matrix in single precision.

    scikit-learn makes two copies in double precision, next to which this one is small.
    """
    columns = [np.asarray(block, dtype=np.float32) for block in blocks]
    out = np.empty((rows, len(columns)), dtype=np.float32, order="F")
    for at in range(len(columns)):
        out[:, at], columns[at] = columns[at], columns[at][:0]
    return out
