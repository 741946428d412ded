"""Text to grids of cells: Markdown tables wherever they stand in a file, or one CSV table."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass

from assay.errors import Fault, InputError

RULE = re.compile(r"^\s*\|?\s*:?-{1,}:?\s*(\|\s*:?-{1,}:?\s*)*\|?\s*$")
SPLIT = re.compile(r"(?<!\\)\|")
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$")


@dataclass(frozen=True, slots=True)
class Grid:
    """A header and rows of its width, with the line of each row, and rows of another width."""

    name: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...]
    faults: tuple[Fault, ...] = ()  # they matter only where the table has measures


def markdown(text: str, source: str) -> list[Grid]:
    """Every pipe table of a text, named by its number and the heading above it."""
    lines = text.splitlines()
    heading, at = "", 0
    grids: list[Grid] = []
    fenced = False
    while at < len(lines):
        line = lines[at]
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        elif not fenced and len(line) < 1000 and (found := HEADING.match(line)):
            heading = found[1]
        elif not fenced and "|" in line and at + 1 < len(lines) and _is_rule(lines[at + 1]):
            end = at + 2
            while end < len(lines) and "|" in lines[end] and lines[end].strip():
                end += 1
            name = f"table {len(grids) + 1}" + (f" ({heading})" if heading else "")
            numbered = [(at, line), *((place, lines[place]) for place in range(at + 2, end))]
            cells = [(place + 1, _cells(row)) for place, row in numbered]
            grids.append(_grid(name, cells, source))
            at = end
            continue
        at += 1
    return grids


def _is_rule(line: str) -> bool:
    return "-" in line and len(line) < 10_000 and RULE.match(line) is not None


def _cells(line: str) -> list[str]:
    bare = line.strip()
    bare = bare[1:] if bare.startswith("|") else bare
    bare = bare[:-1] if bare.endswith("|") and not bare.endswith("\\|") else bare
    return [cell.strip().replace("\\|", "|") for cell in SPLIT.split(bare)]


def separated(text: str, source: str, *, tabs: bool = False) -> list[Grid]:
    """One table of values between tabs, semicolons or commas, as its first line has them."""
    first = text.split("\n", 1)[0]
    mark = "\t" if tabs or "\t" in first else ";" if first.count(";") > first.count(",") else ","
    try:
        reader = csv.reader(io.StringIO(text), delimiter=mark, strict=True)
        rows = [(reader.line_num, row) for row in reader]
    except csv.Error as error:
        raise InputError.of(source, f"is not CSV ({error})", "expected rows of cells") from None
    cells = [
        (line, [cell.strip() for cell in row]) for line, row in rows if any(map(str.strip, row))
    ]
    return [_grid("table 1", cells, source)] if len(cells) > 1 else []


def _grid(name: str, cells: list[tuple[int, list[str]]], source: str) -> Grid:
    """A grid; rows of another width than the header are cut or filled, and are faults."""
    (_, head), *body = cells
    width = len(head)
    faults = tuple(
        Fault(source, f"line {line}", f"has {len(row)} cells", f"its header has {width} columns")
        for line, row in body
        if len(row) != width
    )
    rows = tuple(tuple([*row, *[""] * width][:width]) for _, row in body)
    return Grid(name, tuple(head), rows, tuple(line for line, _ in body), faults)
