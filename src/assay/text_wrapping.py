"""Text in a window: how wide it is shown, and where it may break."""

from __future__ import annotations

import re
import shutil
import unicodedata
from collections.abc import Iterator

PIPE_WIDTH = 100
"""Columns of output that does not go to a terminal, unless COLUMNS says otherwise."""
NARROWEST = 40
"""A narrower window is treated as one of this width."""
WIDEST_PROSE = 100
"""Longer lines of prose are hard to read, however wide the window is."""
JOINTS = re.compile(r"(?<=[/,:=|])")
"""Where a word that is longer than the window breaks first: paths and definition ids."""
WORD = re.compile(r"\S+(?: [=±<>≥≤]=? \S+)?")
"""Words; a relation such as `n = 13` or `0.72 ± 0.13` stays on one line where it is short."""
SHORT = 24
COMMAND = "$ "
"""What a line begins with that a user may copy: it continues with a backslash."""
OPTION = re.compile(r"-\S+(?: (?!-)\S+)?|\S+")
"""Words of a command; an option stays with its value."""


def window_width() -> int:
    """Return the columns of the terminal; in a pipe, COLUMNS or a fixed width."""
    return max(shutil.get_terminal_size((PIPE_WIDTH, 24)).columns, NARROWEST)


def width_of(text: str) -> int:
    """Return how many terminal columns a text takes."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(mark) in "WF" for mark in text)
    combining = sum(unicodedata.combining(mark) > 0 for mark in text)
    return len(text) + wide - combining


def longest_word(text: str) -> int:
    """Return the width of the longest word, with the indent of the text."""
    return _indent(text) + max(map(width_of, _split(text)), default=0)


def wrapped(text: str, width: int, hanging: int = 0) -> list[str]:
    """Return the lines of a text broken at words, all indented like the text, later ones by more.

    A word breaks only if it is longer than a line.

    >>> wrapped("  one two three", 9)
    ['  one two', '  three']
    """
    if width_of(text) <= width:
        return [text]
    indent = min(_indent(text), width // 2)
    lines: list[str] = []
    line = " " * indent
    begun = False
    for word in _words(text, max(width - indent - hanging, 1)):
        longer = f"{line} {word}" if begun else line + word
        if begun and width_of(longer) > width:
            lines.append(line)
            longer = " " * (indent + hanging) + word
        line, begun = longer, True
    return [*lines, line]


def prose(text: str, width: int) -> str:
    """Return sentences in a window; one note per line has the rest of a note indented."""
    lines = text.split("\n")
    hanging = 2 if len(lines) > 1 else 0
    width = min(width, WIDEST_PROSE)
    found: list[str] = []
    for line in lines:
        if line.startswith(COMMAND):
            found += _command(line, width)
        else:
            found += wrapped(line, width, hanging)
    return "\n".join(found)


def _command(line: str, width: int) -> list[str]:
    """Return a command that can still be copied: broken between words, with backslashes."""
    pieces: list[str] = []
    for word in OPTION.findall(line):
        if pieces and width_of(f"{pieces[-1]} {word} \\") <= width:
            pieces[-1] += f" {word}"
        else:
            pieces.append(f"    {word}" if pieces else word)
    return [f"{piece} \\" for piece in pieces[:-1]] + pieces[-1:]


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip(" "))


def _split(text: str) -> Iterator[str]:
    for found in WORD.finditer(text):
        if width_of(found[0]) <= SHORT:
            yield found[0]
        else:
            yield from found[0].split()


def _words(text: str, room: int) -> Iterator[str]:
    """Give the words; one without a place to break is cut where the line ends, as a last resort."""
    for word in _split(text):
        if width_of(word) <= room:
            yield word
            continue
        piece = ""
        for part in JOINTS.split(word):
            if piece and width_of(piece + part) > room:
                yield piece
                piece = ""
            piece += part
            while width_of(piece) > room:
                cut = _fitting(piece, room)
                yield piece[:cut]
                piece = piece[cut:]
        if piece:
            yield piece


def _fitting(text: str, room: int) -> int:
    """Return how many characters of a text fit, at least one."""
    taken = 1
    while taken < len(text) and width_of(text[: taken + 1]) <= room:
        taken += 1
    return taken
