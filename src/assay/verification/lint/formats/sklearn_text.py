"""scikit-learn's `classification_report` as plain text, anywhere in a file or log."""

from __future__ import annotations

import re

from assay.verification.lint.tables.grid import GridTable

HEADER = re.compile(r"^\s*precision\s+recall\s+f1-score(\s+support)?\s*$")
_VALUE = r"(?:\d+\.\d+|nan|\d+)"
LINE = re.compile(rf"^\s*(.*?\S)((?:\s+{_VALUE}){{1,4}})\s*$", re.IGNORECASE)
NAMES = ("precision", "recall", "f1-score", "support")


def classification_reports(text: str) -> list[GridTable]:
    """Return every report of a text, named by its number and the line above it."""
    lines = text.splitlines()
    tables: list[GridTable] = []
    for at, line in enumerate(lines):
        if len(line) < 200 and HEADER.match(line):
            titles = [each.strip(" =-#*:`\t") for each in lines[max(0, at - 3) : at]]
            title = next((each for each in reversed(titles) if each), "")
            above = LINE.match(title)
            if above is not None and len(above[2].split()) > 2:
                title = ""  # the last line of the report above
            name = f"report {len(tables) + 1}" + (f" ({title[:80]})" if title else "")
            rows = [(at + 1, ["", *NAMES]), *_body(lines, at + 1, "support" in line)]
            tables.append(GridTable(name, rows))
    return tables


def _body(lines: list[str], start: int, supported: bool) -> list[tuple[int, list[str]]]:
    """Return classes and averages; a second empty line or other text ends the report."""
    rows: list[tuple[int, list[str]]] = []
    width = 4 if supported else 3
    for at in range(start, len(lines)):
        line = lines[at]
        if not line.strip():
            continue
        found = LINE.match(line) if len(line) < 400 else None
        if found is None or HEADER.match(line):
            break
        label, values = found[1], found[2].split()
        while len(values) > width:  # a class whose name ends in a number
            label, values = f"{label} {values[0]}", values[1:]
        if len(values) < width:  # accuracy is in the F1 column
            if len(values) != width - 2 or label != "accuracy":
                break
            values = ["", "", *values]
        rows.append((at + 1, [label, *values, *[""] * (4 - width)]))
    if any("." in cells[-1] for _, cells in rows):  # sums of sample weights, not counts
        rows = [(line, [*cells[:-1], ""]) for line, cells in rows]
    return rows
