"""The lexical retriever: word overlap of a sentence and the text of a criterion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.array_types import Floats
from assay.data.bm25 import K1, B, inverse_document_frequency, saturated
from assay.pipeline.models.pair_products import sparse_products
from assay.pipeline.models.token_counts import Matrix
from assay.pipeline.models.tokens import Weights
from assay.pipeline.query_arrays import ranks
from assay.pipeline.settings import Settings, setting
from assay.pipeline.stage import Learns, Stage
from assay.pipeline.views import Columns, Unlabelled


@dataclass(frozen=True, slots=True)
class LexicalSettings(Settings):
    """`top`: how many sentences stay candidates, by BM25 and then TF-IDF; by default all."""

    k1: float = setting(K1, low=0)
    b: float = setting(B, low=0, high=1)
    top: int | None = setting(None, low=1, optional=True)


class Retriever(Stage):
    """BM25 and TF-IDF cosine of each sentence with the text of the criterion.

    BM25 = Σ over words of the criterion: idf · tf · (k1 + 1) / (tf + k1 · (1 − b + b · |s| / avg)),
    idf = ln(1 + (n − df + ½) / (df + ½)), with n, df and avg from the sentences of all TRAIN posts.
    The cosine is that of TF-IDF weights over words and word pairs, plus that of character n-grams
    (if some criterion is asked of several posts: otherwise they are not counted).
    """

    name = "lexical"
    gives = ("bm25", "cosine", "candidate")
    ranks = "bm25"
    learns = Learns.TEXTS
    by_post = True
    settings_type = LexicalSettings
    settings: LexicalSettings

    def fit(self, labelled: Unlabelled) -> None:
        """Learn document frequencies and the mean length of TRAIN sentences."""
        tokens = labelled.tokens
        words = tokens.words
        singles = words[:, tokens.single]
        df = np.bincount(singles.indices, minlength=singles.shape[1])
        n = singles.shape[0]
        self._idf = inverse_document_frequency(n, df)
        self._mean = max(float(singles.sum()) / max(n, 1), 1.0)
        self._words, self._chars = Weights(words), Weights(tokens.chars)

    def apply(self, view: Unlabelled) -> Columns:
        """Return both scores, and which sentences stay candidates."""
        tokens = view.tokens
        layout = view.layout
        words = tokens.words
        cosine = sparse_products(self._words(words), self._words(tokens.query_words), layout)
        cosine += sparse_products(self._chars(tokens.chars), self._chars(tokens.query_chars), layout)
        scores = {"bm25": self._bm25(view, words), "cosine": cosine}
        kept = np.ones(view.pairs)
        if self.settings.top is not None:
            joint = scores["bm25"] + 1e-6 * scores["cosine"]
            kept = (ranks(joint, layout.pair_offsets) < self.settings.top).astype(np.float64)
        return {**scores, "candidate": kept}

    def _bm25(self, view: Unlabelled, words: Matrix) -> Floats:
        tokens, k1, b = view.tokens, self.settings.k1, self.settings.b
        counts = words[:, tokens.single].tocsr().astype(np.float64)
        length = np.asarray(counts.sum(axis=1)).ravel()
        rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
        counts.data = saturated(counts.data, length[rows], self._mean, k1, b)
        counts.data *= self._idf[counts.indices]
        asked = tokens.query_words[:, tokens.single].astype(bool).astype(np.float64).tocsr()
        return sparse_products(counts, asked, view.layout)
