"""Text to sentences, with where each of them stands."""

from __future__ import annotations

from dataclasses import dataclass

from assay.errors import AssayError


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence without the blanks around it, and its place in the text."""

    text: str
    start: int
    end: int


def sentences_of(text: str, language: str = "en") -> list[Sentence]:
    """The sentences of a text, by the rules of sentencex; none where it is blank."""
    try:
        from sentencex import segment  # noqa: PLC0415
    except ImportError:
        raise AssayError(
            "this needs sentencex, which is not installed; pip install 'assay[pipeline]'"
        ) from None
    found, at = [], 0
    for piece in segment(language, text):
        bare = piece.strip()
        if not bare:
            continue
        start = text.index(bare, at)
        at = start + len(bare)
        found.append(Sentence(bare, start, at))
    return found
