"""The matching model: what TRAIN teaches about questions and sentences of any kind."""

from __future__ import annotations

import numpy as np

from assay.array_types import Floats
from assay.errors import AssayError
from assay.pipeline.matching.matching_model import Candidates, MatchingModel, MatchingSettings
from assay.pipeline.models.own_models import TOLERANCE, evidence_counts
from assay.pipeline.models.sparse_logistic import fit_logistic
from assay.pipeline.query_arrays import highest_of
from assay.pipeline.stage import Learns, Stage
from assay.pipeline.views import Columns, Labelled, Unlabelled

STRENGTH, ITERATIONS = 3.0, 100  # of the logistic regression on two features


class Matching(Stage):
    """Gradient boosting on features that mean the same for every question.

    match = Σ trees(how well the sentence covers the words of the question, weighed by rarity: word
    by word, by stem, by character trigrams, by static embeddings, in order, with its neighbours;
    the rarest word covered and not covered; agreement of numbers and names; BM25, cosine, position,
    length; each relative to the other candidates), fitted on the queries with evidence.
    match_gate = Σ trees(the same for all candidates together, the best match scores, and the
    wording of the question), fitted on whether a query has evidence, on cross-fitted match scores.
    A criterion with `enough` evidence has a model of its own, which learns more: it only gets the
    log-odds of a logistic regression on BM25 and cosine, or the cosine if that cannot be learned.
    """

    name = "matching"
    needs = ("bm25", "cosine")
    gives = ("match", "match_gate")
    ranks = "match"
    learns = Learns.TRAIN
    compares_words = True
    settings_type = MatchingSettings
    settings: MatchingSettings

    def fit(self, labelled: Labelled) -> None:
        """Fit the ranker and the gate on the queries of TRAIN, at most `most` of their pairs."""
        known, gold = labelled.known_pairs, labelled.gold
        self._simple = self._model = None
        if gold[known].any() and not gold[known].all():
            features = _simple_features(labelled.view)[known]
            self._simple = fit_logistic(features, gold[known], STRENGTH, TOLERANCE, ITERATIONS)
        self._open = evidence_counts(labelled) < self.settings.enough
        wanted = self._open[labelled.view.layout.query_criterion]
        if self._simple is not None and wanted.any():
            self._model = self._fitted(labelled)

    def _fitted(self, labelled: Labelled) -> MatchingModel:
        layout = labelled.view.layout
        draw = np.random.default_rng(self.seed).permutation(len(layout.posts))[layout.query_post]
        size = np.where(labelled.known, layout.query_sizes, 0)
        order = np.argsort(draw, kind="stable")  # whole posts, in random order
        kept = np.sort(order[(np.cumsum(size[order]) <= self.settings.most) & labelled.known[order]])
        train = _candidates(labelled.view).take(kept)
        gold = labelled.gold[np.isin(layout.pair_query, kept)]
        return MatchingModel(self.settings, self.seed, train, gold, layout.query_post[kept])

    def apply(self, view: Unlabelled) -> Columns:
        """Return the log-odds of every pair, and of every query having evidence."""
        match, layout = view.column("cosine").copy(), view.layout
        if self._simple is not None:
            match = self._simple.decision_function(_simple_features(view))
        gate = highest_of(match, layout.pair_offsets)
        if self._model is not None:
            wanted = np.flatnonzero(self._open[layout.query_criterion])
            pairs = np.isin(layout.pair_query, wanted)
            match[pairs], gate[wanted] = self._model.apply(_candidates(view).take(wanted))
        return {"match": match, "match_gate": gate}


def _simple_features(view: Unlabelled) -> Floats:
    return np.stack([np.log1p(view.column("bm25")), view.column("cosine")], axis=-1)


def _candidates(view: Unlabelled) -> Candidates:
    if view.words is None:
        raise AssayError("the view has no words; a stage must declare that it compares them")
    return view.words.candidates(view.layout)
