"""Markdown tables anywhere in a text, and one table of separated values."""

from __future__ import annotations

import csv
import io
import re

from assay.errors import Fault, InputError
from assay.verification.lint.tables.grid import GridTable, Row
from assay.verification.lint.tables.header_labels import read_label
from assay.verification.lint.tables.read_values import is_number

RULE = re.compile(r"^\s*\|?\s*:?-{1,}:?\s*(\|\s*:?-{1,}:?\s*)*\|?\s*$")
SPLIT = re.compile(r"(?<!\\)\|")
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$")
CAPTION = re.compile(r"^\W{0,4}(?:table|tab\.)\W{0,3}\d*\W{0,4}\s(.*)$", re.IGNORECASE)


def markdown(text: str) -> list[GridTable]:
    """Return every pipe table of a text, named by its number and the heading or caption above."""
    lines = text.splitlines()
    heading, caption, at = "", "", 0
    tables: list[GridTable] = []
    fenced = False
    while at < len(lines):
        line = lines[at]
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        elif not fenced and len(line) < 1000 and (found := HEADING.match(line)):
            heading, caption = found[1], ""
        elif not fenced and len(line) < 1000 and "|" not in line and (found := CAPTION.match(line)):
            caption = found[1].strip("*_ ")
        elif not fenced and "|" in line and at + 1 < len(lines) and _is_rule(lines[at + 1]):
            end = at + 2
            while end < len(lines) and "|" in lines[end] and lines[end].strip():
                end += 1
            named = caption or heading
            name = f"table {len(tables) + 1}" + (f" ({named[:80]})" if named else "")
            numbered = [(at, line), *((place, lines[place]) for place in range(at + 2, end))]
            rows = [(place + 1, _cells(row)) for place, row in numbered]
            tables.append(_as_rendered(name, rows, f"{heading} {caption}".strip()))
            caption, at = "", end
            continue
        at += 1
    return tables


def _is_rule(line: str) -> bool:
    return "-" in line and len(line) < 10_000 and RULE.match(line) is not None


def _cells(line: str) -> list[str]:
    bare = line.strip()
    bare = bare[1:] if bare.startswith("|") else bare
    bare = bare[:-1] if bare.endswith("|") and not bare.endswith("\\|") else bare
    return [cell.strip().replace("\\|", "|") for cell in SPLIT.split(bare)]


def _as_rendered(name: str, rows: list[Row], caption: str) -> GridTable:
    """Fill short rows; cells beyond the header are not displayed, so they are not read."""
    width = len(rows[0][1])
    long = [line for line, cells in rows if len(cells) > width]
    notes = tuple(
        f"{name}: line {line} has more cells than the header; the rest is not read" for line in long
    )
    return GridTable(name, [(line, cells[:width]) for line, cells in rows], caption, notes=notes)


def separated(text: str, source: str, *, tabs: bool = False) -> list[GridTable]:
    """Return one table of values separated by tabs, semicolons or commas, as in its first line."""
    first = text.split("\n", 1)[0]
    mark = "\t" if tabs or "\t" in first else ";" if first.count(";") > first.count(",") else ","
    try:
        reader = csv.reader(io.StringIO(text), delimiter=mark, strict=True)
        found = [(reader.line_num, row) for row in reader]
    except csv.Error as error:
        raise InputError.of(source, f"not CSV ({error})", "expected rows of cells") from None
    rows = [(line, [cell.strip() for cell in row]) for line, row in found if any(map(str.strip, row))]
    if not rows or len(rows[0][1]) < 2:
        return []
    head = rows[0][1]
    if read_label(head[0]) is not None and all(is_number(cell) for cell in head[1:]):
        columns = ["value"] if len(head) == 2 else [f"value {at}" for at in range(1, len(head))]
        rows.insert(0, (0, ["Metric", *columns]))
    width = len(rows[0][1])
    faults = tuple(
        Fault(
            source,
            f"line {line}",
            f"{len(cells)} cells under a header of {width}",
            "quote a cell that holds the separator",
        )
        for line, cells in rows
        if len(cells) > width
    )
    return [GridTable("table 1", rows, faults=faults)] if len(rows) > 1 else []
