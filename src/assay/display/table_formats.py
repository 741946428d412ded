r"""Rows of text as CSV, Markdown and LaTeX; whatever a name holds is shown as text.

LaTeX needs `\usepackage{booktabs, longtable, textcomp}` and `\usepackage[T1]{fontenc}`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

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
NUMERIC = {"value", "std", "n", "threshold"}
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


def visible(text: str) -> str:
    """Return one line, cut where it is long; marks that cannot be seen are named: ⟨U+202E⟩."""
    seen = "".join(f"⟨U+{ord(mark):04X}⟩" if unicodedata.category(mark) in HIDDEN else mark for mark in text)
    return seen if len(seen) <= LONGEST else f"{seen[:LONGEST]}…"


def markdown_cell(text: str) -> str:
    """Return text that no Markdown or HTML reader takes for markup."""
    plain = visible(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return SPECIAL.sub(r"\\\1", plain)


def markdown_text(title: str, head: Sequence[str], rows: Rows, notes: Sequence[str]) -> str:
    """Return a table as GitHub and Pandoc read it; numbers are right-aligned."""
    edges = ["---:" if name in NUMERIC else "---" for name in head]
    lines = [f"**{markdown_cell(title)}**", ""]
    for row in (head, None, *rows):
        cells = edges if row is None else [markdown_cell(cell) for cell in row]
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", *(f"{markdown_cell(note)}  " for note in notes)]
    return "\n".join(lines).rstrip() + "\n"


def latex_cell(text: str) -> str:
    r"""Text that LaTeX sets verbatim: no command, no file, no mark without a glyph."""
    return "".join(_latex_mark(mark) for mark in visible(text))


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
    lines += [rf"\noindent {{\footnotesize {latex_cell(note)}\par}}" for note in notes]
    return "\n".join([*lines, r"\endgroup", ""])
