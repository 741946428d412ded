"""Find an annotated text among the sentences of its post, whatever its whitespace and quotes."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from difflib import SequenceMatcher

QUOTES = str.maketrans({**dict.fromkeys("‘’‚‛`´′", "'"), **dict.fromkeys("“”„‟«»″", '"')})
FINAL = " .,;:!?…'\"-–—"
"""Marks at the end of a sentence that annotators drop or add."""


def normal(text: str) -> str:
    """Return the text with one kind of quotes, single spaces and no final punctuation."""
    plain = unicodedata.normalize("NFKC", text.translate(QUOTES)).translate(QUOTES)
    return " ".join(plain.split()).rstrip(FINAL)


def places(sentences: Sequence[str], index: int, text: str) -> list[int]:
    """Return where normalised text occurs: at its index, else anywhere, else across sentences.

    `sentences` are normalised too. The list is empty if the text is not part of the post.
    """
    if not text:
        return []
    if index < len(sentences) and sentences[index] == text:
        return [index]
    if text in sentences:
        return [sentences.index(text)]
    joined, spans = "", []
    for sentence in sentences:
        spans.append((len(joined), len(joined) + len(sentence)))
        joined += sentence + " "
    begin = joined.find(text)
    if begin < 0:
        return _across(sentences, text)
    end = begin + len(text)
    return [at for at, (low, high) in enumerate(spans) if low < end and begin < high]


def _across(sentences: Sequence[str], text: str) -> list[int]:
    """Return the run of sentences whose letters and digits contain those of the text.

    A text across sentences keeps the punctuation between them, which `normal` removed.
    """
    letters = ["".join(filter(str.isalnum, sentence)) for sentence in sentences]
    wanted = "".join(filter(str.isalnum, text))
    begin = "".join(letters).find(wanted) if wanted else -1
    if begin < 0 or " " not in text:
        return []
    found, start = [], 0
    for at, part in enumerate(letters):
        if start < begin + len(wanted) and begin < start + len(part):
            found.append(at)
        start += len(part)
    return found


def nearest(sentences: Sequence[str], text: str) -> tuple[int, float] | None:
    """Return the sentence most similar to the text, and the share of words in common."""
    words = text.split()
    scored = [
        (SequenceMatcher(None, words, sentence.split(), autojunk=False).ratio(), -at)
        for at, sentence in enumerate(sentences)
    ]
    if not scored:
        return None
    share, at = max(scored)
    return -at, share
