"""Tables with a measure in each column: rows are systems, changes, folds, classes or cut-offs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from assay.metrics.core.names.parameter import is_whole
from assay.verification.lint.names.measure_names import KINDS_BY_K, Name
from assay.verification.lint.numbers import Cell, words
from assay.verification.lint.tables.column_roles import role, suffixed
from assay.verification.lint.tables.grid import Grid
from assay.verification.lint.tables.header_labels import Label, read_path, with_cut
from assay.verification.lint.tables.measure_rows import caption_text
from assay.verification.lint.tables.read_values import Draft, Raw, RawChange, is_absent, is_number

CLASSES = frozenset(("class", "classes", "label", "labels"))
RANKING = frozenset(("ndcg", "mrr", "map", "hit", "err", "recall", "precision"))
NUMBERED = frozenset(("fold", "split", "outer fold", "run", "seed", "trial", "repeat", "year", "k", "shots"))
PARTS = frozenset(("std", "low", "high", "ci"))


@dataclass(frozen=True, slots=True)
class Column:
    """A column of values: its measure and population, and which part of the value it holds."""

    label: Label
    text: str
    part: str = ""
    of: int = -1  # the column whose std or interval it is


@dataclass(frozen=True, slots=True)
class Row:
    """The meaning of the label columns of a row."""

    labels: tuple[str, ...]
    kind: str  # change, fold, mean, std, low, high, ci, or nothing
    owner: str  # everything except the label that gives the kind or names the class
    part: str  # the last label: a system, a class or an average

    @property
    def system(self) -> str:
        """Return all labels in one line."""
        return ", ".join(dict.fromkeys(label for label in self.labels if label))


def measures_in_columns(made: Draft, grid: Grid, caption: Name | None = None) -> None:
    """Read each column as a measure; with `caption`, as a data set or cut-off of that measure."""
    k_at = _cut_offs(grid)
    columns = _columns(made, grid, k_at, caption)
    labels_at = _label_columns(made, grid, columns, k_at)
    made.by_class = any(grid.head(at).casefold() in CLASSES for at in labels_at)
    before = [""] * len(labels_at)
    for row, line, section in zip(grid.rows, grid.lines, grid.sections, strict=True):
        before = [words(row[at]) or text for at, text in zip(labels_at, before, strict=True)]
        meant = _row(before, [grid.head(at) for at in labels_at], section)
        cut = _cut(row[k_at]) if k_at is not None else None
        _read_row(made, columns, row, line, meant, cut)


def _cut_offs(grid: Grid) -> int | None:
    """Return the column of cut-offs; with only classifier measures, k is a setting."""
    found = next((at for at, path in enumerate(grid.heads) if role(path[-1]) == "k"), None)
    labels = [read_path(path) for path in grid.heads]
    keys = {label.name.key for label in labels if label is not None}
    if found is None or keys & RANKING or words(grid.heads[found][-1]).casefold() != "k":
        return found
    return found if keys <= {"bare_recall", "bare_precision", "evidence_recall"} else None


def _read_row(
    made: Draft, columns: dict[int, Column], row: tuple[str, ...], line: int, meant: Row, cut: Fraction | None
) -> None:
    gathered: dict[int, Raw] = {}
    for at, column in columns.items():
        name, text = column.label.name, column.text
        if cut is not None and name.cut is None and name.key in KINDS_BY_K:
            name, text = replace(name, key=KINDS_BY_K[name.key], cut=cut), f"{text}@{cut}"
        cell = made.cell(row[at], f"line {line} column {column.text!r}")
        population = column.label.population
        if meant.kind == "change":
            if cell is not None and cell.value is not None:
                changed = RawChange(text, name, meant.part, cell.value, 0, population, meant.owner)
                made.changes.append(changed)
        elif meant.kind:
            if not column.part:
                _of_folds(made, (text, name, population), meant, cell)
        elif column.of in gathered:
            gathered[column.of].take(cell, column.part)
        else:
            raw = Raw(meant.system, text, name, population=population)
            raw.owner, raw.part = meant.owner, meant.part
            raw.take(cell, column.part)
            gathered[at] = raw
            made.figures.append(raw)


def _columns(made: Draft, grid: Grid, k_at: int | None, caption: Name | None) -> dict[int, Column]:
    """Return columns that are measures or parts of one; other numbers are skipped and listed."""
    found: dict[int, Column] = {}
    latest = -1
    for at, path in enumerate(grid.heads):
        head = grid.head(at)
        numeric = any(is_number(row[at]) for row in grid.rows)
        if made.ignored(head) or at == k_at or not numeric:
            continue
        label, part = _column(path)
        if label is None and caption is not None and at:
            label = _of_caption(caption, path)
        if label is not None and part:
            of = _same_measure(found, label)
            text = words(suffixed(path[-1])[0])
            found[at] = Column(label, text, part, of)
            latest = at if of < 0 else latest
        elif label is not None:
            found[at] = Column(label, head if caption is None else _shown(caption, head))
            latest = at
        elif role(path[-1]) in PARTS and latest >= 0:
            found[at] = replace(found[latest], part=role(path[-1]), of=latest)
        elif at != 0 and role(path[-1]) not in ("note", "names") and not _names_rows(grid, at):
            made.measure(None, head, "header")
    return found


def _shown(caption: Name, head: str) -> str:
    return f"{caption_text(caption)} ({head})"


def _of_caption(caption: Name, path: tuple[str, ...]) -> Label | None:
    """Return a column of the measure in the caption: one of its cut-offs, or a data set."""
    text = ", ".join(words(level) for level in path)
    cut = with_cut(caption, words(path[-1]))
    if cut is not None:
        return Label(cut, ", ".join(words(level) for level in path[:-1]))
    return None if role(path[-1]) else Label(caption, text)


def _column(path: tuple[str, ...]) -> tuple[Label | None, str]:
    """Return the measure of a header, and std, low, high or ci if it is part of one."""
    label = read_path(path)
    base, part = suffixed(path[-1])
    if label is None and part:
        return read_path((*path[:-1], base)), part
    if label is None and len(path) > 1 and role(path[-1]) in PARTS:
        return read_path(path[:-1]), role(path[-1])
    return label, ""


def _same_measure(found: dict[int, Column], label: Label) -> int:
    for at, column in found.items():
        if column.label == label and not column.part:
            return at
    return -1


def _label_columns(made: Draft, grid: Grid, columns: dict[int, Column], k_at: int | None) -> list[int]:
    """Return columns that name systems, data sets or classes: text, or a first one of numbers."""
    found = []
    for at, path in enumerate(grid.heads):
        if at in columns or at == k_at or made.ignored(grid.head(at)):
            continue
        texts = [row[at] for row in grid.rows if row[at] and not is_absent(row[at])]
        listed = at == 0 or _names_rows(grid, at) or not any(map(is_number, texts))
        if texts and listed and (at == 0 or role(path[-1]) != "note"):
            found.append(at)
    return found


def _names_rows(grid: Grid, at: int) -> bool:
    """Return whether a column with numbers names rows: folds, seeds, classes, or some text."""
    texts = [row[at] for row in grid.rows if row[at] and not is_absent(row[at])]
    mixed = any(not is_number(text) for text in texts)
    return mixed or grid.head(at).casefold() in NUMBERED | CLASSES


def _row(labels: list[str], heads: list[str], section: str) -> Row:
    kinds = [_row_kind(label, head) for label, head in zip(labels, heads, strict=True)]
    at = next((at for at, kind in enumerate(kinds) if kind), len(labels) - 1)
    owner = ", ".join(text for text in (section, *labels[:at], *labels[at + 1 :]) if text)
    part = labels[at] if labels else ""
    return Row((section, *labels), kinds[at] if kinds else "", owner, part)


def _row_kind(label: str, head: str) -> str:
    kind = role(label)
    if role(f"{words(head)} {label}") == "fold" or kind == "fold":
        return "fold"
    return kind if kind in ("change", "mean", "std", "low", "high", "ci") else ""


def _of_folds(made: Draft, what: tuple[str, Name, str], meant: Row, cell: Cell | None) -> None:
    """Combine rows that are folds, their mean and their std into one system."""
    text, name, population = what
    system = f"{meant.owner}, folds" if meant.owner else "folds"
    key = (system, name, population)
    figure = next(
        (raw for raw in reversed(made.figures) if (raw.system, raw.name, raw.population) == key), None
    )
    # A fold after a mean or std begins another set of folds.
    if figure is None or (meant.kind == "fold" and (figure.value or figure.std)):
        figure = Raw(system, text, name, population=population)
        made.figures.append(figure)
    figure.take(cell, meant.kind)


def _cut(text: str) -> Fraction | None:
    bare = words(text)
    return Fraction(int(bare)) if is_whole(bare) and 0 < int(bare) < 10**9 else None
