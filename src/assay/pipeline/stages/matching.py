"""The matching model: what TRAIN teaches about questions and sentences of any kind."""

from __future__ import annotations

import numpy as np

from assay.errors import AssayError
from assay.pipeline.models.matching_model import Candidates, MatchingModel, MatchingSettings
from assay.pipeline.query_arrays import highest_of
from assay.pipeline.stage import Learns, Stage
from assay.pipeline.views import Columns, Labelled, Unlabelled


class Matching(Stage):
    """Gradient boosting on features that mean the same for every question.

    match = Σ trees(how well the sentence covers the words of the question, weighed by rarity: word
    by word, by stem, by character trigrams, by static embeddings, in order, with its neighbours;
    the rarest word covered and not covered; agreement of numbers and names; BM25, cosine, position,
    length; each relative to the other candidates), fitted on the queries with evidence.
    match_gate = Σ trees(the same for all candidates together, the best match scores, and the
    wording of the question), fitted on whether a query has evidence, on cross-fitted match scores.
    If nothing can be learned, match is the cosine.
    """

    name = "matching"
    needs = ("cosine",)
    gives = ("match", "match_gate")
    learns = Learns.TRAIN
    compares_words = True
    settings_type = MatchingSettings
    settings: MatchingSettings

    def fit(self, labelled: Labelled) -> None:
        """Fit the ranker and the gate on all queries of TRAIN that may be learned from."""
        kept = np.flatnonzero(labelled.known)
        gold, evidence = labelled.gold[labelled.known_pairs], labelled.evidence[kept]
        self._model: MatchingModel | None = None
        if evidence.any() and not gold.all():
            train = _candidates(labelled.view).take(kept)
            post = labelled.view.layout.query_post[kept]
            self._model = MatchingModel(self.settings, self.seed, train, gold, post)

    def apply(self, view: Unlabelled) -> Columns:
        """Return the log-odds of every pair, and of every query having evidence."""
        if self._model is None:
            match = view.column("cosine")
            return {"match": match, "match_gate": highest_of(match, view.layout.pair_offsets)}
        match, gate = self._model.apply(_candidates(view))
        return {"match": match, "match_gate": gate}


def _candidates(view: Unlabelled) -> Candidates:
    if view.words is None:
        raise AssayError("the view has no words; a stage must declare that it compares them")
    return view.words.candidates(view.layout)
