"""The sentence scorer: what TRAIN teaches about the evidence for each criterion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.pipeline.models.own_models import OwnModels, ScorerSettings, own_criteria, pair_items
from assay.pipeline.models.tokens import Matrix, Weights, sp
from assay.pipeline.settings import setting
from assay.pipeline.stage import Learns, Stage
from assay.pipeline.view_layout import Layout
from assay.pipeline.views import Columns, Labelled, Unlabelled


@dataclass(frozen=True, slots=True)
class SentenceSettings(ScorerSettings):
    """`context`: the weight of the words in the sentences before and after."""

    context: float = setting(0.5, low=0, high=10)


class SentenceScorer(Stage):
    """One logistic regression per criterion on TF-IDF of a sentence and its neighbours.

    x has the weights of words, word pairs and character n-grams of the sentence, and `context`
    times those of the words before and after it. score = w·x + b with
    w, b = argmin ½‖w‖² + C Σ cᵧ·ln(1 + e^(−y(w·x + b))), the classes weighted to the same sum. A
    criterion with little evidence in TRAIN, nothing but evidence, or excluded from training gets
    the score of the matching model, which all criteria share.
    """

    name = "scorer"
    needs = ("match",)
    gives = ("score",)
    ranks = "score"
    learns = Learns.TRAIN
    settings_type = SentenceSettings
    settings: SentenceSettings

    def fit(self, labelled: Labelled) -> None:
        """Fit one regression for each criterion with enough evidence."""
        view = labelled.view
        self._words = Weights(view.tokens.words, self.settings.least)
        self._chars = Weights(view.tokens.chars, self.settings.least)
        self._models = OwnModels(self.settings)
        chosen = own_criteria(labelled)
        if len(chosen):
            self._models.fit(pair_items(view), labelled.gold, chosen, self._features(view))

    def apply(self, view: Unlabelled) -> Columns:
        """Return the score of every pair."""
        score = view.column("match").copy()
        if self._models:
            self._models.fill(pair_items(view), self._features(view), score)
        return {"score": score}

    def _features(self, view: Unlabelled) -> Matrix:
        words, chars = self._words(view.tokens.words), self._chars(view.tokens.chars)
        if not self.settings.context:
            return sp.hstack([words, chars]).tocsr()
        after = _next(view.layout)
        beside = (after @ words, after.T @ words)
        return sp.hstack([words, chars, *(self.settings.context * each for each in beside)]).tocsr()


def _next(layout: Layout) -> Matrix:
    """Return a matrix that shifts to each sentence the next one of its post."""
    count = len(layout.owner)
    row = np.flatnonzero(layout.owner[:-1] == layout.owner[1:])
    ones = np.ones(len(row), dtype=np.float32)
    return sp.csr_matrix((ones, (row, row + 1)), shape=(count, count))
