r"""Rows of text as CSV, Markdown and LaTeX; whatever a name holds is shown as text.

LaTeX needs `\usepackage{booktabs, longtable, textcomp}` and `\usepackage[T1]{fontenc}`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap

from assay.text_table import TextTable

Rows = Sequence[Sequence[str]]
LONGEST = 120
"""Largest number of characters of a cell in Markdown and LaTeX."""
LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
    "'": r"\textquotesingle{}",
    "-": r"{-}",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "−": r"$-$",
    "±": r"$\pm$",
    "×": r"$\times$",
    "·": r"$\cdot$",
    "τ": r"$\tau$",
    "–": "--",
    "…": r"\dots{}",
    "†": r"\dag{}",
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    "’": "'",
    "‘": "`",
    "“": "``",
    "”": "''",
}
SPECIAL = re.compile(r"([\\`*_{}\[\]()#+!|~$-])")
NUMERIC = {"value", "Value", "std", "n", "threshold"}
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What makes a spreadsheet compute a cell instead of showing it."""
HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def csv_text(head: Sequence[str], rows: Rows) -> str:
    """Fields as text and numbers, quoted where a comma, a quote or a line end is in them."""
    return "".join(",".join(map(_csv_cell, row)) + "\n" for row in (head, *rows))


def _csv_cell(cell: str) -> str:
    """Return a number that a program can read, or text that a spreadsheet does not compute.

    Text that begins like a formula gets an apostrophe in front, as OWASP advises (CSV injection).
    """
    number = cell.replace("−", "-")
    if re.fullmatch(r"-?[0-9,]+(\.[0-9]+)?", number):
        return number.replace(",", "")
    text = f"'{number}" if number.startswith(FORMULA) else number
    # Python's writer leaves a bare CR unquoted, and what follows it would be a separate row.
    return '"' + text.replace('"', '""') + '"' if re.search('[,"\r\n]', text) else text


def visible(text: str, longest: int | None = LONGEST) -> str:
    """Return one line, cut where it is long; marks that cannot be seen are named: ⟨U+202E⟩."""
    seen = "".join(f"⟨U+{ord(mark):04X}⟩" if unicodedata.category(mark) in HIDDEN else mark for mark in text)
    return seen if longest is None or len(seen) <= longest else f"{seen[:longest]}…"


def markdown_cell(text: str, longest: int | None = LONGEST) -> str:
    """Return text that no Markdown or HTML reader takes for markup."""
    plain = visible(text, longest).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return SPECIAL.sub(r"\\\1", plain)


def markdown_text(title: str, head: Sequence[str], rows: Rows, notes: Sequence[str]) -> str:
    """Return a table as GitHub and Pandoc read it; numbers are right-aligned."""
    edges = ["---:" if name in NUMERIC else "---" for name in head]
    lines = [f"**{markdown_cell(title, None)}**", ""]
    for row in (head, None, *rows):
        cells = edges if row is None else [markdown_cell(cell) for cell in row]
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", *(f"{markdown_cell(note, None)}  " for note in notes)]
    return "\n".join(lines).rstrip() + "\n"


def markdown_table(table: TextTable) -> str:
    """Return the head and the rows of a printed table as Markdown, numbers right-aligned."""
    rule = ["---" if at in table.left else "---:" for at in range(len(table.head))]
    head, *rows = ([markdown_cell(cell, None) for cell in row] for row in (table.head, *table.rows))
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, rule, *rows))


def markdown_section(table: TextTable, *lines: str) -> str:
    """Return a section with the title of a printed table, the table, and a paragraph per line."""
    parts = [f"## {markdown_cell(table.title, None)}", markdown_table(table)]
    return "\n\n".join([*parts, *(markdown_cell(line, None) for line in lines)]) + "\n"


def latex_cell(text: str, longest: int | None = LONGEST) -> str:
    r"""Text that LaTeX sets verbatim: no command, no file, no mark without a glyph."""
    return "".join(_latex_mark(mark) for mark in visible(text, longest))


def _latex_mark(mark: str) -> str:
    if mark in LATEX:
        return LATEX[mark]
    if mark in "⟨⟩":
        return {"⟨": r"$\langle$", "⟩": r"$\rangle$"}[mark]
    if " " <= mark <= "~" or mark in "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝßàáâãäåæçèéêëìíîïñòóôõöøùúûüýÿŒœ":
        return mark
    return rf"$\langle$U+{ord(mark):04X}$\rangle$"


def latex_text(name: str, title: str, head: Sequence[str], rows: Rows, notes: Sequence[str]) -> str:
    """Return a booktabs longtable; a last column of text wraps."""
    spec = "".join("r" if each in NUMERIC else "l" for each in head[:-1])
    spec += "r" if head[-1] in NUMERIC else r"p{0.26\linewidth}"
    lines = [
        r"% Needs: \usepackage{booktabs, longtable, textcomp}",
        r"%        \usepackage[T1]{fontenc}",
        r"\begingroup\small",
        rf"\begin{{longtable}}{{@{{}}{spec}@{{}}}}",
        rf"\caption{{{latex_cell(title)}}}\label{{tab:{re.sub(r'[^a-z0-9]+', '-', name)}}}\\",
        r"\toprule",
        " & ".join(latex_cell(cell) for cell in head) + r" \\",
        r"\midrule",
        r"\endhead",
        r"\bottomrule",
        r"\endlastfoot",
        *(" & ".join(latex_cell(cell) for cell in row) + r" \\" for row in rows),
        r"\end{longtable}",
    ]
    lines += [rf"\noindent {{\footnotesize {latex_cell(note, None)}\par}}" for note in notes]
    return "\n".join([*lines, r"\endgroup", ""])


NAMES = ("System", "Baseline", "Measure")
"""Columns of a float that wrap where it would be too wide, besides the first."""
CHARACTERS = {True: 92, False: 44}
"""How many characters fit across two columns in footnotesize, and in one column in small."""
BETWEEN = 1.4
"""The space between two columns, in characters."""
NARROW = 10
"""Fewest characters of a line in a head."""
CODE = 8
"""Characters of the name of a mark without a glyph, such as ⟨U+202E⟩."""
PIECE = 12
"""Longest part of a word of a wrapped column that has no place to break."""


def latex_float(name: str, caption: str, head: Sequence[str], rows: Rows, *, wide: bool) -> str:
    """Return a booktabs table that fits one column of a two-column page, or with `wide` both.

    Where it would be too wide, the first column and those of names wrap. LaTeX breaks the caption.
    """
    kind, line = ("table*", r"\textwidth") if wide else ("table", r"\columnwidth")
    columns = [
        FloatColumn.of(title, [row[at] for row in rows], named=at == 0 or title in NAMES)
        for at, title in enumerate(head)
    ]
    shares = _shares(columns, CHARACTERS[wide])
    spec = "".join(
        each.kind if share is None else rf"p{{{share:.3f}{line}}}"
        for each, share in zip(columns, shares, strict=True)
    )
    listed = [
        [
            latex_cell(cell) if share is None else r"\raggedright " + _breakable(cell)
            for cell, share in zip(row, shares, strict=True)
        ]
        for row in rows
    ]
    lines = [
        r"% Needs: \usepackage{booktabs, textcomp}",
        r"%        \usepackage[T1]{fontenc}",
        rf"\begin{{{kind}}}[t]",
        r"\centering" + (r"\footnotesize" if wide else r"\small"),
        r"\setlength{\tabcolsep}{3pt}\setlength{\belowcaptionskip}{4pt}",
        rf"\caption{{{latex_cell(caption, None)}}}\label{{tab:{re.sub(r'[^a-z0-9]+', '-', name)}}}",
        rf"\begin{{tabular}}{{@{{}}{spec}@{{}}}}",
        r"\toprule",
        " & ".join(each.title for each in columns) + r" \\",
        r"\midrule",
        *(" & ".join(row) + r" \\" for row in listed),
        r"\bottomrule",
        r"\end{tabular}",
        rf"\end{{{kind}}}",
    ]
    return "\n".join([*lines, ""])


def float_width(head: Sequence[str], rows: Rows) -> float:
    """Return the width of a float without its first column, in characters."""
    columns = [FloatColumn.of(title, [row[at] for row in rows]) for at, title in enumerate(head)]
    return sum(each.width + BETWEEN for each in columns[1:])


@dataclass(frozen=True, slots=True)
class FloatColumn:
    """A column of a float: its head as LaTeX, its width in characters, how it is aligned."""

    title: str
    width: int
    kind: str  # l or r
    named: bool

    @classmethod
    def of(cls, title: str, cells: Sequence[str], *, named: bool = False) -> FloatColumn:
        """Break a head that is longer than its cells into lines."""
        length = max(map(_width, cells), default=0)
        seen = visible(title).replace(" ↑", "\N{NO-BREAK SPACE}↑").replace(" ↓", "\N{NO-BREAK SPACE}↓")
        parts = wrap(seen, max(length, NARROW), break_long_words=False) or [""]
        text = [latex_cell(part.replace("\N{NO-BREAK SPACE}", " ")) for part in parts]
        kind = "l" if any(mark.isalpha() for cell in cells for mark in cell) else "r"
        stacked = rf"\shortstack[{kind}]{{{BREAK.join(text)}}}" if len(parts) > 1 else text[0]
        return cls(stacked, max(length, *map(len, parts)), kind, named)


BREAK = r"\\"


def _shares(columns: Sequence[FloatColumn], characters: int) -> list[float | None]:
    """Return the share of the line of each column that wraps; none do if all of them fit."""
    space = characters - BETWEEN * (len(columns) - 1)
    names = sum(each.width for each in columns if each.named)
    free = space - sum(each.width for each in columns if not each.named)
    if names <= free:
        return [None] * len(columns)
    widths = [max(PIECE if each.width > PIECE else each.width, free * each.width / names) for each in columns]
    return [width / characters if each.named else None for each, width in zip(columns, widths, strict=True)]


def _width(text: str) -> int:
    """Return how many characters LaTeX sets for a text: a mark without a glyph is named."""
    return sum(CODE if _latex_mark(mark).startswith(r"$\langle$U") else 1 for mark in visible(text))


def _breakable(cell: str) -> str:
    """Return text that can be broken after punctuation and named marks, and within a long word."""
    parts, length = [], 0
    for mark in visible(cell):
        parts.append(_latex_mark(mark))
        length += _width(mark)
        if mark in " ._/-" or length >= PIECE or _width(mark) > 1:
            parts.append(r"\allowbreak{}")
            length = 0
    return "".join(parts).removesuffix(r"\allowbreak{}")
