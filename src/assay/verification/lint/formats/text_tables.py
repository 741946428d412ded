"""Tables as plain text, such as one copied from a PDF: names and numbers in lines, with blanks between.

Nothing says where a cell ends, so a table is read only where the number of cells leaves no choice: the
header has one word for the systems and one cell for each number of every row.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from assay.metrics.core.names.parameter import is_whole
from assay.verification.lint.formats.markdown_csv import CAPTION
from assay.verification.lint.tables.grid import GridTable, Row
from assay.verification.lint.tables.header_labels import read_label
from assay.verification.lint.tables.read_values import is_absent, is_number

LONGEST = 400
MOST_LINES = 20_000
"""Longer texts are data, not what somebody copied from a paper; to look at a line takes 0.1 ms."""
ABOVE = 3
"""Lines above a table where its caption may be."""
RULE = re.compile(r"[\s\-=_+─━|]*")
OTHER_MARKS = re.compile(r"[|\t;{}\\]|,\s|,$")
"""What separates cells in other formats; a comma inside of a word may be a decimal one."""
SPREAD = re.compile(r"\s*(±|\+/-)\s*")
NOTE_MARKS = "†‡∗*§¶"
GAP = re.compile(r"\s{2,}")


def text_tables(text: str) -> list[GridTable]:
    """Return every table of a text whose lines are names and numbers, named by its caption."""
    if text.count("\n") > MOST_LINES:
        return []
    lines = [line if len(line) <= LONGEST else "" for line in text.splitlines()]
    tables: list[GridTable] = []
    at = 0
    while at < len(lines):
        heads = _header(lines[at])
        body = _body(lines, at + 1, len(heads) - 1) if heads else []
        if body:
            caption = _caption(lines, at)
            name = f"table {len(tables) + 1}" + (f" ({caption})" if caption else "")
            tables.append(GridTable(name, [(at + 1, heads), *body], caption))
            at = body[-1][0] - 1
        at += 1
    return tables


def _header(line: str) -> list[str]:
    """Return the cells of a header: split at wide gaps if those have several words, else at each blank."""
    if len(line.split(maxsplit=2)) < 3 or OTHER_MARKS.search(line):
        return []
    joined = re.sub(r"\s+@\s*", "@", line.strip())
    wide = GAP.split(joined)
    cells = wide if len(wide) > 2 and any(" " in cell for cell in wide) else joined.split()
    if read_label(cells[0]) is not None:
        cells = ["", *cells]  # the systems have no name
    return cells if _is_header(cells) else []


def _is_header(cells: Sequence[str]) -> bool:
    """Return whether the first cell is no measure, and at least two of the others are."""
    measures = [read_label(cell) is not None for cell in cells]
    return not measures[0] and sum(measures) >= 2 and not any(map(is_number, cells))


def _body(lines: Sequence[str], start: int, width: int) -> list[Row]:
    """Return the rows below a header: a name and as many numbers as it has columns."""
    rows: list[Row] = []
    for at in range(start, len(lines)):
        line = lines[at]
        if RULE.fullmatch(line):
            if rows and not line.strip():
                break
            continue
        words = [word.rstrip(NOTE_MARKS) or word for word in SPREAD.sub("±", line.strip()).split()]
        name, values = words[:-width], words[-width:]
        exact = name and (not _is_value(name[-1]) or (len(name) > 1 and is_whole(name[-1])))  # as in GPT 4
        if OTHER_MARKS.search(line) or not exact or len(values) < width or not all(map(_is_value, values)):
            break
        rows.append((at + 1, [" ".join(name), *values]))
    return rows


def _is_value(word: str) -> bool:
    return is_number(word.replace("±", " ± ")) or is_absent(word)


def _caption(lines: Sequence[str], header: int) -> str:
    """Return the caption above a header; nothing where there is none."""
    for line in reversed(lines[max(0, header - ABOVE) : header]):
        found = CAPTION.match(line)
        if found is not None:
            return found[1].strip()[:80]
    return ""
