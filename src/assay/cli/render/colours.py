"""Colours on a terminal: titles are bold, verdicts green, yellow or red; the words stay."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import TextIO

from assay.text_table import PLAIN, Style

GREEN, YELLOW, RED, BOLD = 32, 33, 31, 1
WORDS = {
    **dict.fromkeys(("pass", "met", "holds", "better", "not worse", "clean", "match"), GREEN),
    **dict.fromkeys(("flagged", "unusual", "undecided", "other definition"), YELLOW),
    **dict.fromkeys(("FAIL", "missed", "differs", "worse", "found", "impossible", "matches nothing"), RED),
}
VERDICT = re.compile(rf"(?<![\w-])({'|'.join(WORDS)})(?![\w-])")


def wants_colour(stream: TextIO, environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether to colour: NO_COLOR, then FORCE_COLOR, else a terminal that is not dumb."""
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return environment.get("TERM") != "dumb" and stream.isatty()


def style(stream: TextIO) -> Style:
    """Return how titles and verdicts are printed there."""
    return Style(_bold, _verdict) if wants_colour(stream) else PLAIN


def _bold(text: str) -> str:
    return _coloured(text, BOLD)


def _verdict(text: str) -> str:
    return VERDICT.sub(lambda found: _coloured(found[0], WORDS[found[0]]), text)


def _coloured(text: str, code: int) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if text else text
