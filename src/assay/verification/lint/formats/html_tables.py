"""Tables of an HTML page, with cells that span rows and columns."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

from assay.errors import InputError
from assay.verification.lint.tables.grid import GridTable, Row

BEGIN = re.compile(r"<table[\s>]", re.IGNORECASE)
WIDEST = 500
HIDDEN = ("script", "style", "template")
BREAKS = ("br", "p", "div", "sub", "li")
"""Elements that stand apart from the text before them."""


@dataclass(slots=True)
class _Cell:
    head: bool
    across: int
    down: int
    parts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Return the words of the cell."""
        return " ".join("".join(self.parts).split())


@dataclass(slots=True)
class _Table:
    rows: list[tuple[int, list[_Cell]]] = field(default_factory=list)
    caption: list[str] = field(default_factory=list)
    in_caption: bool = False
    open: _Cell | None = None  # the cell that text belongs to


class _Tables(HTMLParser):
    """Collects the tables of a page; one inside a cell is a separate table."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[_Table] = []
        self._within: list[_Table] = []
        self._hidden = 0
        self._raised = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self.found.append(_Table())
            self._within.append(self.found[-1])
        if tag in HIDDEN:
            self._hidden += 1
        if not self._within:
            return
        table = self._within[-1]
        if tag == "caption":
            table.in_caption = True
        elif tag == "tr":
            table.rows.append((self.getpos()[0], []))
            table.open = None
        elif tag in ("td", "th"):
            if not table.rows:
                table.rows.append((self.getpos()[0], []))
            spans = dict(attrs)
            cell = _Cell(tag == "th", _span(spans.get("colspan")), _span(spans.get("rowspan")))
            table.rows[-1][1].append(cell)
            table.open, self._raised = cell, 0
        elif tag == "sup":
            self._raised += 1
            if table.open is not None and table.open.head:
                table.open.parts.append("^")
        elif tag in BREAKS and table.open is not None:
            table.open.parts.append(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag == "table" and self._within:
            self._within.pop()
        elif tag in HIDDEN:
            self._hidden = max(0, self._hidden - 1)
        elif tag == "sup":
            self._raised = max(0, self._raised - 1)
        elif self._within and tag == "caption":
            self._within[-1].in_caption = False
        elif self._within and tag in ("td", "th", "tr"):
            self._within[-1].open = None

    def handle_data(self, data: str) -> None:
        if self._hidden or not self._within:
            return
        table = self._within[-1]
        if table.in_caption:
            table.caption.append(data)
        elif table.open is not None and (table.open.head or not self._raised):
            table.open.parts.append(data)  # what is raised above a value is a footnote


def _span(given: str | None) -> int:
    text = (given or "").strip()
    return max(1, min(int(text), WIDEST)) if text.isascii() and text.isdecimal() and len(text) < 6 else 1


def html(text: str, source: str) -> list[GridTable]:
    """Return every table of a page, named by its number and its caption."""
    parser = _Tables()
    try:
        parser.feed(text)
        parser.close()
    except AssertionError as error:  # how html.parser refuses a marked section that it does not know
        raise InputError.of(source, f"is not HTML ({error})", "expected a page with tables") from None
    made = []
    for number, table in enumerate(parser.found, start=1):
        caption = " ".join("".join(table.caption).split())[:300]
        rows = _filled(table)
        if rows:
            name = f"table {number}" + (f" ({caption[:80]})" if caption else "")
            made.append(GridTable(name, rows, caption, header_rows=_header_rows(table)))
    return made


def _filled(table: _Table) -> list[Row]:
    """Return rows of one width, each cell repeated in all places that it spans."""
    rows: list[Row] = []
    below: dict[int, tuple[str, int]] = {}  # column: text that continues, rows left
    for line, cells in table.rows:
        row: list[str] = []
        after: dict[int, tuple[str, int]] = {}
        waiting = list(cells)
        while len(row) < WIDEST and (waiting or len(row) in below):
            if len(row) in below:
                text, left = below[len(row)]
                if left > 1:
                    after[len(row)] = (text, left - 1)
                row.append(text)
                continue
            cell = waiting.pop(0)
            for _ in range(cell.across):
                if cell.down > 1:
                    after[len(row)] = (cell.text, cell.down - 1)
                row.append(cell.text)
        below = after
        if any(row):
            rows.append((line, row))
    return rows


def _header_rows(table: _Table) -> int:
    """Return how many rows at the top have header cells only."""
    count = 0
    for _, cells in table.rows:
        if not cells or not all(cell.head or not cell.text for cell in cells):
            break
        count += 1
    return max(1, count)
