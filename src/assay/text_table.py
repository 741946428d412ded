"""Tables for people as text that fits a window, and as Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from assay.errors import printable
from assay.text_wrapping import longest_word, prose, width_of, wrapped

GAP = "  "
COMFORT = 22
"""Text is not wrapped in a column narrower than this."""


BRIEF = 12
"""Text of at most this width stands next to numbers in a paragraph."""


class Style(NamedTuple):
    """How a terminal marks titles and verdicts; plain text marks neither."""

    title: Callable[[str], str] = str
    verdict: Callable[[str], str] = str


PLAIN = Style()


class Drawn(NamedTuple):
    """A table as text, and the columns that the window had no room for."""

    text: str
    left_out: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TextTable:
    """A title, the head and the rows; all columns but the first are numbers unless said so.

    Where a window is too narrow, text wraps at words, then optional columns are left out, the
    first one named first. If the rest is still too wide, a table of numbers becomes several, each
    with the leading text columns, and any other table has one paragraph per row.
    """

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left: tuple[int, ...] = (0,)  # columns that are text
    optional: tuple[int, ...] = ()  # columns that a narrow window may lack, first to go first
    verdicts: tuple[int, ...] = ()  # columns with words such as pass or missed, which may have a colour

    def plain(self, width: int | None = None) -> str:
        """Return aligned text without colours or frames, in a window of `width` columns if given."""
        drawn = self.drawn(width)
        return "\n".join([drawn.text, *left_out_note([drawn], width)])

    def drawn(self, width: int | None = None, style: Style = PLAIN) -> Drawn:
        """Return the table in a window, and what had no room there."""
        title = [printable(self.title)] if width is None else wrapped(printable(self.title), width)
        cells = [[printable(cell) for cell in row] for row in (self.head, *self.rows)]
        grid = _Grid(cells, self.left, self.verdicts, style.verdict)
        shown = list(range(len(self.head)))
        widths = grid.widths(shown, width)
        left_out: list[str] = []
        for column in self.optional:
            if widths is None:
                shown.remove(column)
                left_out.insert(0, cells[0][column])
                widths = grid.widths(shown, width)
        if widths is not None or width is None:
            lines = grid.table(shown, widths or [])
        else:
            blocks = None if self.optional else grid.blocks(shown, width)
            lines = grid.stack(shown, width) if blocks is None else blocks
        return Drawn("\n".join([*map(style.title, title), *lines]), tuple(left_out))


def page(parts: Iterable[TextTable | str], width: int, style: Style = PLAIN, more: str = "") -> str:
    """Return tables and notes in a window; `more` says where to find columns that were left out.

    The note about these follows the last table, so that the last words stay the last.
    """
    parts = list(parts)
    drawn = [
        Drawn(prose(printable(part, keep="\n"), width), ())
        if isinstance(part, str)
        else part.drawn(width, style)
        for part in parts
    ]
    texts = [each.text for each in drawn]
    after = max((at for at, part in enumerate(parts, 1) if isinstance(part, TextTable)), default=0)
    return "\n\n".join([*texts[:after], *left_out_note(drawn, width, more), *texts[after:]])


def left_out_note(drawn: Sequence[Drawn], width: int | None, more: str = "") -> list[str]:
    """Return a sentence about columns that were left out, if any were."""
    names = dict.fromkeys(name for each in drawn for name in each.left_out)
    if not names or width is None:
        return []
    return [prose(f"Left out to fit {width} columns: {', '.join(names)}.{more}", width)]


class _Grid(NamedTuple):
    """Printable cells, the head first, and how they are placed."""

    cells: list[list[str]]
    left: tuple[int, ...]
    verdicts: tuple[int, ...]
    paint: Callable[[str], str]

    def widths(self, columns: Sequence[int], width: int | None) -> list[int] | None:
        """Return the widths of columns that fit together, or None where they cannot."""
        natural = [max(width_of(row[at]) for row in self.cells) for at in columns]
        if width is None:
            return natural
        room = width - len(GAP) * (len(columns) - 1)
        if sum(natural) <= room:
            return natural
        found = [self._least(at, most) for at, most in zip(columns, natural, strict=True)]
        spare = room - sum(found)
        if spare < 0:
            return None
        needs = sorted(
            (most - least, at) for at, (most, least) in enumerate(zip(natural, found, strict=True))
        )
        for place, (need, at) in enumerate(needs):
            given = min(need, spare // (len(needs) - place))
            found[at] += given
            spare -= given
        return found

    def _least(self, column: int, natural: int) -> int:
        """Return the smallest width at which no word or number breaks; heads may wrap."""
        head, *cells = (row[column] for row in self.cells)
        if column in self.left:
            least = max(map(longest_word, cells), default=0)
            least = max(least, min(COMFORT, max(map(width_of, cells), default=0)))
        else:
            least = max(map(width_of, cells), default=0)
        return min(natural, max(least, longest_word(head)))

    def table(self, columns: Sequence[int], widths: Sequence[int]) -> list[str]:
        """Return the head, a rule and the rows."""
        head, *rows = self.cells
        rule = "─" * (sum(widths) + len(GAP) * (len(widths) - 1))
        lines = self._row(head, columns, widths, low=True)
        return [*lines, rule, *(line for row in rows for line in self._row(row, columns, widths))]

    def _row(
        self, row: Sequence[str], columns: Sequence[int], widths: Sequence[int], *, low: bool = False
    ) -> list[str]:
        """Return a row in as many lines as its tallest cell has; a head is aligned at the bottom."""
        pieces = [wrapped(row[at], width) for at, width in zip(columns, widths, strict=True)]
        height = max(map(len, pieces), default=0)
        lines = []
        for number in range(height):
            placed = []
            for at, width, cell in zip(columns, widths, pieces, strict=True):
                line = number - (height - len(cell) if low else 0)
                text = cell[line] if 0 <= line < len(cell) else ""
                gap = " " * (width - width_of(text))
                text = self.paint(text) if at in self.verdicts and not low else text
                placed.append(text + gap if at in self.left else gap + text)
            lines.append(GAP.join(placed).rstrip())
        return lines

    def blocks(self, columns: Sequence[int], width: int) -> list[str] | None:
        """Return numbers in several tables, each with the leading text; None where that cannot be."""
        keys = [at for at in columns if all(before in self.left for before in range(at + 1))]
        numbers = [at for at in columns if at not in keys]
        if not numbers or any(at in self.left for at in numbers):
            return None
        blocks: list[list[int]] = []
        for at in numbers:
            if self.widths([*keys, at], width) is None:
                return None
            if blocks and self.widths([*keys, *blocks[-1], at], width) is not None:
                blocks[-1].append(at)
            else:
                blocks.append([at])
        lines: list[str] = []
        for block in blocks:
            shown = [*keys, *block]
            lines += ["", *self.table(shown, self.widths(shown, width) or [])]
        return lines[1:]

    def stack(self, columns: Sequence[int], width: int) -> list[str]:
        """Return a paragraph per row: its first cell, then the others after their heads."""
        head, *rows = self.cells
        first, *rest = columns
        own_line = [at for at in rest if at in self.left and max(width_of(row[at]) for row in rows) > BRIEF]
        lines = ["─" * width]
        for row in rows:
            beside = [at for at in rest if not head[at]]
            start = GAP.join(filter(None, [row[first], *(row[at] for at in beside)]))
            lines += self._painted(wrapped(start, width, 4) if start else [], [first, *beside])
            items: list[tuple[str, list[int]]] = []
            for at in rest:
                if not head[at] or not row[at]:
                    continue
                item = f"{GAP}{head[at]}: {row[at]}"
                if items and at not in own_line and width_of(joined := f"{items[-1][0]} {item}") <= width:
                    items[-1] = joined, [*items[-1][1], at]
                else:
                    items.append((item, [at]))
            for item, inside in items:
                lines += self._painted(wrapped(item, width, 2), inside)
        return lines

    def _painted(self, lines: list[str], columns: Sequence[int]) -> list[str]:
        """Return lines with their verdicts coloured, if any of their columns has some."""
        return list(map(self.paint, lines)) if set(columns) & set(self.verdicts) else lines
