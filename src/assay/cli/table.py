"""Tables for people: drawn by rich on a terminal, as plain aligned text elsewhere."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from assay.errors import printable


@dataclass(frozen=True, slots=True)
class Table:
    """A title, the head and the rows; all columns but the first are numbers unless said so."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left: tuple[int, ...] = (0,)  # columns that are text

    def plain(self) -> str:
        """Aligned text without colours or frames."""
        cells = [[printable(cell) for cell in row] for row in (self.head, *self.rows)]
        widths = [max(map(_width, column)) for column in zip(*cells, strict=True)]
        lines = [self._line(row, widths) for row in cells]
        return "\n".join(
            [printable(self.title), lines[0], "─" * (sum(widths) + 2 * len(widths) - 2), *lines[1:]]
        )

    def markdown(self) -> str:
        """Rows between bars; numbers to the right."""
        rule = ["---" if at in self.left else "---:" for at in range(len(self.head))]
        return "\n".join("| " + " | ".join(row) + " |" for row in (self.head, rule, *self.rows))

    def _line(self, row: Sequence[str], widths: Sequence[int]) -> str:
        placed = []
        for at, (cell, width) in enumerate(zip(row, widths, strict=True)):
            gap = " " * (width - _width(cell))
            placed.append(cell + gap if at in self.left else gap + cell)
        return "  ".join(placed).rstrip()


def show(*parts: Table | str) -> None:
    """Print tables and notes, one after the other."""
    if not sys.stdout.isatty():
        texts = [_lines(part) if isinstance(part, str) else part.plain() for part in parts]
        sys.stdout.write("\n\n".join(texts) + "\n")
        return
    from rich.console import Console  # noqa: PLC0415 # only a terminal needs it
    from rich.table import Table as RichTable  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    console = Console(highlight=False)
    for part in parts:
        if isinstance(part, str):
            console.print(Text(_lines(part)))
            continue
        console.print(Text(printable(part.title), style="bold"))
        drawn = RichTable()
        for at, name in enumerate(part.head):
            justify = "left" if at in part.left else "right"
            drawn.add_column(Text(printable(name)), justify=justify, overflow="fold")  # type: ignore[arg-type] # two of its literals
        for row in part.rows:
            drawn.add_row(*(Text(printable(cell)) for cell in row))
        console.print(drawn)


def _lines(text: str) -> str:
    return printable(text, keep="\n")


def _width(text: str) -> int:
    """Columns that a text takes on a terminal."""
    wide = sum(unicodedata.east_asian_width(mark) in "WF" for mark in text)
    combining = sum(unicodedata.combining(mark) > 0 for mark in text)
    return len(text) + wide - combining
