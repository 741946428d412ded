"""From a grid to values: where its measures are, and what its other rows and columns mean."""

from __future__ import annotations

from assay.verification.lint.names.measure_names import Name
from assay.verification.lint.tables.column_roles import role, suffixed
from assay.verification.lint.tables.grid import Grid
from assay.verification.lint.tables.header_labels import in_caption, is_cutoff, read_label, read_path
from assay.verification.lint.tables.measure_columns import measures_in_columns
from assay.verification.lint.tables.measure_rows import measures_in_rows
from assay.verification.lint.tables.read_values import Draft, is_number


def draft(grid: Grid, source: str, ignore: frozenset[str]) -> Draft | None:
    """Return the values of a grid; None if it has no known measure."""
    made = Draft(grid.name, source, ignore, notes=list(grid.notes))
    names_at = _names(grid)
    in_rows = sum(_is_measure(row[names_at]) for row in grid.rows)
    in_head = sum(_head_is_measure(path) for path in grid.heads)
    named = role(grid.heads[names_at][-1]) == "names"
    caption = in_caption(grid.caption) if not in_rows and not in_head else None
    if not in_rows and not in_head and caption is None:
        return None
    if grid.faults:
        made.faults += grid.faults
    elif caption is not None:
        _measure_in_caption(made, grid, caption)
    elif in_rows > in_head or (in_rows == in_head and named):
        measures_in_rows(made, grid, names_at)
    else:
        measures_in_columns(made, grid)
    return made if made.figures or made.faults else None


def _names(grid: Grid) -> int:
    """Return the column with the names of measures, if there is one."""
    for at, path in enumerate(grid.heads):
        if role(path[-1]) == "names":
            return at
    counts = [sum(_is_measure(row[at]) for row in grid.rows) for at in range(len(grid.heads))]
    return max(range(len(counts)), key=lambda at: (counts[at], -at))


def _is_measure(text: str) -> bool:
    found = read_label(text)
    return found is not None and not found.name.context


def _head_is_measure(path: tuple[str, ...]) -> bool:
    found = read_path((*path[:-1], suffixed(path[-1])[0]))
    return found is not None and not found.name.context


def _measure_in_caption(made: Draft, grid: Grid, name: Name) -> None:
    """Read columns as cut-offs, data sets or systems of the one measure that the caption names."""
    numeric = [at for at in range(len(grid.heads)) if any(is_number(row[at]) for row in grid.rows)]
    heads = [grid.heads[at][-1] for at in numeric if at]
    cut_offs = bool(heads) and all(is_cutoff(head) for head in heads)
    in_columns = cut_offs or any(role(row[0]) == "change" for row in grid.rows)
    if in_columns:
        measures_in_columns(made, grid, name)
    else:
        measures_in_rows(made, grid, 0, name)
