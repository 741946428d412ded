"""How well a candidate sentence covers each word of the query's question; nothing is fitted here.

Pairs are grouped by query. A pair has one element per word of its question, so an idf learnt from
TRAIN later weighs the elements without another look at the texts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.array_types import Codes, Ints
from assay.pipeline.matching.pairs import Pairs
from assay.pipeline.matching.word_arrays import BUCKETS, CAPITAL, FIRST, NUMBER, Surface, Vocabulary, ragged
from assay.pipeline.models.extras import extra

sp = extra("scipy.sparse")

CELLS = 120_000  # question words × sentence words compared at once
LARGEST = 255


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """Per pair and question word, how often or how closely the sentence has it.

    The elements of pair i are those from `offsets[i]` to `offsets[i + 1]`, one per word of the
    question. Counts are cut at 255; similarities are 255 times a value between 0 and 1.

    Attributes
    ----------
    offsets
        One more than pairs.
    exact, stem
        Number of occurrences of the word, and of words with its stem.
    bigram
        Number of occurrences of its stem directly followed by that of the next word.
    gram
        The largest Dice coefficient of its character trigrams and those of a word.
    vector
        The largest cosine of its static embedding and that of a word; 0 without embeddings.
    new_words, new_numbers, new_names
        Per pair, words of the sentence whose stem is not in the question: all of them, numbers,
        and capitalised ones that do not begin it.

    """

    offsets: Ints
    exact: Codes
    stem: Codes
    bigram: Codes
    gram: Codes
    vector: Codes
    new_words: NDArray[np.uint16]
    new_numbers: NDArray[np.uint16]
    new_names: NDArray[np.uint16]

    def take(self, pairs: Ints) -> Alignment:
        """Return the alignments of some pairs."""
        at, offsets = ragged(self.offsets, pairs)
        parts = {
            field.name: getattr(self, field.name)[pairs if field.name.startswith("new") else at]
            for field in fields(self)[1:]
        }
        return Alignment(offsets, **parts)


def align(sentences: Surface, criteria: Surface, vocabulary: Vocabulary, pairs: Pairs) -> Alignment:
    """Compare the words of every pair.

    Parameters
    ----------
    sentences, criteria
        Their words.
    vocabulary
        Facts about the words.
    pairs
        Which sentences are candidates of which query.

    Returns
    -------
    Alignment
        In the order of the pairs. The time grows with pairs × question words × sentence words,
        the memory with pairs × question words.

    """
    words = criteria.lengths[pairs.criterion]
    per_pair = np.repeat(words, np.diff(pairs.offsets))
    offsets = np.concatenate([[0], np.cumsum(per_pair)]).astype(np.int64)
    made: dict[str, Any] = {
        name: np.zeros(offsets[-1], dtype=np.uint8) for name in ("exact", "stem", "bigram", "gram", "vector")
    }
    made |= {
        name: np.zeros(len(pairs), dtype=np.uint16) for name in ("new_words", "new_numbers", "new_names")
    }
    out = Alignment(offsets, **made)
    grams = _gram_matrix(vocabulary)
    for queries in _blocks(sentences, words, pairs):
        _fill(out, _Block(sentences, criteria, pairs, queries), vocabulary, grams)
    return out


def _blocks(sentences: Surface, words: Ints, pairs: Pairs) -> Iterator[Ints]:
    """Yield queries whose words are compared at once: neighbours, few enough for the memory."""
    begins, sizes = pairs.offsets[:-1], np.diff(pairs.offsets)
    used = np.flatnonzero((sizes > 0) & (words > 0))
    first, last = pairs.sentence[begins[used]], pairs.sentence[begins[used] + sizes[used] - 1]
    used = used[np.lexsort((last, first))]
    along = np.concatenate([[0], np.cumsum(sentences.lengths[pairs.sentence])])
    width = (along[pairs.offsets[1:]] - along[begins])[used].tolist()
    first = pairs.sentence[begins[used]].tolist()
    height, begin, rows, columns = words[used].tolist(), 0, 0, 0
    for at in range(len(used)):
        new = width[at] if at == begin or first[at] != first[at - 1] else 0
        if at > begin and (rows + height[at]) * (columns + new) > CELLS:
            yield used[begin:at]
            begin, rows, columns, new = at, 0, 0, width[at]
        rows, columns = rows + height[at], columns + new
    if begin < len(used):
        yield used[begin:]


class _Block:
    """The words of some queries and of their candidates."""

    def __init__(self, sentences: Surface, criteria: Surface, pairs: Pairs, queries: Ints) -> None:
        self.pairs, starts = ragged(pairs.offsets, queries)
        local = np.repeat(np.arange(len(queries)), np.diff(starts))
        texts, column = np.unique(pairs.sentence[self.pairs], return_inverse=True)
        self.asked = criteria.take(pairs.criterion[queries])
        self.said = sentences.take(texts)
        self.cell = (local, column)  # of each pair among queries × sentences
        # Elements: those of pair i are the words of its query in the column of its sentence.
        at, begins = ragged(self.asked.offsets, local)
        self.word, self.column = at, np.repeat(column, np.diff(begins))


def _fill(out: Alignment, block: _Block, vocabulary: Vocabulary, grams: Any) -> None:
    """Compute all parts of a block."""
    asked, said = block.asked, block.said
    where, _ = ragged(out.offsets, block.pairs)
    if not len(said.ids):
        return
    stems, other = vocabulary.stems[asked.ids], vocabulary.stems[said.ids]
    equal = stems[:, None] == other[None, :]
    follows = np.zeros_like(equal)
    follows[:-1, :-1] = equal[:-1, :-1] & equal[1:, 1:]
    follows[:, said.offsets[1:-1][said.offsets[1:-1] > 0] - 1] = False
    follows[asked.offsets[1:-1] - 1] = False

    def put(into: Codes, cells: NDArray[Any], reduce: np.ufunc, scale: float = 1.0) -> None:
        best = _reduced(reduce, cells, said.offsets) * scale
        into[where] = np.clip(best, 0, LARGEST).astype(np.uint8)[block.word, block.column]

    put(out.exact, (asked.ids[:, None] == said.ids[None, :]).astype(np.uint8), np.add)
    put(out.stem, equal.astype(np.uint8), np.add)
    put(out.bigram, follows.astype(np.uint8), np.add)
    rows, row = np.unique(asked.ids, return_inverse=True)
    columns, column = np.unique(said.ids, return_inverse=True)
    put(out.gram, _dice(grams, rows, columns)[row][:, column], np.maximum, LARGEST)
    if vocabulary.vectors is not None:
        left, right = vocabulary.vectors[rows], vocabulary.vectors[columns]
        near = left.astype(np.float32) @ right.astype(np.float32).T
        put(out.vector, near[row][:, column], np.maximum, LARGEST)
    unseen = ~_reduced(np.logical_or, equal.T, asked.offsets).T  # queries × sentence words
    names = (said.flags & (CAPITAL | FIRST)) == CAPITAL
    for into, kept in (
        (out.new_words, np.ones(len(names), dtype=bool)),
        (out.new_numbers, (said.flags & NUMBER) > 0),
        (out.new_names, names),
    ):
        counts = _reduced(np.add, (unseen & kept).astype(np.uint16), said.offsets)
        into[block.pairs] = counts[block.cell]


def _reduced(reduce: np.ufunc, cells: NDArray[Any], offsets: Ints) -> NDArray[Any]:
    """Reduce the columns of each text to one; texts without words get 0."""
    filled = np.flatnonzero(np.diff(offsets) > 0)
    out = np.zeros((len(cells), len(offsets) - 1), dtype=cells.dtype)
    out[:, filled] = reduce.reduceat(cells, offsets[filled], axis=1, dtype=cells.dtype)
    return out


def _gram_matrix(vocabulary: Vocabulary) -> Any:
    ones = np.ones(len(vocabulary.grams), dtype=np.float32)
    shape = (len(vocabulary), BUCKETS)
    return sp.csr_matrix((ones, vocabulary.grams, vocabulary.gram_offsets), shape=shape)


def _dice(grams: Any, rows: NDArray[np.int32], columns: NDArray[np.int32]) -> NDArray[Any]:
    """Return 2·|A ∩ B| / (|A| + |B|) of the trigrams of words."""
    left, right = grams[rows], grams[columns]
    shared = (left @ right.T).toarray()
    return np.asarray(2 * shared / (np.diff(left.indptr)[:, None] + np.diff(right.indptr)[None, :]))
