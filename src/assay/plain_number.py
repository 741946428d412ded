"""Numbers as files, names of measures and options write them."""

from __future__ import annotations


def plain_number(text: str) -> float:
    """Return the number that a text spells; Python would take `1_000` and digits of other scripts too."""
    if "_" in text or not text.isascii():
        raise ValueError(text)
    return float(text)
