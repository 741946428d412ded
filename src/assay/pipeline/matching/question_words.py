"""Two small logistic regressions on hashed words of questions, fitted on TRAIN.

`wording` tells questions with evidence from those without by their text alone. `answer kind` tells
from how a question begins and ends what its evidence contains: numbers, names, or certain words.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.array_types import Bools, Floats, Ints
from assay.pipeline.matching.pairs import Pairs
from assay.pipeline.matching.word_arrays import QUOTED, Surface, Vocabulary, ragged
from assay.pipeline.matching.word_coverage import Alignment
from assay.pipeline.models.extras import extra
from assay.pipeline.regressions.logistic_regression import Logistic, fit_logistic

sp = extra("scipy.sparse")

BUCKETS = 1 << 14
FREQUENT = 100  # words of sentences that are crossed with the question
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)

Hashes = NDArray[np.uint64]


class HashedLogistic:
    """Logistic regression that is 0 everywhere if TRAIN has one class only."""

    def __init__(self, features: Any, gold: Bools, strength: float) -> None:
        self._model: Logistic | None = None
        if gold.any() and not gold.all():
            self._model = fit_logistic(features, gold, strength, 1e-4, 60)

    def __call__(self, features: Any) -> Floats:
        """Return the log-odds of each row, the classes weighed equally."""
        zeros = np.zeros(features.shape[0])
        return zeros if self._model is None else self._model.decision_function(features)


def wording_features(criteria: Surface, vocabulary: Vocabulary) -> Any:
    """Return hashed words and word pairs of each criterion, rows of length 1."""
    words = vocabulary.hashes[criteria.ids]
    text = np.repeat(np.arange(len(criteria)), criteria.lengths)
    inside = text[1:] == text[:-1]
    pairs = _mixed(words[:-1], words[1:])[inside]
    return _matrix(np.concatenate([text, text[1:][inside]]), np.concatenate([words, pairs]), len(criteria))


def frequent_words(sentences: Surface, vocabulary: Vocabulary) -> Ints:
    """Return the most frequent words of TRAIN sentences, in the order of their hashes."""
    counts = np.bincount(sentences.ids, minlength=len(vocabulary))
    chosen = np.lexsort((vocabulary.hashes, -counts))[:FREQUENT]
    return np.sort(chosen[counts[chosen] > 0])


def kind_features(
    sentences: Surface,
    criteria: Surface,
    vocabulary: Vocabulary,
    pairs: Pairs,
    aligned: Alignment,
    words: Ints,
) -> Any:
    """Return hashed crossings of the question's first words with the sentence's contents."""
    said_row, said = _contents(sentences, vocabulary, words)
    order = np.argsort(said_row, kind="stable")
    edges = np.searchsorted(said_row[order], np.arange(len(sentences) + 1)).astype(np.int64)
    at, offsets = ragged(edges, pairs.sentence)
    row = np.repeat(np.arange(len(pairs)), np.diff(offsets))
    content = said[order][at]
    news = [row]
    found = [content]
    for salt, count in enumerate((aligned.new_numbers, aligned.new_names)):
        for least in (1, 3):
            kept = np.flatnonzero(count >= least)
            news.append(kept)
            found.append(np.full(len(kept), 10 * salt + least + 1000, dtype=np.uint64))
    rows, contents = np.concatenate(news), np.concatenate(found)
    begins = criteria.offsets[:-1][pairs.criterion]
    lengths = criteria.lengths[pairs.criterion]
    padded = np.append(vocabulary.hashes[criteria.ids], np.uint64(0))
    first = np.where(lengths > 0, padded[np.minimum(begins, len(padded) - 1)], np.uint64(0))
    second = np.where(lengths > 1, padded[np.minimum(begins + 1, len(padded) - 1)], np.uint64(0))
    query = pairs.query[rows]
    crossed = [_mixed(part[query], contents) for part in (first, _mixed(first, second))]
    return _matrix(np.concatenate([rows, rows]), np.concatenate(crossed), len(pairs))


def _contents(sentences: Surface, vocabulary: Vocabulary, words: Ints) -> tuple[Ints, Hashes]:
    """Return which frequent words and which quotations each sentence contains."""
    text = np.repeat(np.arange(len(sentences)), sentences.lengths)
    frequent = np.zeros(len(vocabulary), dtype=bool)
    frequent[words] = True
    kept = frequent[sentences.ids]
    quoted = np.unique(text[(sentences.flags & QUOTED) > 0])
    keys = np.unique(text[kept] * np.int64(len(vocabulary)) + sentences.ids[kept])
    rows, ids = np.divmod(keys, max(len(vocabulary), 1))
    mark = np.full(len(quoted), 7, dtype=np.uint64)
    return np.concatenate([rows, quoted]), np.concatenate([vocabulary.hashes[ids], mark])


def _mixed(left: Hashes, right: Hashes) -> Hashes:
    """Return a hash of two hashes that depends on their order."""
    return np.asarray((left * MULTIPLIER) ^ (right + (left >> np.uint64(29))), dtype=np.uint64)


def _matrix(rows: Ints, hashes: Hashes, count: int) -> Any:
    columns = ((hashes * MULTIPLIER) >> np.uint64(64 - 14)).astype(np.int64)
    ones = np.ones(len(rows), dtype=np.float32)
    made = sp.csr_matrix((ones, (rows, columns)), shape=(count, BUCKETS))
    made.data[:] = 1
    lengths = np.sqrt(np.maximum(np.diff(made.indptr), 1)).astype(np.float32)
    made.data /= np.repeat(lengths, np.diff(made.indptr))
    return made
