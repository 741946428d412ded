"""Score a query by its likely evidence, read as one text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.pipeline.models.tokens import Matrix, Weights, sp
from assay.pipeline.settings import setting
from assay.pipeline.stage import Learns, Stage
from assay.pipeline.stages.embedding_scorer import dense_of
from assay.pipeline.stages.sentence_scorer import ScorerSettings, regression
from assay.pipeline.views import Columns, Labelled, Unlabelled


@dataclass(frozen=True, slots=True)
class EvidenceSettings(ScorerSettings):
    """`dense`: also score embeddings, with a separate inverse penalty."""

    dense: bool = setting(False)
    dense_strength: float = setting(5.0, low=1e-6, high=1e6)


class EvidenceScorer(Stage):
    """One logistic regression per criterion on the likely evidence sentences, as input to the gate.

    evidence_score = w·x + b with x = Σ aₛ xₛ over the sentences s of the post, a = softmax(node) of
    the criterion and xₛ the TF-IDF of words and word pairs, fitted like the scorer, on whether the
    query has evidence; evidence_dense is the same with embeddings for xₛ. In a query without
    evidence the best sentence only resembles evidence, and its words reveal that. 0 for a criterion
    that cannot be learned.
    """

    name = "evidence_scorer"
    needs = ("node",)
    gives: tuple[str, ...] = ("evidence_score",)
    learns = Learns.TRAIN
    settings_type = EvidenceSettings
    settings: EvidenceSettings

    def __init__(self, settings: EvidenceSettings | None = None, *, seed: int = 0) -> None:
        super().__init__(settings, seed=seed)
        if self.settings.dense:
            self.gives = (*self.gives, "evidence_dense")

    def fit(self, labelled: Labelled) -> None:
        """Fit one regression per criterion and kind of vector."""
        view, evidence = labelled.view, labelled.evidence
        self._words = Weights(view.tokens.words, self.settings.least)
        told = {
            "evidence_score": self.settings,
            "evidence_dense": ScorerSettings(
                self.settings.dense_strength, iterations=self.settings.iterations
            ),
        }
        self._models = {
            name: [
                regression(told[name], pooled(view, at) @ each, evidence[:, at], known)
                for at, known in enumerate(labelled.known.T)
            ]
            for name, each in self._vectors(view).items()
        }

    def apply(self, view: Unlabelled) -> Columns:
        """Return the score of every query."""
        shape = (len(view.posts), len(view.criteria))
        out = {name: np.zeros(shape) for name in self.gives}
        for name, each in self._vectors(view).items():
            for at, model in enumerate(self._models[name]):
                if model is not None:
                    out[name][:, at] = model.decision_function(pooled(view, at) @ each)
        return out

    def _vectors(self, view: Unlabelled) -> dict[str, Any]:
        made: dict[str, Any] = {"evidence_score": self._words(view.tokens.words)}
        return {**made, "evidence_dense": dense_of(view)[0]} if self.settings.dense else made


def pooled(view: Unlabelled, criterion: int) -> Matrix:
    """Return a matrix that sums the sentences of each post, weighted by softmax(node)."""
    node, owner, starts = view.column("node")[:, criterion], view.owner, view.offsets[:-1]
    share = np.exp(node - np.maximum.reduceat(node, starts)[owner])
    share /= np.add.reduceat(share, starts)[owner]
    places = (owner, np.arange(len(owner)))
    shape = (len(view.posts), len(owner))
    return sp.csr_matrix((share.astype(np.float32), places), shape=shape)
