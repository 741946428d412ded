"""The sentence scorer: what TRAIN teaches about the evidence for each criterion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.array_types import Bools, Floats
from assay.pipeline.models.sparse_logistic import Logistic, fit_logistic
from assay.pipeline.models.tokens import Matrix, Weights, sp
from assay.pipeline.settings import Settings, setting
from assay.pipeline.stage import Learns, Stage
from assay.pipeline.views import Columns, Labelled, Unlabelled

TOLERANCE = 5e-4  # of the solver: beyond it, the fit mostly follows noise of TRAIN


@dataclass(frozen=True, slots=True)
class ScorerSettings(Settings):
    """`strength` is the inverse of the penalty (scikit-learn's C); tokens in fewer than `least`
    sentences are ignored.
    """

    strength: float = setting(3.0, low=1e-6, high=1e6)
    least: int = setting(2, low=1)
    iterations: int = setting(100, low=1)


@dataclass(frozen=True, slots=True)
class SentenceSettings(ScorerSettings):
    """`context`: the weight of the words in the sentences before and after."""

    context: float = setting(0.5, low=0, high=10)


class SentenceScorer(Stage):
    """One logistic regression per criterion on TF-IDF of a sentence and its neighbours.

    x has the weights of words, word pairs and character n-grams of the sentence, and `context`
    times those of the words before and after it. score = w·x + b with
    w, b = argmin ½‖w‖² + C Σ cᵧ·ln(1 + e^(−y(w·x + b))), the classes weighted to the same sum. A
    criterion for which TRAIN has no evidence, or nothing but evidence, or that is excluded from
    training, gets the score of one regression on BM25 and cosine shared by all criteria, or the
    plain cosine if that cannot be learned either.
    """

    name = "scorer"
    needs = ("bm25", "cosine")
    gives = ("score",)
    learns = Learns.TRAIN
    settings_type = SentenceSettings
    settings: SentenceSettings

    def fit(self, labelled: Labelled) -> None:
        """Fit one regression per criterion that can be learned, and a shared one."""
        view, known = labelled.view, labelled.known_pairs
        self._words = Weights(view.tokens.words, self.settings.least)
        self._chars = Weights(view.tokens.chars, self.settings.least)
        features = self._features(view)
        self._models = [
            self._model(features, labelled.gold[:, at], known[:, at]) for at in range(len(view.criteria))
        ]
        self._shared = self._model(_pairs(view), labelled.gold.reshape(-1), known.reshape(-1))

    def apply(self, view: Unlabelled) -> Columns:
        """Return the score of every pair."""
        features, alike = self._features(view), _pairs(view)
        if self._shared is None:
            score = view.column("cosine").copy()
        else:
            score = self._shared.decision_function(alike).reshape(-1, len(view.criteria))
        for at, model in enumerate(self._models):
            if model is not None:
                score[:, at] = model.decision_function(features)
        return {"score": np.asarray(score, dtype=np.float64)}

    def _features(self, view: Unlabelled) -> Matrix:
        words, chars = self._words(view.tokens.words), self._chars(view.tokens.chars)
        if not self.settings.context:
            return sp.hstack([words, chars]).tocsr()
        after = _next(view)
        beside = (after @ words, after.T @ words)
        return sp.hstack([words, chars, *(self.settings.context * each for each in beside)]).tocsr()

    def _model(self, features: Any, gold: Bools, known: Bools) -> Logistic | None:
        return regression(self.settings, features, gold, known)


def regression(settings: ScorerSettings, features: Any, gold: Bools, known: Bools) -> Logistic | None:
    """Return a fitted logistic regression; None if there is only one class, or no feature."""
    if not known.all():
        features, gold = features[np.flatnonzero(known)], gold[known]
    if not features.shape[1] or not gold.any() or gold.all():
        return None
    return fit_logistic(features, gold, settings.strength, TOLERANCE, settings.iterations)


def _next(view: Unlabelled) -> Matrix:
    """Return a matrix that shifts to each sentence the next one of its post."""
    count = len(view.owner)
    row = np.flatnonzero(view.owner[:-1] == view.owner[1:])
    ones = np.ones(len(row), dtype=np.float32)
    return sp.csr_matrix((ones, (row, row + 1)), shape=(count, count))


def _pairs(view: Unlabelled) -> Floats:
    """Return the features of a pair that mean the same for every criterion."""
    bm25, cosine = view.column("bm25"), view.column("cosine")
    return np.stack([np.log1p(bm25), cosine], axis=-1).reshape(-1, 2)
