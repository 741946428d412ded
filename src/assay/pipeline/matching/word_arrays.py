"""The words of texts as plain arrays, and facts about each word; nothing is fitted here.

Sentences and criteria share a vocabulary. What a stage learns from texts (how rare a word is) it
learns from TRAIN.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assay.array_types import Ints
from assay.pipeline.matching.word_segmentation import segment
from assay.pipeline.models.static_embeddings import embed

NUMBER, WITH_DIGIT, CAPITAL, FIRST, QUOTED, ALL_CAPITALS = (1 << bit for bit in range(6))

STEM = 5  # letters that words of one stem share
GRAM = 3
BUCKETS = 1 << 20  # of character n-grams
DIMENSIONS = 128  # wordllama's vectors can be cut to their first dimensions
CHUNK = 20_000  # words embedded at once
TEXTS = 10_000  # split into words at once

Arrays = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """Facts about each distinct case-folded word.

    Attributes
    ----------
    hashes
        The first 64 bits of the word's BLAKE2b hash, the same in every corpus.
    stems
        Words with the same number share their first five letters, accents removed.
    grams, gram_offsets
        Buckets of the word's distinct character trigrams, from `gram_offsets[i]` to
        `gram_offsets[i + 1]`.
    vectors
        A static embedding of each word, of length 1, or None.

    """

    hashes: NDArray[np.uint64]
    stems: NDArray[np.int32]
    grams: NDArray[np.int32]
    gram_offsets: Ints
    vectors: NDArray[np.float16] | None = None

    def __len__(self) -> int:
        return len(self.hashes)


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """The words of some texts: of text i, those from `offsets[i]` to `offsets[i + 1]`.

    `flags` describe each occurrence as written, such as `CAPITAL | FIRST`.
    """

    ids: NDArray[np.int32]
    flags: NDArray[np.uint8]
    offsets: Ints

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> Ints:
        """Number of words per text."""
        return np.diff(self.offsets)

    def take(self, rows: Ints) -> Surface:
        """Return some of the texts, in this order."""
        at, offsets = ragged(self.offsets, rows)
        return Surface(self.ids[at], self.flags[at], offsets)


def ragged(offsets: Ints, rows: Ints) -> tuple[Ints, Ints]:
    """Return the positions of the elements of some rows of a ragged array, and the new offsets."""
    lengths = np.diff(offsets)[rows]
    made = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    at = np.arange(made[-1], dtype=np.int64) + np.repeat(offsets[:-1][rows] - made[:-1], lengths)
    return at, made


def surfaces_of(
    sentences: Sequence[str] | pl.Series, criteria: Sequence[str] | pl.Series, *, vectors: bool = True
) -> tuple[Surface, Surface, Vocabulary]:
    """Split sentences and criteria into words of a shared vocabulary.

    Parameters
    ----------
    sentences, criteria
        Texts in any language.
    vectors
        Whether to look up static embeddings of the words (package wordllama).

    Returns
    -------
    tuple
        The surface of the sentences, that of the criteria, and their vocabulary. Words are
        numbered in the order of their first occurrence.

    """
    raw: dict[str, int] = {}
    parts = [_numbered(texts, raw) for texts in _chunks(sentences, criteria)]
    codes, placed, lengths = (np.concatenate([part[at] for part in parts]) for at in range(3))
    folded: dict[str, int] = {}
    ids = np.fromiter(
        (folded.setdefault(unicodedata.normalize("NFKC", word).casefold(), len(folded)) for word in raw),
        np.int32,
        len(raw),
    )
    flags = np.fromiter((_flags(word) for word in raw), np.uint8, len(raw))
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    whole = Surface(ids[codes], flags[codes] | placed, offsets)
    n = len(sentences)
    rows = np.arange(len(whole))
    return whole.take(rows[:n]), whole.take(rows[n:]), _vocabulary(list(folded), vectors=vectors)


def _flags(word: str) -> int:
    """Return the flags that a word has wherever it stands."""
    digits = [character.isdigit() or character in ".," for character in word]
    capital = word[0].isupper() or word[0].istitle()
    found = NUMBER if all(digits) else 0
    found |= WITH_DIGIT if any(character.isdigit() for character in word) else 0
    found |= CAPITAL if capital else 0
    return found | (ALL_CAPITALS if capital and len(word) > 1 and word.isupper() else 0)


def _chunks(sentences: Sequence[str] | pl.Series, criteria: Sequence[str] | pl.Series) -> Iterator[list[str]]:
    """Yield some texts at a time; at least one list."""
    yield []
    for texts in (sentences, criteria):
        for begin in range(0, len(texts), TEXTS):
            part = texts[begin : begin + TEXTS]
            yield part.to_list() if isinstance(part, pl.Series) else list(part)


def _numbered(texts: list[str], raw: dict[str, int]) -> tuple[Arrays, Arrays, Arrays]:
    """Return the numbers of words as written, the flags of their places, and the words per text."""
    words = segment(texts)
    numbers = (raw.setdefault(word, len(raw)) for word in words.written)
    codes = np.fromiter(numbers, np.int32, len(words.written))
    first = np.zeros(len(codes) + 1, dtype=bool)
    first[words.offsets[:-1][np.diff(words.offsets) > 0]] = True
    placed = np.where(first[:-1], FIRST, 0) | np.where(words.quoted, QUOTED, 0)
    return codes, placed.astype(np.uint8), np.diff(words.offsets)


def _vocabulary(words: Sequence[str], *, vectors: bool) -> Vocabulary:
    stems: dict[str, int] = {}
    stem = np.fromiter((stems.setdefault(_bare(word)[:STEM], len(stems)) for word in words), np.int32)
    hashes = np.fromiter((_hash(word) for word in words), np.uint64)
    grams = [sorted({_bucket(gram) for gram in _grams(word)}) for word in words]
    offsets = np.concatenate([[0], np.cumsum([len(found) for found in grams])]).astype(np.int64)
    flat = np.fromiter((gram for found in grams for gram in found), np.int32, int(offsets[-1]))
    return Vocabulary(hashes, stem, flat, offsets, word_vectors(words) if vectors else None)


def word_vectors(words: Sequence[str]) -> NDArray[np.float16]:
    """Return a static embedding of each word, of length 1."""
    out = np.zeros((len(words), DIMENSIONS), dtype=np.float16)
    for begin in range(0, len(words), CHUNK):
        found = embed(words[begin : begin + CHUNK])[:, :DIMENSIONS]
        length = np.linalg.norm(found, axis=1, keepdims=True)
        out[begin : begin + CHUNK] = found / np.where(length > 0, length, 1)
    return out


def _bare(word: str) -> str:
    """Return a word without accents."""
    parts = unicodedata.normalize("NFD", word)
    bare = "".join(part for part in parts if unicodedata.category(part) != "Mn")
    return bare or word


def _grams(word: str) -> list[str]:
    padded = f"<{_bare(word)}>"
    return [padded[at : at + GRAM] for at in range(max(len(padded) - GRAM + 1, 1))]


def _hash(text: str) -> int:
    data = text.encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little")


def _bucket(gram: str) -> int:
    return _hash(gram) % BUCKETS


def arrays_of(surface: Surface) -> dict[str, Arrays]:
    """Return plain arrays, to be stored in a file."""
    return {"ids": surface.ids, "flags": surface.flags, "offsets": surface.offsets}


def surface_from(arrays: Mapping[str, Arrays]) -> Surface:
    """Return the surface in such arrays."""
    return Surface(arrays["ids"], arrays["flags"], arrays["offsets"])
