"""Tables with a measure in each row: columns are systems, changes, or parts of a value."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

from assay.verification.lint.names.measure_names import Name, read_name
from assay.verification.lint.numbers import read_cell, words
from assay.verification.lint.tables.column_roles import role
from assay.verification.lint.tables.grid import Grid
from assay.verification.lint.tables.header_labels import (
    Label,
    average_of,
    is_kind,
    joined,
    read_label,
    read_path,
)
from assay.verification.lint.tables.read_values import (
    EXPECTED_NAME,
    Draft,
    Raw,
    RawChange,
    is_absent,
    is_number,
)

TOO_LARGE = Fraction(100)  # no share is printed above it, in percent or not
SORTING = frozenset(("category", "type", "kind", "family", "group", "section", "class"))
PARTS = frozenset(("std", "low", "high", "ci"))


@dataclass(frozen=True, slots=True)
class RowPlan:
    """Which column holds what."""

    values: tuple[int, ...]  # systems, changes, folds and parts, in printed order
    roles: dict[int, str]
    data: tuple[int, ...]  # text columns that name a data set or split

    @property
    def systems(self) -> list[int]:
        """Return the columns with the value itself."""
        return [at for at in self.values if self.roles[at] in ("", "mean")]


def measures_in_rows(made: Draft, grid: Grid, names_at: int, caption: Name | None = None) -> None:
    """Read each row as a measure; with `caption`, as a data set of that measure."""
    plan = _plan(made, grid, names_at, caption)
    texts = dict.fromkeys(plan.data, "")
    seen: Counter[tuple[str, str]] = Counter()
    for row, line, section in zip(grid.rows, grid.lines, grid.sections, strict=True):
        for at in plan.data:
            texts[at] = words(row[at]) or texts[at]
        text = words(row[names_at])
        if all(is_absent(row[at]) for at in plan.values):
            continue
        if caption is not None:
            label: Label | None = Label(caption, "" if is_kind(text) else text)
            text = f"{caption_text(caption)} ({text})" if text else caption_text(caption)
        else:
            label = _row_label(section, text)
        label = made.measure(label, text, f"line {line}")
        if label is None:
            continue
        population = joined(["" if is_kind(section) else section, *texts.values(), label.population])
        key = (text, population.casefold())
        _read_row(made, grid, plan, row, line, (text, label.name, population, seen[key]))
        seen[key] += 1


def caption_text(name: Name) -> str:
    """Return a measure that is only named in a caption, for messages."""
    cut = "" if name.cut is None else f"@{int(name.cut)}"
    return f"{name.key.removeprefix('bare_')}{cut}"


def _row_label(section: str, text: str) -> Label | None:
    """Return the measure of a row; below a heading such as `nDCG` a row may be just a cut-off."""
    found = read_label(text)
    if found is None and section and read_name(section) is not None:
        found = read_path((section, text))
        if found is not None and found.name.cut is None:
            return None
    return found


def _plan(made: Draft, grid: Grid, names_at: int, caption: Name | None) -> RowPlan:
    values, data, roles = [], [], {}
    for at, path in enumerate(grid.heads):
        head = grid.head(at)
        if at == names_at or made.ignored(head):
            continue
        meaning = role(path[-1])
        if not any(is_number(row[at]) for row in grid.rows):
            sorts = head.casefold() in SORTING or meaning
            if not sorts and any(row[at] and not is_absent(row[at]) for row in grid.rows):
                data.append(at)
            continue
        described = read_label(head)
        if meaning in ("note", "names", "k") or (described and described.name.context):
            continue
        if _not_shares(grid, at, names_at, caption):
            made.skip("header", f"column {head[:60]!r} is not of these measures", EXPECTED_NAME)
            continue
        values.append(at)
        roles[at] = meaning
    return RowPlan(tuple(values), roles, tuple(data))


def _not_shares(grid: Grid, at: int, names_at: int, caption: Name | None) -> bool:
    """Return whether a column such as `Params` holds numbers that no row's measure can have."""
    sizes = []
    for row in grid.rows:
        label = Label(caption) if caption is not None else read_label(row[names_at])
        cell = read_cell(row[at]) if is_number(row[at]) else None
        if label is not None and label.name.kind == "share" and cell is not None:
            sizes += [] if cell.value is None else [cell.value.value]
    return bool(sizes) and min(sizes) > TOO_LARGE


def _read_row(
    made: Draft, grid: Grid, plan: RowPlan, row: tuple[str, ...], line: int, what: tuple[str, Name, str, int]
) -> None:
    text, name, population, occurrence = what
    current: Raw | None = None
    folds = Raw("", text, name)
    has_folds = "fold" in plan.roles.values()
    for at in plan.values:
        kind = plan.roles[at]
        head = grid.head(at)
        cell = made.cell(row[at], f"line {line} column {head!r}")
        owner = ", ".join(words(level) for level in grid.heads[at][:-1])
        if kind == "change":
            if cell is not None and cell.value is not None:
                made.changes.append(RawChange(text, name, head, cell.value, occurrence, population, owner))
        elif kind == "fold":
            folds.take(cell, "fold")
        elif kind in ("", "mean"):
            current = Raw(head, text, name, population=population, owner=owner)
            current.part = head if average_of(head) else words(grid.heads[at][-1])
            current.take(cell, "mean" if has_folds and kind == "mean" else "")
            # A mean over other columns may be over different ones in each row.
            current.unsure = kind == "mean" and not has_folds and len(plan.systems) > 1
            made.figures.append(current)
        elif current is not None and kind in PARTS:
            current.take(cell, kind)
    if folds.folds and plan.systems:
        made.figures[-1].folds = folds.folds
