"""Score each criterion by the words of the whole post, regardless of position."""

from __future__ import annotations

import numpy as np

from assay.pipeline.models.own_models import OwnModels, ScorerSettings, own_criteria, post_items
from assay.pipeline.models.tokens import Matrix, Weights, sp
from assay.pipeline.stage import Learns, Stage
from assay.pipeline.views import Columns, Labelled, Unlabelled


class PostScorer(Stage):
    """One logistic regression per criterion on TF-IDF of the whole post, as input to the gate.

    post_score = w·x + b with x the weights of words, word pairs and character n-grams counted over
    all sentences of the post, fitted like the scorer, on whether the query has evidence. 0 for a
    criterion without a model of its own.
    """

    name = "post_scorer"
    gives = ("post_score",)
    learns = Learns.TRAIN
    settings_type = ScorerSettings
    settings: ScorerSettings

    def fit(self, labelled: Labelled) -> None:
        """Fit one regression for each criterion with enough evidence."""
        self._models, chosen = OwnModels(self.settings), own_criteria(labelled)
        if not len(chosen):
            return
        words, chars = _summed(labelled.view)
        self._words = Weights(words, self.settings.least)
        self._chars = Weights(chars, self.settings.least)
        features = self._features(words, chars)
        self._models.fit(post_items(labelled.view), labelled.evidence, chosen, features)

    def apply(self, view: Unlabelled) -> Columns:
        """Return the score of every query."""
        score = np.zeros(view.queries)
        if self._models:
            self._models.fill(post_items(view), self._features(*_summed(view)), score)
        return {"post_score": score}

    def _features(self, words: Matrix, chars: Matrix) -> Matrix:
        return sp.hstack([self._words(words), self._chars(chars)]).tocsr()


def _summed(view: Unlabelled) -> tuple[Matrix, Matrix]:
    """Return the counts of each post: the sums over its sentences."""
    owner, count = view.layout.owner, len(view.layout.owner)
    ones = np.ones(count, dtype=np.float32)
    member = sp.csr_matrix((ones, (owner, np.arange(count))), shape=(len(view.posts), count))
    return (member @ view.tokens.words).tocsr(), (member @ view.tokens.chars).tocsr()
