"""Numbers as files, names of measures and options write them."""

from __future__ import annotations

import re

SPELLED = re.compile(r"(0|[1-9][0-9]*)(\.[0-9]+)?")


def plain_number(text: str) -> float:
    """Return the number that a text spells; Python would take `1_000` and digits of other scripts too."""
    if "_" in text or not text.isascii():
        raise ValueError(text)
    return float(text)


def spelled_number(text: str) -> float:
    """Return the number that a definition id spells: without exponent, sign or leading zeros.

    Bundles and the second implementation know no other form.
    """
    if SPELLED.fullmatch(text) is None:
        raise ValueError(text)
    return float(text)
