"""Score each criterion by the words of the whole post, regardless of position."""

from __future__ import annotations

import numpy as np

from assay.pipeline.models.token_counts import Matrix
from assay.pipeline.models.tokens import Weights, side_by_side
from assay.pipeline.regressions.own_models import (
    SCARCE,
    OwnModels,
    ScorerSettings,
    evidence_counts,
    own_criteria,
    post_items,
    trust,
)
from assay.pipeline.stage import Learns, Stage
from assay.pipeline.views import Columns, Labelled, Unlabelled


class PostScorer(Stage):
    """Two logistic regressions per criterion on TF-IDF of the whole post, as input to the gate.

    post_score = t·(w·x + b) with x the weights of words, word pairs and character n-grams counted
    over all sentences of the post, fitted like the scorer, on whether the query has evidence.
    t = n / (n + 5) shrinks it if TRAIN has few queries n with evidence for the criterion. 0 for a
    criterion without its own model.
    """

    name = "post_scorer"
    gives = ("post_score",)
    learns = Learns.TRAIN
    by_post = True
    settings_type = ScorerSettings
    settings: ScorerSettings

    def fit(self, labelled: Labelled) -> None:
        """Fit one regression for each criterion with enough evidence."""
        self._models, chosen = OwnModels(self.settings), own_criteria(labelled)
        if not len(chosen):
            return
        words, chars = labelled.view.tokens.post_words, labelled.view.tokens.post_chars
        self._words = Weights(words, self.settings.least)
        self._chars = Weights(chars, self.settings.least)
        features = self._features(words, chars)
        self._models.fit(post_items(labelled.view), labelled.evidence, chosen, features)
        self._trust = trust(evidence_counts(labelled), SCARCE)

    def apply(self, view: Unlabelled) -> Columns:
        """Return the score of every query."""
        score = np.zeros(view.queries)
        if self._models:
            features = self._features(view.tokens.post_words, view.tokens.post_chars)
            self._models.fill(post_items(view), features, score)
            score *= self._trust[view.layout.query_criterion]
        return {"post_score": score}

    def _features(self, words: Matrix, chars: Matrix) -> Matrix:
        return side_by_side([self._words(words), self._chars(chars)])
