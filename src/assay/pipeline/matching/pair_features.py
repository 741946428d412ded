"""Features of (query, candidate) pairs that transfer between questions.

Rarity and mean length are learnt from the texts of TRAIN sentences; everything else is computed
from the pair, its neighbours and the other candidates of its query.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.array_types import Floats, Ints
from assay.pipeline.matching.pairs import Pairs, lead_of
from assay.pipeline.matching.word_arrays import CAPITAL, FIRST, QUOTED, WITH_DIGIT, Surface, Vocabulary
from assay.pipeline.matching.word_coverage import LARGEST, Alignment
from assay.pipeline.models.extras import extra as library

sp = library("scipy.sparse")

K1, B = 1.2, 0.75
ALSO = "also_"  # begins the names of further scores
ELEMENTS = 500_000  # weighed at once

OWN = (
    "bm25", "bm25_stem", "cover", "cover_stem", "cover_gram", "cover_vector", "cover_bigram", "cover_local",
    "cover_around", "cover_before", "cover_after", "cosine", "rarest_covered", "rarest_missing",
    "least_similar", "words_covered", "numbers_covered", "numbers_missing", "names_covered",
    "names_missing", "new_words", "new_numbers", "new_names", "quoted", "length", "position",
    "relative_position", "candidates",
)  # fmt: skip
RELATIVE = ("bm25_stem", "cover_stem", "cover_gram", "cover_vector", "cover_local", "cover_bigram", "cosine")
NEIGHBOURS = ("bm25_stem", "cover_vector")
NAMES = (
    *OWN,
    *(f"{name}_lead" for name in RELATIVE),
    *(f"{name}_over_mean" for name in RELATIVE),
    *(f"{name}_{side}" for name in NEIGHBOURS for side in ("previous", "next")),
)

Matrix = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class PairFeatures:
    """Rarity of words and stems, and the mean length of a sentence, learnt from TRAIN."""

    idf: Floats
    stem_idf: Floats  # per word of the vocabulary, of its stem
    mean_length: float

    @classmethod
    def fit(
        cls, sentences: Surface, vocabulary: Vocabulary, questions: Surface | None = None
    ) -> PairFeatures:
        """Count in how many TRAIN texts each word occurs: ln(1 + (n − df + ½) / (df + ½)).

        Questions count as texts, because words such as "who" are rare in sentences but tell nothing.
        """
        texts = sentences if questions is None else _joined(sentences, questions)
        n = len(texts)
        stems = int(vocabulary.stems.max(initial=-1)) + 1
        df = _document_frequency(texts, texts.ids, len(vocabulary))
        stem_df = _document_frequency(texts, vocabulary.stems[texts.ids], stems)
        mean = float(sentences.lengths.mean()) if len(sentences) else 1.0
        return cls(_idf(df, n), _idf(stem_df, n)[vocabulary.stems], max(mean, 1.0))

    def of(
        self,
        sentences: Surface,
        criteria: Surface,
        pairs: Pairs,
        alignment: Alignment,
        also: Mapping[str, Floats],
    ) -> tuple[Matrix, tuple[str, ...]]:
        """Return one row of features per pair, and their names.

        Parameters
        ----------
        sentences, criteria
            Their words.
        pairs
            Which sentences are candidates of which query.
        alignment
            Of these pairs.
        also
            Other scores of the pairs by name, such as the cosine of a sentence encoder. Each adds a
            column for itself and for its lead over the best other candidate.

        """
        names = (*NAMES, *(f"{ALSO}{name}{end}" for name in also for end in ("", "_lead")))
        out = np.zeros((len(pairs), len(names)), dtype=np.float32)
        column = {name: at for at, name in enumerate(names)}
        norms = np.sqrt(_per_text(sentences, self.stem_idf[sentences.ids] ** 2))
        quoted = _per_text(sentences, (sentences.flags & QUOTED) > 0)
        for begin, end in self._blocks(criteria, pairs):
            rows = slice(int(pairs.offsets[begin]), int(pairs.offsets[end]))
            part = pairs.take(np.arange(begin, end))
            aligned = alignment.take(np.arange(rows.start, rows.stop))
            own = self._own(criteria, part, aligned, sentences.lengths[part.sentence], norms[part.sentence])
            own["quoted"] = quoted[part.sentence]
            for name, score in also.items():
                own[f"{ALSO}{name}"] = score[rows]
                own[f"{ALSO}{name}_lead"] = lead_of(score[rows], part)
            for name, values in own.items():
                out[rows, column[name]] = values
        return out, names

    @staticmethod
    def _blocks(criteria: Surface, pairs: Pairs) -> Iterator[tuple[int, int]]:
        """Yield ranges of queries with a limited number of elements."""
        sizes = np.diff(pairs.offsets) * np.maximum(criteria.lengths[pairs.criterion], 1)
        block = np.cumsum(sizes) // ELEMENTS
        edges = [0, *(np.flatnonzero(np.diff(block)) + 1).tolist(), len(sizes)]
        yield from pairwise(edges)

    def _own(
        self, criteria: Surface, pairs: Pairs, aligned: Alignment, length: Ints, norm: Floats
    ) -> dict[str, Any]:
        """Return all columns of a block but those of further scores."""
        n = len(pairs)
        words = np.diff(aligned.offsets)
        pair = np.repeat(np.arange(n), words)
        within = np.arange(len(pair)) - np.repeat(aligned.offsets[:-1], words)
        at = np.repeat(criteria.offsets[:-1][pairs.criterion[pairs.query]], words) + within
        ids, flags = criteria.ids[at], criteria.flags[at]
        idf, weight = self.idf[ids], self.stem_idf[ids]
        total = np.maximum(np.bincount(pair, weight, n), 1e-9)
        has = aligned.stem > 0

        def share(values: Any) -> Floats:
            return np.asarray(np.bincount(pair, weight * values, n) / total)

        def count(values: Any) -> Floats:
            return np.bincount(pair, values, n).astype(np.float64)

        def largest(values: Any) -> Floats:
            made = np.zeros(n)
            np.maximum.at(made, pair, values)
            return made

        slow = K1 * (1 - B + B * length / self.mean_length)[pair]
        before, after = self._shifted(has, pairs, words, pair)
        word = np.repeat(np.cumsum(criteria.lengths[pairs.criterion]) - criteria.lengths[pairs.criterion],
                         np.diff(pairs.offsets))[pair] + within  # fmt: skip
        local = np.bincount(word, has)[word] if len(word) else np.zeros(0)
        size = np.diff(pairs.offsets)[pairs.query].astype(np.float64)
        rare = np.log(1 + size[pair]) - np.log(1 + local)
        similar = np.maximum(aligned.vector, aligned.gram) / LARGEST
        numbers, names = (flags & WITH_DIGIT) > 0, (flags & (CAPITAL | FIRST)) == CAPITAL
        tf, stem_tf = aligned.exact.astype(np.float64), aligned.stem.astype(np.float64)
        place = np.arange(n) - pairs.offsets[:-1][pairs.query]
        own: dict[str, Any] = {
            "bm25": count(idf * tf * (K1 + 1) / (tf + slow)),
            "bm25_stem": count(weight * stem_tf * (K1 + 1) / (stem_tf + slow)),
            "cover": share(aligned.exact > 0),
            "cover_stem": share(has),
            "cover_gram": share(aligned.gram / LARGEST),
            "cover_vector": share(aligned.vector / LARGEST),
            "cover_bigram": share(aligned.bigram > 0),
            "cover_local": share(has * rare),
            "cover_around": share(has | before | after),
            "cover_before": share(has | before),
            "cover_after": share(has | after),
            "cosine": count(weight**2 * stem_tf) / (np.sqrt(count(weight**2)) * norm + 1e-9),
            "rarest_covered": largest(weight * has),
            "rarest_missing": largest(weight * ~has),
            "least_similar": largest(weight * (1 - similar)),
            "words_covered": count(has),
            "numbers_covered": count(numbers & has),
            "numbers_missing": count(numbers & ~has),
            "names_covered": count(names & has),
            "names_missing": count(names & ~has),
            "new_words": aligned.new_words,
            "new_numbers": aligned.new_numbers,
            "new_names": aligned.new_names,
            "length": length,
            "position": place,
            "relative_position": (place + 0.5) / size,
            "candidates": size,
        }
        for name in RELATIVE:
            own[f"{name}_lead"] = lead_of(own[name], pairs)
            mean = np.bincount(pairs.query, own[name], len(pairs.criterion)) / np.diff(pairs.offsets).clip(1)
            own[f"{name}_over_mean"] = own[name] - mean[pairs.query]
        for name in NEIGHBOURS:
            own[f"{name}_previous"] = np.where(place > 0, np.roll(own[name], 1), 0)
            own[f"{name}_next"] = np.where(place < size - 1, np.roll(own[name], -1), 0)
        return own

    @staticmethod
    def _shifted(has: Any, pairs: Pairs, words: Ints, pair: Ints) -> tuple[Any, Any]:
        """Return whether the previous and the next candidate have each word."""
        place = np.arange(len(pairs)) - pairs.offsets[:-1][pairs.query]
        left = np.diff(pairs.offsets)[pairs.query] - 1 - place
        at, step = np.arange(len(has)), words[pair]
        before = (place[pair] > 0) & has[np.maximum(at - step, 0)] if len(has) else has
        after = (left[pair] > 0) & has[np.minimum(at + step, len(has) - 1)] if len(has) else has
        return before, after


def _per_text(texts: Surface, values: NDArray[Any]) -> Floats:
    """Sum values of words per text."""
    text = np.repeat(np.arange(len(texts)), texts.lengths)
    return np.asarray(np.bincount(text, values, len(texts)), dtype=np.float64)


def _joined(one: Surface, other: Surface) -> Surface:
    ids, flags = (np.concatenate([getattr(one, name), getattr(other, name)]) for name in ("ids", "flags"))
    return Surface(ids, flags, np.concatenate([one.offsets, one.offsets[-1] + other.offsets[1:]]))


def _document_frequency(texts: Surface, ids: NDArray[np.int32], size: int) -> Ints:
    """Count the texts that contain each of `size` words or stems."""
    ones = np.ones(len(ids), dtype=bool)
    counts = sp.csr_matrix((ones, ids.copy(), texts.offsets), shape=(len(texts), size))
    counts.sum_duplicates()  # within a text
    return np.bincount(counts.indices, minlength=size)


def _idf(df: Ints, n: int) -> Floats:
    return np.asarray(np.log1p((n - df + 0.5) / (df + 0.5)))
