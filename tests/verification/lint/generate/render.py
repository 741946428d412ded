"""One table of cells, printed in the formats that people use."""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isnan
from typing import Any

FORMATS = ("md", "csv", "tsv", "tex")


@dataclass(frozen=True)
class Generated:
    """A report as a file, with variants that have one planted fault each."""

    family: str
    name: str  # of the file
    text: str
    options: Mapping[str, Any] = field(default_factory=dict)
    planted: tuple[tuple[str, str], ...] = ()  # code, text


@dataclass(frozen=True)
class Printed:
    """Header levels, rows with their section, and a caption."""

    head: Sequence[Sequence[str]]
    rows: Sequence[Sequence[str]]
    sections: Sequence[str] = ()
    caption: str = ""

    def with_cell(self, row: int, column: int, text: str) -> Printed:
        """The table with another cell."""
        rows = [list(each) for each in self.rows]
        rows[row][column] = text
        return replace(self, rows=rows)

    def turned(self) -> Printed:
        """Rows as columns; only for a header of one level."""
        grid = [list(self.head[0]), *[list(row) for row in self.rows]]
        head, *rows = [list(row) for row in zip(*grid, strict=True)]
        return replace(self, head=[head], rows=rows, sections=())


def rendered(table: Printed, kind: str, style: int) -> str:
    """The table as text; `style` picks among the habits of authors."""
    if kind == "md":
        return _markdown(table, style)
    if kind == "tex":
        return _latex(table, style)
    out = io.StringIO()
    writer = csv.writer(out, delimiter="\t" if kind == "tsv" else ",", lineterminator="\n")
    for row in [*table.head, *_with_sections(table)]:
        writer.writerow(row)
    return out.getvalue()


def _with_sections(table: Printed) -> list[list[str]]:
    rows: list[list[str]] = []
    before = ""
    for at, row in enumerate(table.rows):
        section = table.sections[at] if table.sections else ""
        if section != before:
            rows.append([section, *[""] * (len(row) - 1)])
            before = section
        rows.append(list(row))
    return rows


def _markdown(table: Printed, style: int) -> str:
    first, *others = table.head
    body = [*others, *_with_sections(table)]
    if style % 3 == 1:  # the best value in bold
        body = [[f"**{cell}**" if at == 1 and cell else cell for at, cell in enumerate(row)] for row in body]
    lines = ["| " + " | ".join(row) + " |" for row in (first, *body)]
    lines.insert(1, "|" + "---|" * len(first))
    if style % 5 == 2 and table.sections:  # short rows, which GitHub fills
        lines = [line.rstrip("| ") + " |" if line.rstrip().endswith("|  |") else line for line in lines]
    caption = f"Table 1: {table.caption}\n\n" if table.caption else ""
    return f"# Results\n\n{caption}" + "\n".join(lines) + "\n\nText below.\n"


def tex_cell(text: str, style: int) -> str:
    """A cell as LaTeX authors write it."""
    escaped = text.replace("%", "\\%").replace("_", "\\_").replace("&", "\\&").replace("#", "\\#")
    escaped = escaped.replace("±", ("$\\pm$", "$\\pm$ ", "{\\tiny $\\pm$}")[style % 3])
    return escaped.replace("Δ", "$\\Delta$")


def _latex(table: Printed, style: int) -> str:
    width = len(table.head[-1])
    lines = ["% a comment with & and \\\\", "\\begin{table}[t]", "\\centering"]
    if table.caption:
        lines.append(f"\\caption{{{tex_cell(table.caption, style)}}}\\label{{tab:x}}")
    lines += [f"\\begin{{tabular}}{{l{'c' * (width - 1)}}}", "\\toprule"]
    for depth, level in enumerate(table.head):
        cells = (
            _spans(level, style) if depth < len(table.head) - 1 else [tex_cell(cell, style) for cell in level]
        )
        lines.append(" & ".join(cells) + " \\\\")
        if depth < len(table.head) - 1:
            lines.append(f"\\cmidrule(lr){{2-{width}}}")
    lines.append("\\midrule")
    before = ""
    for at, row in enumerate(table.rows):
        section = table.sections[at] if table.sections else ""
        if section != before:
            lines.append(f"\\multicolumn{{{width}}}{{c}}{{\\textit{{{tex_cell(section, 0)}}}}} \\\\")
            before = section
        cells = [tex_cell(cell, style) for cell in row]
        if style % 2 and len(cells) > 1:
            cells[1] = f"\\textbf{{{cells[1]}}}" if cells[1] else ""
            cells[-1] = f"\\underline{{{cells[-1]}}}" if cells[-1] else ""
        lines.append("  " + " & ".join(cells) + " \\\\" + (" % best" if style % 3 == 0 else ""))
    lines += ["\\bottomrule", "\\end{tabular}", "\\end{table}"]
    return "\n".join(lines) + "\n"


def _spans(level: Sequence[str], style: int) -> list[str]:
    """Equal neighbours as one cell over several columns."""
    cells: list[str] = []
    at = 0
    while at < len(level):
        end = at
        while end + 1 < len(level) and level[end + 1] == level[at] and level[at]:
            end += 1
        text = tex_cell(level[at], style)
        span = end - at + 1
        cells.append(f"\\multicolumn{{{span}}}{{c}}{{{text}}}" if span > 1 else text)
        at = end + 1
    return cells


def number(value: float, digits: int, *, percent: bool = False) -> str:
    """A value as printed; `percent` without a sign, such as 70.3."""
    if isnan(value):
        return "–"
    return f"{100 * value:.{max(digits - 2, 1)}f}" if percent else f"{value:.{digits}f}"


def pick_format(rng: random.Random, *, levels: int = 1) -> str:
    """A format that can hold a header of so many levels."""
    return rng.choice(FORMATS if levels == 1 else ("md", "csv", "tex"))


def as_file(
    family: str,
    table: Printed,
    kind: str,
    style: int,
    options: Mapping[str, Any],
    planted: Sequence[tuple[str, Printed]] = (),
) -> Generated:
    """A table and its planted variants as one generated report."""
    faults = tuple((code, rendered(each, kind, style)) for code, each in planted)
    return Generated(family, f"table.{kind}", rendered(table, kind, style), options, faults)


def as_json(family: str, values: Mapping[str, Any], options: Mapping[str, Any]) -> Generated:
    """An object as a report."""
    return Generated(family, "table.json", json.dumps(values), options)
