"""The sentence scorer: what TRAIN teaches about the evidence for each criterion."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass

import numpy as np

from assay.array_types import Ints
from assay.pipeline.explanations.explanation import SENTENCE, ExplainsWords, WordContributions
from assay.pipeline.models.token_counts import Matrix
from assay.pipeline.models.tokens import Weights, side_by_side, sp
from assay.pipeline.regressions.evidence_blend import chosen_half
from assay.pipeline.regressions.own_models import (
    Items,
    OwnModels,
    ScorerSettings,
    evidence_counts,
    pair_items,
    ranked_criteria,
    trust,
)
from assay.pipeline.settings import setting
from assay.pipeline.stage import Learns, Stage
from assay.pipeline.view_layout import Layout, runs
from assay.pipeline.views import Columns, Labelled, Unlabelled


@dataclass(frozen=True, slots=True)
class SentenceSettings(ScorerSettings):
    """`context`: the weight of the words in the sentences before and after."""

    context: float = setting(0.5, low=0, high=10)


class SentenceScorer(Stage, ExplainsWords):
    """Two logistic regressions per criterion on TF-IDF of a sentence and its neighbours.

    x has the weights of words, word pairs and character n-grams of the sentence, and `context`
    times those of the words before and after it. own = w·x + b is the mean of two fits of
    w, b = argmin ½‖w / r‖² + C Σ cᵧ·ln(1 + e^(−y(w·x + b))), the classes weighted to the same sum:
    one with r = 1, and one with r = |ln(share of the token among evidence / among other sentences)|
    ÷ its mean, so that tokens typical of either are penalised less (`contrast` is added to the sums
    behind the shares).
    score = t·own + (1 − t)·match with t = n / (n + h), where match is the score of the matching
    model, which all criteria share, and n the criterion's number of queries with evidence in
    TRAIN. h is chosen inside TRAIN. t is 0 for a criterion excluded from training.
    """

    name = "scorer"
    needs = ("match",)
    gives = ("score",)
    ranks = "score"
    learns = Learns.TRAIN
    settings_type = SentenceSettings
    words_of = SENTENCE
    by_post = True
    settings: SentenceSettings

    def fit(self, labelled: Labelled) -> None:
        """Fit one regression for each criterion with enough evidence."""
        view = labelled.view
        words, chars = view.tokens.words, view.tokens.chars
        self._words, self._chars = (Weights(each, self.settings.least) for each in (words, chars))
        self._models = OwnModels(self.settings)
        chosen = ranked_criteria(labelled)
        if len(chosen):
            words, chars = self._words(words), self._chars(chars)
            features = self._features(view.layout, words, chars)
            del words, chars  # as large as the features
            self._models.fit(pair_items(view), labelled.gold, chosen, features)
            half = chosen_half(labelled, self.settings, features, self.seed)
            self._trust = trust(evidence_counts(labelled), half)

    def apply(self, view: Unlabelled) -> Columns:
        """Return the score of every pair."""
        match = view.column("match")
        if not self._models:
            return {"score": match.copy()}
        words, chars = self._words(view.tokens.words), self._chars(view.tokens.chars)
        features = self._features(view.layout, words, chars)
        own = self._models.fill(pair_items(view), features, match.copy())
        return {"score": match + self._trust[view.layout.pair_criterion] * (own - match)}

    def to_explain(self) -> SentenceScorer:
        """Return a stage with the weights of words only."""
        made = copy(self)
        made._models = self._models.first(len(self._words.kept))
        del made._chars
        return made

    def explain_words(self, view: Unlabelled, top: Ints) -> WordContributions | None:
        """Return the weight × TF-IDF of the words and word pairs of each top-ranked sentence."""
        if not self._models:
            return None
        sentence, criterion = view.layout.pair_sentence[top], view.layout.pair_criterion[top]
        words = view.tokens.words
        values, kept = self._words(words[sentence]), self._words.kept
        made = self._models.weighed(values, Items(criterion, np.arange(len(top))))
        made = sp.diags(self._trust[criterion]) @ made
        # Numbers of words are those of the tokens, which are the same in every part of TRAIN.
        wide = (len(top), words.shape[1])
        made, values = (
            sp.csr_matrix((each.data, kept[each.indices], each.indptr), shape=wide) for each in (made, values)
        )
        return WordContributions(made, values)

    def _features(self, layout: Layout, words: Matrix, chars: Matrix) -> Matrix:
        if not self.settings.context:
            return side_by_side([words, chars])
        count = len(layout.owner)
        same = layout.owner[:-1] == layout.owner[1:]
        after = np.append(np.where(same, np.arange(1, count), -1), -1)
        before = np.insert(np.where(same, np.arange(count - 1), -1), 0, -1)
        beside = [_rows_of(words, each, self.settings.context) for each in (after, before)]
        return side_by_side([words, chars, *beside])


def _rows_of(matrix: Matrix, rows: Ints, factor: float) -> Matrix:
    """Return some rows times a factor; no entries in row i if rows[i] is negative."""
    size = np.where(rows < 0, 0, np.diff(matrix.indptr)[rows])
    at = runs(matrix.indptr[:-1][rows], size)
    data = matrix.data[at] * matrix.dtype.type(factor)
    begins = np.concatenate([[0], np.cumsum(size)]).astype(matrix.indptr.dtype)
    return sp.csr_matrix((data, matrix.indices[at], begins), shape=(len(rows), matrix.shape[1]))
