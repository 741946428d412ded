"""Score a query by its likely evidence, read as one text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.array_types import Ints
from assay.pipeline.models.token_counts import Matrix
from assay.pipeline.models.tokens import Weights, sp
from assay.pipeline.query_arrays import highest_of, sum_of
from assay.pipeline.regressions.own_models import (
    SCARCE,
    Items,
    OwnModels,
    ScorerSettings,
    evidence_counts,
    own_criteria,
    trust,
)
from assay.pipeline.settings import setting
from assay.pipeline.stage import Learns, Stage
from assay.pipeline.stages.embedding_scorer import dense_of
from assay.pipeline.view_layout import runs
from assay.pipeline.views import Columns, Labelled, Unlabelled


@dataclass(frozen=True, slots=True)
class EvidenceSettings(ScorerSettings):
    """`dense`: also score embeddings, with a separate inverse penalty."""

    dense: bool = setting(False)
    dense_strength: float = setting(5.0, low=1e-6, high=1e6)


class EvidenceScorer(Stage):
    """Two logistic regressions per criterion on the likely evidence sentences, as input to the gate.

    evidence_score = t·(w·x + b) with x = Σ aₛ xₛ over the sentences s of the post, a = softmax(node) of
    the criterion and xₛ the TF-IDF of words and word pairs, fitted like the scorer, on whether the
    query has evidence; evidence_dense is one regression with embeddings for xₛ. In a query without
    evidence the best sentence only resembles evidence, and its words reveal that. t = n / (n + 5)
    shrinks it if TRAIN has few queries n with evidence for the criterion. 0 for a criterion without
    its own model.
    """

    name = "evidence_scorer"
    needs = ("node",)
    gives: tuple[str, ...] = ("evidence_score",)
    learns = Learns.TRAIN
    by_post = True
    settings_type = EvidenceSettings
    settings: EvidenceSettings

    def __init__(self, settings: EvidenceSettings | None = None, *, seed: int = 0) -> None:
        super().__init__(settings, seed=seed)
        if self.settings.dense:
            self.gives = (*self.gives, "evidence_dense")

    def fit(self, labelled: Labelled) -> None:
        """Fit one regression per criterion with enough evidence, and kind of vector."""
        view, chosen = labelled.view, own_criteria(labelled)
        words = view.tokens.words
        self._words = Weights(words, self.settings.least)
        told = {
            "evidence_score": self.settings,
            "evidence_dense": ScorerSettings(
                self.settings.dense_strength, iterations=self.settings.iterations, contrast=0.0
            ),
        }
        self._models = {name: OwnModels(told[name]) for name in self.gives}
        if not len(chosen):
            return
        kept = np.flatnonzero(np.isin(view.layout.query_criterion, chosen))
        self._trust = trust(evidence_counts(labelled), SCARCE)
        items, evidence = _items(view, kept), labelled.evidence[kept]
        for name, vectors in self._vectors(view, words).items():
            self._models[name].fit(items, evidence, chosen, pooled(view, kept) @ vectors)

    def apply(self, view: Unlabelled) -> Columns:
        """Return the score of every query."""
        out = {name: np.zeros(view.queries) for name in self.gives}
        learned = next(iter(self._models.values())).learned()
        kept = np.flatnonzero(np.isin(view.layout.query_criterion, learned))
        if len(kept):
            items, share = _items(view, kept), pooled(view, kept)
            for name, vectors in self._vectors(view, view.tokens.words).items():
                own = self._models[name].fill(items, share @ vectors, np.zeros(len(kept)))
                out[name][kept] = self._trust[items.criterion] * own
        return out

    def _vectors(self, view: Unlabelled, words: Matrix) -> dict[str, Any]:
        made: dict[str, Any] = {"evidence_score": self._words(words)}
        return {**made, "evidence_dense": dense_of(view)[0]} if self.settings.dense else made


def _items(view: Unlabelled, queries: Ints) -> Items:
    """Return some of the queries, each with its own features."""
    return Items(view.layout.query_criterion[queries], np.arange(len(queries)))


def pooled(view: Unlabelled, queries: Ints) -> Matrix:
    """Return a matrix that sums the sentences of some queries, weighted by softmax(node)."""
    layout, node = view.layout, view.column("node")
    query, offsets = layout.pair_query, layout.pair_offsets
    share = np.exp(node - highest_of(node, offsets)[query])
    share /= sum_of(share, offsets)[query]
    pairs = runs(offsets[:-1][queries], layout.query_sizes[queries])
    row = np.repeat(np.arange(len(queries)), layout.query_sizes[queries])
    shape = (len(queries), len(layout.owner))
    return sp.csr_matrix((share[pairs].astype(np.float32), (row, layout.pair_sentence[pairs])), shape=shape)
