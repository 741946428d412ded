"""Token counts of sentences, posts and criteria: words, and characters within words.

Counts are made once per corpus, and all folds and processes share them. What a stage learns from
texts (which tokens exist, how rare they are) it learns from TRAIN.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assay.array_types import Floats, Ints
from assay.pipeline.models.extras import extra, sklearn
from assay.pipeline.models.token_counts import Matrix, WordColumns, Words, char_counts, summed
from assay.pipeline.models.vector_cache import Vectors

sp = extra("scipy.sparse")

LEAST = 2
"""Texts from which a word pair or a character n-gram is counted, unless a stage asks for more."""

ENTRIES = 250_000
"""Counts weighted at once."""


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """Sentences and criteria verbatim, and the folder in which model outputs are cached."""

    sentences: NDArray[np.object_]
    criteria: tuple[str, ...]
    vectors: Vectors


class Counts:
    """The counts of a whole corpus in plain arrays, which may be pages of a file."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self.arrays = arrays

    def rows(self, name: str, rows: Ints | None) -> Matrix:
        """Return some rows of a matrix, or all of them."""
        whole = self._matrix(name)
        made = whole if rows is None else whole[rows]
        return sp.csr_matrix((made.data.astype(np.float32), made.indices, made.indptr), shape=made.shape)

    def _matrix(self, name: str) -> Matrix:
        parts = (self.arrays[f"{name}.{part}"] for part in ("data", "indices", "indptr"))
        return sp.csr_matrix(tuple(parts), shape=tuple(self.arrays[f"{name}.shape"]))


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """Counts of word n-grams (n = 1, 2) and of character n-grams (n = 3 … 5), for some posts.

    A matrix is cut out of those of the whole corpus whenever it is asked for.
    """

    counts: Counts
    dense: Floats | None = None  # an embedding of each sentence
    query_dense: Floats | None = None
    texts: Texts | None = None  # if a stage reads them
    sentences: Ints | None = None  # which ones of the corpus; None: all
    posts: Ints | None = None

    @property
    def words(self) -> Matrix:
        """Return the counts of words and word pairs of each sentence."""
        return self.counts.rows("words", self.sentences)

    @property
    def chars(self) -> Matrix:
        """Return the counts of character n-grams of each sentence."""
        return self.counts.rows("chars", self.sentences)

    @property
    def query_words(self) -> Matrix:
        """Return the counts of words and word pairs of each criterion."""
        return self.counts.rows("query_words", None)

    @property
    def query_chars(self) -> Matrix:
        """Return the counts of character n-grams of each criterion."""
        return self.counts.rows("query_chars", None)

    @property
    def post_words(self) -> Matrix:
        """Return the counts of words and word pairs of each post."""
        return self.counts.rows("post_words", self.posts)

    @property
    def post_chars(self) -> Matrix:
        """Return the counts of character n-grams of each post."""
        return self.counts.rows("post_chars", self.posts)

    @property
    def single(self) -> Ints:
        """Return the columns of `words` that are single words."""
        return np.asarray(self.counts.arrays["single"])

    @property
    def lengths(self) -> NDArray[np.float32]:
        """Return the number of words and word pairs of each sentence."""
        whole = np.asarray(self.counts.arrays["lengths"])
        return whole if self.sentences is None else whole[self.sentences]

    def take(self, sentences: Ints, posts: Ints) -> Tokens:
        """Return some of the sentences, of some of the posts, and all criteria."""
        texts = self.texts
        if texts is not None:
            texts = replace(texts, sentences=texts.sentences[sentences])
        return replace(
            self,
            dense=None if self.dense is None else self.dense[sentences],
            texts=texts,
            sentences=sentences if self.sentences is None else self.sentences[sentences],
            posts=posts if self.posts is None else self.posts[posts],
        )


def count_tokens(
    sentences: pl.Series, criteria: pl.Series, offsets: Ints, *, chars: bool, least: int = LEAST
) -> dict[str, NDArray[Any]]:
    """Return the counts of all sentences, posts and criteria as plain arrays.

    Parameters
    ----------
    sentences, criteria
        Their texts.
    offsets
        The sentences of post i are offsets[i] … offsets[i+1]-1.
    chars
        Whether to count character n-grams, and whole posts.
    least
        Texts in which a word pair or a character n-gram must occur.

    """
    sklearn()  # later stages need it: if it is missing, say so before the work starts
    texts, n = pl.concat([sentences.alias(""), criteria.alias("")]), len(sentences)
    split = Words.of(texts)
    columns = WordColumns.of(split, least)
    words = columns.counts()
    size = np.diff(split.offsets[: n + 1])
    out = {"single": columns.single(), "lengths": (size + np.maximum(size - 1, 0)).astype(np.float32)}
    letters = char_counts(texts, least) if chars else sp.csr_matrix((len(texts), 0), dtype=np.uint8)
    made = {"words": words[:n], "chars": letters[:n], "query_words": words[n:], "query_chars": letters[n:]}
    if chars:
        made |= {f"post_{name}": summed(made[name], offsets) for name in ("words", "chars")}
    for name, matrix in made.items():
        parts = {"data": matrix.data, "indices": matrix.indices, "indptr": matrix.indptr}
        out |= {f"{name}.{part}": values for part, values in parts.items()}
        out[f"{name}.shape"] = np.array(matrix.shape)
    return out


def word_names(texts: pl.Series, least: int = LEAST) -> list[str]:
    """Return the words and word pairs behind the columns of `Tokens.words` of the same texts."""
    return WordColumns.of(Words.of(texts), least).names()


class Weights:
    """TF-IDF: (1 + ln tf) · (ln((1 + n) / (1 + df)) + 1), rows of length 1.

    Tokens in fewer than `least` of the n texts it was made from have no weight.
    """

    def __init__(self, counts: Matrix, least: int = LEAST) -> None:
        df = np.bincount(counts.indices, minlength=counts.shape[1])
        self.kept = np.flatnonzero(df >= least)
        self.idf = (np.log((1 + counts.shape[0]) / (1 + df[self.kept])) + 1).astype(np.float32)
        self._place = np.full(counts.shape[1], -1, dtype=np.int32)
        self._place[self.kept] = np.arange(len(self.kept))

    def __call__(self, counts: Matrix) -> Matrix:
        """Return weighted rows."""
        data = np.empty(counts.nnz, dtype=np.float32)
        column = np.empty(counts.nnz, dtype=np.int32)
        begins = np.zeros(counts.shape[0] + 1, dtype=counts.indptr.dtype)
        for rows in _blocks(counts.indptr):
            block = counts[rows]
            place = self._place[block.indices]
            known = place >= 0
            size = _row_sums(known, block.indptr, np.int64)
            ends = begins[rows.start] + np.cumsum(size)
            begins[rows.start + 1 : rows.stop + 1] = ends
            made = slice(begins[rows.start], begins[rows.stop])
            column[made], data[made] = place[known], self._weighted(block.data[known], place[known], size)
        for each in (data, column):
            each.resize(int(begins[-1]), refcheck=False)
        return sp.csr_matrix((data, column, begins), shape=(counts.shape[0], len(self.kept)))

    def _weighted(self, counts: NDArray[Any], column: Ints, size: Ints) -> NDArray[Any]:
        data: NDArray[Any] = (np.log(counts) + 1) * self.idf[column]
        begins = np.concatenate([[0], np.cumsum(size)])
        length = np.sqrt(_row_sums(data * data, begins, np.float32))
        length[length == 0] = 1
        data *= np.repeat((1 / length).astype(np.float32), size)
        return data


def side_by_side(parts: Sequence[Matrix]) -> Matrix:
    """Return matrices side by side, made from some rows at a time: SciPy holds everything twice."""
    begins = sum(each.indptr.astype(np.int64) for each in parts)
    kind = np.int32 if begins[-1] < np.iinfo(np.int32).max else np.int64
    data, column = np.empty(begins[-1], dtype=np.float32), np.empty(begins[-1], dtype=kind)
    for rows in _blocks(begins):
        block = sp.hstack([each[rows] for each in parts], format="csr")
        made = slice(begins[rows.start], begins[rows.stop])
        data[made], column[made] = block.data, block.indices
    shape = (len(begins) - 1, sum(each.shape[1] for each in parts))
    return sp.csr_matrix((data, column, begins.astype(kind)), shape=shape)


def _blocks(offsets: NDArray[Any]) -> Iterator[slice]:
    """Yield rows in blocks of about `ENTRIES` entries, at least one row each."""
    begin, rows, offsets = 0, len(offsets) - 1, offsets.astype(np.int64)  # sums may exceed 32 bits
    while begin < rows:
        end = int(np.searchsorted(offsets, offsets[begin] + ENTRIES, side="right")) - 1
        yield slice(begin, max(end, begin + 1))
        begin = max(end, begin + 1)


def _row_sums(values: NDArray[Any], indptr: NDArray[Any], kind: type[np.generic]) -> NDArray[Any]:
    """Return the sum over the values of each row; 0 for rows without any."""
    filled, out = np.flatnonzero(np.diff(indptr)), np.zeros(len(indptr) - 1, dtype=kind)
    if len(filled):
        out[filled] = np.add.reduceat(values, indptr[filled], dtype=kind)
    return out
