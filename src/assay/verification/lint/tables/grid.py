"""A printed table: a header of one or more levels, and rows of cells below it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.errors import Fault
from assay.metrics.core.names.parameter import is_whole
from assay.verification.lint.numbers import words
from assay.verification.lint.tables.column_roles import role, suffixed
from assay.verification.lint.tables.header_labels import is_cutoff, read_label
from assay.verification.lint.tables.read_values import is_absent, is_number

MOST_LEVELS = 4  # of a header
SHORT = {"P": "Precision", "R": "Recall", "F": "F1"}
Row = tuple[int, list[str]]  # line, cells


@dataclass(frozen=True, slots=True)
class Grid:
    """A table: the header of each column from the top down, and rows of the same width."""

    name: str
    caption: str
    heads: tuple[tuple[str, ...], ...]
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...]
    sections: tuple[str, ...]  # the heading inside the table above each row
    faults: tuple[Fault, ...] = ()  # they matter only if the table has measures
    notes: tuple[str, ...] = ()

    def head(self, at: int) -> str:
        """Return the header of a column in one line."""
        return ", ".join(words(level) for level in self.heads[at])


@dataclass(frozen=True, slots=True)
class GridTable:
    """Rows as read from a format, before headers are separated from values."""

    name: str
    rows: Sequence[Row]
    caption: str = ""
    header_rows: int = 1
    faults: tuple[Fault, ...] = ()
    notes: tuple[str, ...] = ()


def grids(table: GridTable) -> list[Grid]:
    """Return the grids of a table: several if a row inside it is another header."""
    width = max((len(cells) for _, cells in table.rows), default=0)
    rows = [(line, _spelled_out([*cells, *[""] * (width - len(cells))])) for line, cells in table.rows]
    if not rows or width == 0:
        return []
    used = min(max(1, table.header_rows), len(rows))
    while used < min(MOST_LEVELS, len(rows)) and _continues(rows, used):
        used += 1
    made: list[Grid] = []
    heads, section = _heads(rows[:used]), ""
    body: list[Row] = []
    sections: list[str] = []
    for line, cells in rows[used:]:
        if not any(cells) or _repeats(cells, heads):
            continue
        if _is_header(cells):
            if body:
                made.append(_grid(table, heads, body, sections, len(made)))
            heads, body, sections = _heads([(line, cells)]), [], []
        elif heading := _heading(cells):
            section = heading
        else:
            body.append((line, cells))
            sections.append(section)
    made.append(_grid(table, heads, body, sections, len(made)))
    return made


def _spelled_out(cells: list[str]) -> list[str]:
    """Read `P`, `R` and `F` in a header as precision, recall and F1 if P and R are both present."""
    bare = [words(cell) for cell in cells]
    if not {"P", "R"} <= set(bare):
        return cells
    return [SHORT.get(text, cell) for text, cell in zip(bare, cells, strict=True)]


def _grid(
    table: GridTable,
    heads: tuple[tuple[str, ...], ...],
    body: Sequence[Row],
    sections: Sequence[str],
    before: int,
) -> Grid:
    name = table.name if not before else f"{table.name}, part {before + 1}"
    rows = tuple(tuple(cells) for _, cells in body)
    lines = tuple(line for line, _ in body)
    return Grid(name, table.caption, heads, rows, lines, tuple(sections), table.faults, table.notes)


def _continues(rows: Sequence[Row], used: int) -> bool:
    """Return whether the row after the header belongs to it: text, or cut-offs below a measure."""
    cells = rows[used][1]
    filled = [at for at, cell in enumerate(cells) if at and cell and not is_absent(cell)]
    if len(filled) < min(2, len(cells) - 1) or _repeats(cells, _heads(rows[:used])):
        return False
    above = _heads(rows[:used])
    measured = any(_measure(level) for path in above for level in path)
    if all(is_cutoff(cells[at]) for at in filled):
        numbered = all(is_number(cells[at]) for at in filled)
        return measured and (not numbered or _ascends(cells, above, filled))
    if any(is_number(cells[at]) for at in filled):
        return False
    if any(_measure(cells[at]) for at in filled):
        return True
    # Data sets below measures: text in columns that hold numbers further down.
    below = [row for _, row in rows[used + 1 :]]
    return measured and all(any(is_number(row[at]) for row in below) for at in filled)


def _ascends(cells: Sequence[str], heads: tuple[tuple[str, ...], ...], filled: list[int]) -> bool:
    """Return whether bare whole numbers are cut-offs: below each measure they rise to the right."""
    groups: dict[tuple[str, ...], list[int]] = {}
    for at in filled:
        if not is_whole(cells[at]):
            return False
        groups.setdefault(heads[at], []).append(int(cells[at]))
    rising = all(values == sorted(set(values)) for values in groups.values())
    return rising and any(len(values) > 1 for values in groups.values())


def _measure(text: str) -> bool:
    found = read_label(suffixed(text)[0])
    return found is not None and not found.name.context


def _repeats(cells: Sequence[str], heads: tuple[tuple[str, ...], ...]) -> bool:
    """Return whether a row repeats the header, as in long tables."""
    last = [path[-1].casefold() if path else "" for path in heads]
    return any(last) and [cell.casefold() for cell in cells] == last


def _is_header(cells: Sequence[str]) -> bool:
    """Return whether a row inside a table is a new header: several measures, no number."""
    if any(is_number(cell) for cell in cells):
        return False
    return sum(_measure(cell) for cell in cells[1:]) >= min(2, len(cells) - 1) > 0


def _heading(cells: Sequence[str]) -> str:
    """Return the text of a row that holds one text and nothing else."""
    texts = dict.fromkeys(words(cell) for cell in cells if cell)
    if len(texts) != 1 or len(cells) < 2:
        return ""
    text = next(iter(texts))
    alone = sum(bool(cell) for cell in cells)
    if is_number(text) or is_absent(text) or (alone == 1 and not cells[0]) or role(text):
        return ""
    return text


def _heads(rows: Sequence[Row]) -> tuple[tuple[str, ...], ...]:
    """Return texts above each column; a blank in an upper level continues the one on its left."""
    levels = []
    for depth, (_, cells) in enumerate(rows):
        level = list(cells)
        below = rows[depth + 1][1] if depth + 1 < len(rows) else None
        for at in range(2, len(level)):
            if below is not None and not level[at] and level[at - 1] and below[at]:
                level[at] = level[at - 1]
        levels.append(level)
    paths = []
    for at in range(len(rows[0][1])):
        texts = [level[at] for level in levels if level[at]]
        paths.append(tuple(dict.fromkeys(texts)) or ("",))
    return tuple(paths)
