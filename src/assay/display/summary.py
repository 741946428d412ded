"""What an object shows of itself: as text of at most 80 columns, or as HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

from assay.errors import printable
from assay.text_table import TextTable, page

WIDTH = 80
LINE = "border:0;border-bottom:1px solid rgba(128,128,128,0.35)"
CELL = f"padding:0.15em 0.9em 0.15em 0;{LINE};vertical-align:top"
TABLE = "border-collapse:collapse;border:0;margin:0.4em 0 0.9em 0;font-variant-numeric:tabular-nums"
CAPTION = "caption-side:top;text-align:left;font-weight:600;color:inherit;padding:0.2em 0;white-space:nowrap"
MOST_ROWS = 150
"""Most rows of a table in HTML: a notebook is not the place for one row per query."""
NOTE = "margin:0.3em 0;max-width:60em"

Parts = Sequence[TextTable | str]


@dataclass(frozen=True, slots=True)
class Summary:
    """Tables and notes in brief, what a notebook has folded below them, and how to get the rest."""

    parts: Parts
    folded: Mapping[str, Parts] = field(default_factory=dict)  # title to parts; in HTML only
    more: str = ""  # said after the text, which has nothing folded

    def text(self) -> str:
        """Return the parts as lines of at most 80 columns, as in a terminal of that width."""
        return page([*self.parts, self.more] if self.more else self.parts, WIDTH)

    def html(self) -> str:
        """Return one element with inline styles; colours are those of the page around it."""
        folded = (
            f'<details style="margin:0.3em 0"><summary style="cursor:pointer">{_escaped(title)}</summary>'
            f"{_html(parts)}</details>"
            for title, parts in self.folded.items()
        )
        return f'<div style="overflow-x:auto">{_html(self.parts)}{"".join(folded)}</div>'


def _html(parts: Parts) -> str:
    return "".join(
        f'<p style="{NOTE}">{_escaped(part)}</p>' if isinstance(part, str) else _html_table(part)
        for part in parts
    )


def _html_table(table: TextTable) -> str:
    head = "".join(_cell("th", name, at in table.left) for at, name in enumerate(table.head))
    rows = "".join(
        f"<tr>{''.join(_cell('td', text, at in table.left) for at, text in enumerate(row))}</tr>"
        for row in table.rows[:MOST_ROWS]
    )
    if len(table.rows) > MOST_ROWS:
        more = f"… and {len(table.rows) - MOST_ROWS:,} more rows"
        rows += f'<tr><td colspan="{len(table.head)}" style="text-align:left;{CELL}">{more}</td></tr>'
    caption = f'<caption style="{CAPTION}">{_escaped(table.title)}</caption>' if table.title else ""
    return f'<table style="{TABLE}">{caption}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'


def _cell(tag: str, text: str, left: bool) -> str:
    side = "left" if left else "right;white-space:nowrap"
    indent = "\N{NO-BREAK SPACE}" * (len(text) - len(text.lstrip(" ")))
    return f'<{tag} style="text-align:{side};{CELL}">{indent}{_escaped(text.lstrip(" "))}</{tag}>'


def _escaped(text: str) -> str:
    """Return text on one line, so that a page that indents its source does not change it."""
    return escape(printable(text, keep="\n")).replace("\n", "<br/>")
