"""Split text into sentences, with their positions."""

from __future__ import annotations

from dataclasses import dataclass

from assay.errors import MissingExtraError


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence without surrounding whitespace, and its position in the text."""

    text: str
    start: int
    end: int


def sentences_of(text: str, language: str = "en") -> list[Sentence]:
    """Return the sentences of a text by the rules of sentencex; none if it is blank."""
    try:
        from sentencex import segment
    except ImportError:
        raise MissingExtraError.of("sentencex", "pipeline") from None
    found, at = [], 0
    for piece in segment(language, text):
        bare = piece.strip()
        if not bare:
            continue
        start = text.index(bare, at)
        at = start + len(bare)
        found.append(Sentence(bare, start, at))
    return found
