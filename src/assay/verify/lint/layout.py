"""From a grid to figures: measures in rows, measures in columns, or one row for each cut-off k."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction

from assay.errors import Fault
from assay.verify.lint.grid import Grid
from assay.verify.lint.names import KINDS_BY_K, Name, read_name
from assay.verify.lint.numbers import Cell, plain
from assay.verify.lint.raw import UNKNOWN, Draft, Raw, RawChange, is_absent, is_number
from assay.verify.lint.roles import role, suffixed


def draft(grid: Grid, source: str, ignore: frozenset[str]) -> Draft | None:
    """The figures of a grid; None where it has no known measure."""
    made = Draft(grid.name, source, ignore)
    names_at = next((at for at, head in enumerate(grid.head) if role(head) == "names"), 0)
    in_rows = sum(_measures(row[names_at]) for row in grid.rows)
    in_head = sum(_measures(suffixed(head)[0]) for head in grid.head)
    if not in_rows and not in_head:
        return None
    if grid.faults:
        made.faults += grid.faults
        return made
    if in_rows > in_head or (in_rows == in_head and role(grid.head[names_at]) == "names"):
        _measures_in_rows(made, grid, names_at)
    else:
        _measures_in_columns(made, grid)
    return made


def _measures(text: str) -> bool:
    found = read_name(text)
    return found is not None and not found.context


def _numeric(grid: Grid, at: int) -> bool:
    return any(is_number(row[at]) for row in grid.rows)


def _measures_in_rows(made: Draft, grid: Grid, names_at: int) -> None:
    """Each row is a measure, each column a system, a change, or a part of the system before it."""
    columns = [at for at in range(len(grid.head)) if at != names_at and _numeric(grid, at)]
    roles = {at: role(grid.head[at]) for at in columns}
    has_folds = "fold" in roles.values()
    systems = [at for at in columns if roles[at] in ("", "mean")]
    seen: Counter[str] = Counter()
    for row, line in zip(grid.rows, grid.lines, strict=True):
        label, place = plain(row[names_at]), f"line {line}"
        if all(is_absent(row[at]) for at in columns):
            continue  # a heading inside the table, or a row without any figure
        name = made.measure(label, place)
        if name is None:
            continue
        current: Raw | None = None
        folds = Raw("", label, name)
        for at in columns:
            kind, cell = roles[at], None
            if kind in ("note", "names", "k"):
                continue
            cell = made.cell(row[at], f"{place} column {plain(grid.head[at])!r}")
            if kind == "change":
                if cell is not None and cell.value is not None:
                    header = plain(grid.head[at])
                    made.changes.append(RawChange(label, name, header, cell.value, seen[label]))
            elif kind == "fold":
                folds.take(cell, "fold")
            elif at in systems:
                current = Raw(plain(grid.head[at]), label, name)
                current.take(cell, "mean" if has_folds and kind == "mean" else "")
                made.figures.append(current)
            elif current is not None:
                current.take(cell, kind)
        if folds.folds and systems:
            made.figures[-1].folds = folds.folds
        seen[label] += 1


def _measures_in_columns(made: Draft, grid: Grid) -> None:
    """Each column is a measure, each row a system, a change, a fold, or one cut-off of k."""
    k_at = next((at for at, head in enumerate(grid.head) if role(head) == "k"), None)
    heads = _heads(made, grid, k_at)
    label_at = _labels(grid, heads, k_at)
    for row, line in zip(grid.rows, grid.lines, strict=True):
        label = plain(row[label_at]) if label_at is not None else ""
        kind = _row_kind(label, grid.head[label_at] if label_at is not None else "")
        cut = _cut(row[k_at]) if k_at is not None else None
        gathered: dict[tuple[str, Fraction | None, str], Raw] = {}
        for at, (bare, text, part) in heads.items():
            name = bare
            if cut is not None and name.cut is None and name.key in KINDS_BY_K:
                name = replace(name, key=KINDS_BY_K[name.key], cut=cut)
            cell = made.cell(row[at], f"line {line} column {text!r}")
            shown = text if name.cut == bare.cut else f"{text}@{cut}"
            if kind == "change":
                if cell is not None and cell.value is not None:
                    made.changes.append(RawChange(shown, name, label, cell.value))
                continue
            if kind in ("fold", "mean", "std", "low", "high", "ci"):
                _one_of_folds(made, shown, name, kind, cell)
                continue
            key = (name.key, name.cut, name.group)
            if key not in gathered:
                system = "" if k_at is not None and label_at is None else label
                gathered[key] = Raw(system, shown, name)
                made.figures.append(gathered[key])
            gathered[key].take(cell, part)


def _heads(made: Draft, grid: Grid, k_at: int | None) -> dict[int, tuple[Name, str, str]]:
    """Columns that are measures, or parts of one such as its std; an unknown one is a fault."""
    heads: dict[int, tuple[Name, str, str]] = {}
    for at, head in enumerate(grid.head):
        base, part = suffixed(head)
        name = read_name(head)
        if name is None and part:
            name = read_name(base)
        else:
            part = ""
        if made.ignored(head) or at == k_at or not _numeric(grid, at):
            continue
        if name is not None:
            heads[at] = (name, plain(base if part else head), part)
        elif at != 0 and role(head) not in ("note", "names"):
            problem = f"{head[:60]!r} is not a known measure"
            made.faults.append(Fault(made.source, "header", problem, UNKNOWN))
    return heads


def _labels(grid: Grid, heads: dict[int, tuple[Name, str, str]], k_at: int | None) -> int | None:
    """The column that names the systems: the first that is no measure."""
    for at in range(len(grid.head)):
        if at not in heads and at != k_at:
            return at
    return None


def _row_kind(label: str, head: str) -> str:
    kind = role(label)
    if role(f"{plain(head)} {label}") == "fold" or kind == "fold":
        return "fold"
    return kind if kind in ("change", "mean", "std", "low", "high", "ci") else ""


def _one_of_folds(made: Draft, label: str, name: Name, kind: str, cell: Cell | None) -> None:
    """Rows that are folds, their mean and their std make one system."""
    for figure in made.figures:
        if figure.system == "folds" and figure.name == name:
            break
    else:
        figure = Raw("folds", label, name)
        made.figures.append(figure)
    figure.take(cell, kind)


def _cut(text: str) -> Fraction | None:
    bare = plain(text)
    return Fraction(int(bare)) if bare.isdigit() and 0 < int(bare) < 10**9 else None
