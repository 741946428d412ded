"""The matching model: what TRAIN teaches about questions and sentences of any kind."""

from __future__ import annotations

import numpy as np

from assay.pipeline.models.own_models import ScorerSettings, TOLERANCE
from assay.pipeline.models.sparse_logistic import fit_logistic
from assay.pipeline.query_arrays import highest_of
from assay.pipeline.settings import setting
from assay.pipeline.stage import Learns, Stage
from assay.pipeline.views import Columns, Labelled, Unlabelled


class Matching(Stage):
    name = "matching"
    needs = ("bm25", "cosine")
    gives = ("match", "match_gate")
    ranks = "match"
    learns = Learns.TRAIN
    settings_type = ScorerSettings
    settings: ScorerSettings

    def fit(self, labelled: Labelled) -> None:
        known = labelled.known_pairs
        x, y = self._x(labelled.view)[known], labelled.gold[known]
        self._model = fit_logistic(x, y, 3.0, TOLERANCE, 100) if y.any() and not y.all() else None

    def _x(self, view):
        return np.stack([np.log1p(view.column("bm25")), view.column("cosine")], axis=-1)

    def apply(self, view: Unlabelled) -> Columns:
        m = self._model.decision_function(self._x(view)) if self._model else view.column("cosine")
        return {"match": m, "match_gate": highest_of(m, view.layout.pair_offsets)}
