"""A second scorer, on embeddings: what sentences mean rather than which words they contain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.array_types import Floats
from assay.errors import AssayError, InputError
from assay.pipeline.models.model_files import STATIC, ModelSettings, folder_of, identity, need, record
from assay.pipeline.models.model_hashes import digest_of
from assay.pipeline.models.pair_products import dense_products
from assay.pipeline.models.static_embeddings import FILES
from assay.pipeline.regressions.own_models import OwnModels, ScorerSettings, pair_items, ranked_criteria
from assay.pipeline.settings import setting
from assay.pipeline.stage import Learns, Stage
from assay.pipeline.views import Columns, Labelled, Unlabelled


@dataclass(frozen=True, slots=True)
class EmbeddingSettings(ModelSettings):
    """`source`: "static" for the vectors of wordllama, or a model. `strength` is higher than the
    scorer's: vectors of length 1 need a weaker penalty than TF-IDF.
    """

    source: str = setting(STATIC)
    strength: float = setting(50.0, low=1e-6, high=1e6)
    iterations: int = setting(100, low=1)


class EmbeddingScorer(Stage):
    """One logistic regression per criterion on the sentence embedding, and a cosine.

    dense_score = w·e + b with e of length 1 (the mean of static token vectors, or the output of the
    model in `source`), fitted like the scorer; semantic = e · q with q the embedding of the
    criterion's text. For a criterion without its own model, both are the semantic score.
    """

    name = "embedding"
    gives = ("dense_score", "semantic")
    learns = Learns.TRAIN
    settings_type = EmbeddingSettings
    settings: EmbeddingSettings

    def ready(self) -> None:
        """Check that the model exists, if one is named, and is the one that was pinned."""
        if self.settings.source != STATIC:
            need()
            folder_of(self.settings, self.name)
        elif self.settings.sha256 not in ("", digest_of(FILES)):
            problem = f"sha256 differs from that of the static vectors, {digest_of(FILES)}"
            raise InputError.of(f"[{self.name}]", problem, "use that value, or leave it out")

    def describe(self) -> dict[str, Any]:
        """Return also the hashes of the model's files."""
        if self.settings.source == STATIC:
            return super().describe()
        return {**super().describe(), "model": identity(self.settings, self.name)}

    def model(self) -> dict[str, Any]:
        """Return the source and file hashes; static vectors are checked when they are read."""
        if self.settings.source == STATIC:
            return {"source": STATIC, "sha256": digest_of(FILES), "files": dict(FILES)}
        return record(self.settings, self.name)

    def fit(self, labelled: Labelled) -> None:
        """Fit one regression for each criterion with enough evidence."""
        told = ScorerSettings(self.settings.strength, iterations=self.settings.iterations, contrast=0.0)
        self._models, view = OwnModels(told), labelled.view
        self._models.fit(pair_items(view), labelled.gold, ranked_criteria(labelled), dense_of(view)[0])

    def apply(self, view: Unlabelled) -> Columns:
        """Return both scores of every pair."""
        dense, asked = dense_of(view)
        semantic = dense_products(dense, asked, view.layout)
        return {
            "dense_score": self._models.fill(pair_items(view), dense, semantic.copy()),
            "semantic": semantic,
        }


def dense_of(view: Unlabelled) -> tuple[Floats, Floats]:
    """Return the embeddings of a view's sentences and criteria."""
    tokens = view.tokens
    if tokens.dense is None or tokens.query_dense is None:
        raise AssayError("the view has no embeddings; add the stage 'embedding'")
    return tokens.dense, np.asarray(tokens.query_dense)
