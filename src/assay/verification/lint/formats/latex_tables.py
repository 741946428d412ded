"""Tables of a LaTeX source: tabular and its relatives, with or without booktabs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from assay.verification.lint.formats.latex_text import argument, braced, comments_removed, plain_text
from assay.verification.lint.tables.grid import GridTable, Row

BEGIN = re.compile(r"\\begin\{(tabular[*xy]?|longtable|tblr|supertabular)\}")
# Environments with a width before the column types.
WITH_WIDTH = ("tabular*", "tabularx", "tabulary")
CAPTION = re.compile(r"\\(?:caption|captionof\{table\}|tablecaption)\*?\s*(?=[\[{])")
FLOAT = re.compile(r"\\(begin|end)\{(table\*?|wraptable|sidewaystable\*?|longtable|figure\*?)\}")
RULES = re.compile(
    r"\\(toprule|midrule|bottomrule|hline|endhead|endfirsthead|endfoot|endlastfoot|hdashline)\b"
    r"(?:\[[^\]]*\])?"
    r"|\\(?:cmidrule|cline|cdashline|Xcline)(?:\[[^\]]*\])?(?:\([^)]*\))?\{[^}]*\}(?:\{[^}]*\})?"
    r"|\\(?:addlinespace|specialrule|noalign|rowcolor|arrayrulecolor|rowcolors)(?:\[[^\]]*\])?"
    r"(?:\{[^{}]*\})*"
)
SPAN = re.compile(r"\\multicolumn\s*\{\s*(\d{1,3})\s*\}")
DOWN = re.compile(r"\\multirow(?:cell)?\s*(?:\[[^\]]*\])?\s*\{\s*(-?\d{1,3})\s*\}")
WIDEST = 200


@dataclass(frozen=True, slots=True)
class _Cell:
    text: str
    across: int = 1
    down: int = 1


def latex(source: str) -> list[GridTable]:
    """Return every table of a LaTeX source, named by its number and caption."""
    text = comments_removed(source)
    tables: list[GridTable] = []
    at = 0
    while found := BEGIN.search(text, at):
        kind = found[1]
        start = _after_columns(text, found.end(), kind)
        end = _end(text, start, kind)
        line = text.count("\n", 0, start) + 1
        caption = _caption(text, found.start(), end)
        name = f"table {len(tables) + 1}" + (f" ({caption[:80]})" if caption else "")
        rows, header = _rows(text[start:end], line)
        if rows:
            tables.append(GridTable(name, rows, caption, header))
        at = max(end, start + 1)
    return tables


def _after_columns(text: str, at: int, kind: str) -> int:
    """Return the place after the column types, which may follow a width and a position."""
    for _ in range(2 if kind in WITH_WIDTH else 1):
        while text[at : at + 1].isspace():
            at += 1
        if text[at : at + 1] == "[":
            closing = text.find("]", at)
            at = closing + 1 if closing >= 0 else at
        found = argument(text, at)
        at = found[1] if found is not None else at
    return at


def _end(text: str, start: int, kind: str) -> int:
    """Return the place of the matching end; the end of the text if it is missing."""
    depth = 1
    for found in re.finditer(rf"\\(begin|end)\{{{re.escape(kind)}\}}", text[start:]):
        depth += 1 if found[1] == "begin" else -1
        if depth == 0:
            return start + found.start()
    return len(text)


def _caption(text: str, start: int, end: int) -> str:
    """Return the caption of the float around a table, or inside a longtable."""
    opened = [m for m in FLOAT.finditer(text, 0, start) if m[1] == "begin"]
    first = opened[-1].start() if opened else start
    closing = next((m for m in FLOAT.finditer(text, end) if m[1] == "end"), None)
    if any(m[1] == "end" for m in FLOAT.finditer(text, first, start)):
        first, closing = start, None  # the previous float is closed: this table has none
    last = closing.start() if closing is not None and opened else end
    found = CAPTION.search(text, first, last)
    if found is None:
        return ""
    at = found.end()
    if text[at : at + 1] == "[":
        at = text.find("]", at) + 1
    inner = argument(text, at)
    return plain_text(inner[0])[:300] if inner is not None else ""


def _rows(body: str, first_line: int) -> tuple[list[Row], int]:
    """Return the rows of a table, and how many are above the first rule below a row."""
    rows: list[Row] = []
    header = 0
    below: dict[int, tuple[str, int]] = {}  # column: text that continues, rows left
    for line, raw in _split_rows(body, first_line):
        ruled = [m for m in RULES.finditer(raw) if m[1]]
        leading = any(not RULES.sub("", raw[: m.start()]).strip(" \t\n~") for m in ruled)
        if leading and rows and not header:
            header = len(rows)
        bare = RULES.sub(" ", raw)
        if not bare.strip(" \t\n~"):
            continue
        cells, below = _fill(bare, below)
        if any(cells):
            rows.append((line, cells))
    return rows, header or 1


def _fill(raw: str, below: dict[int, tuple[str, int]]) -> tuple[list[str], dict[int, tuple[str, int]]]:
    """Return the cells of a row, including those that span columns or rows above."""
    cells: list[str] = []
    after: dict[int, tuple[str, int]] = {}
    for each in _split_cells(raw):
        cell = _cell(each)
        for _ in range(cell.across):
            at = len(cells)
            text, left = below.get(at, ("", 0))
            if cell.text or not left:
                text, left = cell.text, cell.down
            cells.append(text)
            if left > 1:
                after[at] = (text, left - 1)
            if len(cells) >= WIDEST:
                return cells, after
    return cells, after


def _cell(raw: str) -> _Cell:
    """Return a cell with the columns and rows that it spans."""
    text, across, down = raw.strip(), 1, 1
    for _ in range(2):
        if found := SPAN.search(text):
            across = max(1, min(int(found[1]), WIDEST))
            inner = _last_argument(text, found.end(), 2)
            text = inner if inner is not None else text[found.end() :]
        if found := DOWN.search(text):
            down = max(1, abs(int(found[1])))
            inner = _last_argument(text, found.end(), 2)
            text = inner if inner is not None else text[found.end() :]
    return _Cell(plain_text(text), across, down)


def _last_argument(text: str, at: int, number: int) -> str | None:
    """Return the last of the following arguments; a bare `*` counts as one."""
    found = None
    for _ in range(number):
        while text[at : at + 1].isspace():
            at += 1
        if text[at : at + 1] == "[":
            at = text.find("]", at) + 1
        if text[at : at + 1] == "*":
            at += 1
            continue
        read = argument(text, at)
        if read is None:
            break
        found, at = read
    return found


def _split_rows(body: str, first_line: int) -> Iterator[tuple[int, str]]:
    """Yield rows, which end outside braces, with the line in which each begins."""
    start = 0
    for at, depth in braced(body):
        two = body[at : at + 2]
        named = body.startswith("\\tabularnewline", at)
        if depth or at < start or not (two == "\\\\" or named):
            continue
        yield first_line + body.count("\n", 0, start), body[start:at]
        start = at + (15 if named else 2)
        if found := re.match(r"\*?\s*\[[^\]]*\]", body[start:]):
            start += found.end()
    yield first_line + body.count("\n", 0, start), body[start:]


def _split_cells(raw: str) -> list[str]:
    """Return the cells between `&`, outside braces."""
    cells, start = [], 0
    for at, depth in braced(raw):
        if raw[at] == "&" and not depth:
            cells.append(raw[start:at])
            start = at + 1
    return [*cells, raw[start:]]
