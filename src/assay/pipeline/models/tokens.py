"""Token counts of sentences and criteria: words, and characters within words.

A count depends only on its own sentence, so nothing is fitted here. What a stage learns from
texts (which tokens exist, how rare they are) it learns from TRAIN.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.array_types import Floats, Ints
from assay.pipeline.models.extras import extra, sklearn
from assay.pipeline.models.vector_cache import Vectors

sp = extra("scipy.sparse")

WORDS = r"(?u)\b\w+\b"
Matrix = Any  # scipy.sparse.csr_matrix: SciPy has no types


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """Sentences and criteria verbatim, and the folder in which model outputs are cached."""

    sentences: NDArray[np.object_]
    criteria: tuple[str, ...]
    vectors: Vectors


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """Counts of word n-grams (n = 1, 2) and of character n-grams (n = 3 … 5)."""

    words: Matrix
    chars: Matrix
    query_words: Matrix  # of the criteria's texts
    query_chars: Matrix
    single: Ints  # columns of `words` that are single words
    dense: Floats | None = None  # an embedding of each sentence
    query_dense: Floats | None = None
    texts: Texts | None = None  # if a stage reads them

    def take(self, rows: Ints) -> Tokens:
        """Return some of the sentences and all criteria."""
        dense = None if self.dense is None else self.dense[rows]
        texts = self.texts
        if texts is not None:
            texts = replace(texts, sentences=texts.sentences[rows])
        return Tokens(
            self.words[rows],
            self.chars[rows],
            self.query_words,
            self.query_chars,
            self.single,
            dense,
            self.query_dense,
            texts,
        )


def tokens_of(sentences: Sequence[str], criteria: Sequence[str]) -> Tokens:
    """Count the tokens of all sentences and criteria."""
    vectorizer = sklearn("feature_extraction.text").CountVectorizer
    word = vectorizer(ngram_range=(1, 2), token_pattern=WORDS, dtype=np.float32)
    char = vectorizer(analyzer="char_wb", ngram_range=(3, 5), dtype=np.float32)
    texts = [*sentences, *criteria]
    words, chars = _counts(word, texts), _counts(char, texts)
    names = word.get_feature_names_out() if words.shape[1] else np.array([], dtype=str)
    single = np.flatnonzero([" " not in name for name in names])
    n = len(sentences)
    return Tokens(words[:n], chars[:n], words[n:], chars[n:], single)


def _counts(vectorizer: Any, texts: Sequence[str]) -> Matrix:
    try:
        return vectorizer.fit_transform(texts).tocsr()
    except ValueError:  # no text has any token
        return sp.csr_matrix((len(texts), 0), dtype=np.float32)


class Weights:
    """TF-IDF: (1 + ln tf) · (ln((1 + n) / (1 + df)) + 1), rows of length 1.

    Tokens in fewer than `least` of the n sentences it was made from have no weight.
    """

    def __init__(self, counts: Matrix, least: int = 2) -> None:
        df = np.bincount(counts.indices, minlength=counts.shape[1])
        self.kept = np.flatnonzero(df >= least)
        self.idf = (np.log((1 + counts.shape[0]) / (1 + df[self.kept])) + 1).astype(np.float32)

    def __call__(self, counts: Matrix) -> Matrix:
        """Return weighted rows."""
        chosen = counts[:, self.kept].tocsr()
        data = (1 + np.log(chosen.data)) * self.idf[chosen.indices]
        weighted = sp.csr_matrix((data, chosen.indices, chosen.indptr), shape=chosen.shape)
        length = np.sqrt(np.asarray(weighted.multiply(weighted).sum(axis=1)).ravel())
        length[length == 0] = 1
        return (sp.diags((1 / length).astype(np.float32)) @ weighted).tocsr()


def arrays_of(tokens: Tokens) -> dict[str, Any]:
    """Return plain arrays, to be stored in a file."""
    out: dict[str, Any] = {"single": tokens.single}
    for name in ("words", "chars", "query_words", "query_chars"):
        matrix = getattr(tokens, name)
        out |= {
            f"{name}.data": matrix.data,
            f"{name}.indices": matrix.indices,
            f"{name}.indptr": matrix.indptr,
            f"{name}.shape": np.array(matrix.shape),
        }
    for name in ("dense", "query_dense"):
        if getattr(tokens, name) is not None:
            out[name] = getattr(tokens, name)
    return out


def tokens_from(arrays: Mapping[str, Any]) -> Tokens:
    """Return the tokens in such arrays."""
    parts = {
        name: sp.csr_matrix(
            (arrays[f"{name}.data"], arrays[f"{name}.indices"], arrays[f"{name}.indptr"]),
            shape=tuple(arrays[f"{name}.shape"]),
        )
        for name in ("words", "chars", "query_words", "query_chars")
    }
    return Tokens(
        **parts, single=arrays["single"], dense=arrays.get("dense"), query_dense=arrays.get("query_dense")
    )
