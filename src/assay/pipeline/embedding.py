"""A second scorer, on static embeddings: what sentences mean rather than which words they have."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.data.model import Floats
from assay.errors import AssayError
from assay.pipeline.scorer import ScorerSettings, regression
from assay.pipeline.settings import setting
from assay.pipeline.stage import Learns, Stage
from assay.pipeline.views import Columns, Labelled, Unlabelled


@dataclass(frozen=True, slots=True)
class EmbeddingSettings(ScorerSettings):
    """As the scorer's; vectors of length 1 need a weaker penalty than TF-IDF."""

    strength: float = setting(50.0, low=1e-6, high=1e6)


class Embedding(Stage):
    """A logistic regression a criterion on the static embedding of a sentence, and a cosine.

    dense_score = w·e + b with e the mean of the token vectors, of length 1, fitted as the scorer
    is; semantic = e · q with q the embedding of the criterion's text. A criterion that cannot be
    learned has its semantic score in both.
    """

    name = "embedding"
    gives = ("dense_score", "semantic")
    learns = Learns.TRAIN
    settings_type = EmbeddingSettings
    settings: EmbeddingSettings

    def fit(self, labelled: Labelled) -> None:
        """One regression a criterion."""
        dense, known = _dense(labelled.view)[0], labelled.known_pairs
        self._models = [
            regression(self.settings, dense, labelled.gold[:, at], known[:, at])
            for at in range(known.shape[1])
        ]

    def apply(self, view: Unlabelled) -> Columns:
        """Both scores of every pair."""
        dense, asked = _dense(view)
        semantic = dense @ asked.T
        score = semantic.copy()
        for at, model in enumerate(self._models):
            if model is not None:
                score[:, at] = model.decision_function(dense)
        return {"dense_score": score, "semantic": semantic}


def _dense(view: Unlabelled) -> tuple[Floats, Floats]:
    tokens = view.tokens
    if tokens.dense is None or tokens.query_dense is None:
        raise AssayError("the view has no embeddings; they are made where 'embedding' is a stage")
    return tokens.dense, np.asarray(tokens.query_dense)
