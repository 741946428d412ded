"""Score each criterion by the words of the whole post, regardless of position."""

from __future__ import annotations

import numpy as np

from assay.pipeline.models.tokens import Matrix, Weights, sp
from assay.pipeline.stage import Learns, Stage
from assay.pipeline.stages.sentence_scorer import ScorerSettings, regression
from assay.pipeline.views import Columns, Labelled, Unlabelled


class PostScorer(Stage):
    """One logistic regression per criterion on TF-IDF of the whole post, as input to the gate.

    post_score = w·x + b with x the weights of words, word pairs and character n-grams counted over
    all sentences of the post, fitted like the scorer, on whether the query has evidence. 0 for a
    criterion that cannot be learned.
    """

    name = "post_scorer"
    gives = ("post_score",)
    learns = Learns.TRAIN
    settings_type = ScorerSettings
    settings: ScorerSettings

    def fit(self, labelled: Labelled) -> None:
        """Fit one regression per criterion."""
        words, chars = _summed(labelled.view)
        self._words = Weights(words, self.settings.least)
        self._chars = Weights(chars, self.settings.least)
        features, evidence = self._features(words, chars), labelled.evidence
        self._models = [
            regression(self.settings, features, evidence[:, at], labelled.known[:, at])
            for at in range(evidence.shape[1])
        ]

    def apply(self, view: Unlabelled) -> Columns:
        """Return the score of every query."""
        features = self._features(*_summed(view))
        score = np.zeros((len(view.posts), len(view.criteria)))
        for at, model in enumerate(self._models):
            if model is not None:
                score[:, at] = model.decision_function(features)
        return {"post_score": score}

    def _features(self, words: Matrix, chars: Matrix) -> Matrix:
        return sp.hstack([self._words(words), self._chars(chars)]).tocsr()


def _summed(view: Unlabelled) -> tuple[Matrix, Matrix]:
    """Return the counts of each post: the sums over its sentences."""
    sentences = len(view.owner)
    ones = np.ones(sentences, dtype=np.float32)
    member = sp.csr_matrix((ones, (view.owner, np.arange(sentences))), shape=(len(view.posts), sentences))
    return (member @ view.tokens.words).tocsr(), (member @ view.tokens.chars).tocsr()
