"""Stages of the extra `models`: a bi-encoder, late interaction and a cross-encoder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.pipeline.models.encoding import embedded, late, pair_scores, texts_of
from assay.pipeline.models.model_files import ModelSettings, folder_of, identity, need, record
from assay.pipeline.models.pair_products import dense_products
from assay.pipeline.query_arrays import ranks
from assay.pipeline.settings import setting
from assay.pipeline.stage import Stage
from assay.pipeline.views import Columns, Unlabelled


class ModelStage(Stage):
    """A stage that runs a model on texts; it learns nothing and sees no gold."""

    settings_type = ModelSettings
    settings: ModelSettings
    reads = True

    def ready(self) -> None:
        """Check that the extra is installed and the model exists."""
        need()
        folder_of(self.settings, self.name)

    def describe(self) -> dict[str, Any]:
        """Return also the hashes of the model's files."""
        return {**super().describe(), "model": identity(self.settings, self.name)}

    def model(self) -> dict[str, Any]:
        """Return the source and file hashes of the model."""
        return record(self.settings, self.name)


@dataclass(frozen=True, slots=True)
class BiEncoderSettings(ModelSettings):
    """`top`: how many sentences stay candidates; set it if there is no lexical retriever."""

    top: int | None = setting(None, low=1, optional=True)


class BiEncoder(ModelStage):
    """Semantic retriever: the cosine of a sentence and the text of the criterion.

    similarity = e(s) · e(c), where e is any sentence-transformers model with its vectors scaled to
    length 1 and separate prompts for both sides. With `top` it also sets the candidates: those
    with the highest similarity in their query.
    """

    name = "bi_encoder"
    gives: tuple[str, ...] = ("similarity",)
    ranks = "similarity"
    settings_type = BiEncoderSettings
    settings: BiEncoderSettings

    def __init__(self, settings: BiEncoderSettings | None = None, *, seed: int = 0) -> None:
        super().__init__(settings, seed=seed)
        if self.settings.top is not None:
            self.gives = (*self.gives, "candidate")

    def apply(self, view: Unlabelled) -> Columns:
        """Return the cosine of every pair."""
        dense, asked = embedded(self.settings, self.name, texts_of(view), view.layout.offsets)
        similarity = dense_products(dense, asked, view.layout)
        if self.settings.top is None:
            return {"similarity": similarity}
        kept = ranks(similarity, view.layout.pair_offsets) < self.settings.top
        return {"similarity": similarity, "candidate": kept.astype(np.float64)}


class LateInteraction(ModelStage):
    """Late interaction: each token of the criterion is matched with its best token of the sentence.

    late = 1/|c| · Σᵢ maxⱼ cᵢ · sⱼ over the tokens i of the criterion and j of the sentence
    (ColBERT's MaxSim, as a mean so that criteria of any length are comparable), with the token
    embeddings of any encoder, each of length 1, before pooling.
    """

    name = "late_interaction"
    gives = ("late",)
    ranks = "late"

    def apply(self, view: Unlabelled) -> Columns:
        """Return MaxSim of every pair."""
        return {"late": late(self.settings, self.name, texts_of(view), view.layout)}


@dataclass(frozen=True, slots=True)
class CrossEncoderSettings(ModelSettings):
    """`top`: how many sentences per query are scored, the best by the column `by`. `lists`: the
    model's own code reads all sentences of a query at once, with `rerank(query, documents)`.
    """

    top: int = setting(10, low=1)
    by: str = setting("score", choices=("score", "node", "bm25", "similarity", "late"))
    lists: bool = setting(False)


class CrossEncoder(ModelStage):
    """The reranker: a model that reads the criterion and a sentence together.

    rerank = f(c, s), before any sigmoid, for the `top` sentences of each query by the column `by`.
    The others follow in the order of that column, at the lowest score minus 1, 2, 3 ….
    """

    name = "cross_encoder"
    gives = ("rerank",)
    ranks = "rerank"
    settings_type = CrossEncoderSettings
    settings: CrossEncoderSettings

    def __init__(self, settings: CrossEncoderSettings | None = None, *, seed: int = 0) -> None:
        super().__init__(settings, seed=seed)
        self.needs = (self.settings.by,)

    def apply(self, view: Unlabelled) -> Columns:
        """Return the score of every pair."""
        layout, top = view.layout, self.settings.top
        place = ranks(view.column(self.settings.by), layout.pair_offsets)
        texts = texts_of(view)
        kept = np.flatnonzero(place < top)
        rows = np.split(kept, np.flatnonzero(np.diff(layout.pair_query[kept])) + 1)
        units = [
            (texts.criteria[layout.pair_criterion[own[0]]], *texts.sentences[layout.pair_sentence[own]])
            for own in rows
            if len(own)
        ]
        scores = pair_scores(self.settings, self.name, texts, units, lists=self.settings.lists)
        out = np.empty(view.pairs)
        lowest = np.array([float(each.min()) for each in scores])
        out[:] = lowest[layout.pair_query] + (top - 1 - place)
        if len(kept):
            out[kept] = np.concatenate(scores)
        return {"rerank": out}
