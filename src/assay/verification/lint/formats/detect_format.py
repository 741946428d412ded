"""Detect the format of a text and read its tables."""

from __future__ import annotations

from assay.errors import InputError
from assay.verification.lint.formats.html_tables import BEGIN as HTML
from assay.verification.lint.formats.html_tables import html
from assay.verification.lint.formats.json_values import drafts, parse
from assay.verification.lint.formats.latex_tables import BEGIN, latex
from assay.verification.lint.formats.markdown_csv import markdown, separated
from assay.verification.lint.formats.sklearn_text import classification_reports
from assay.verification.lint.formats.text_tables import text_tables
from assay.verification.lint.formats.trec_eval_output import is_trec, trec_eval
from assay.verification.lint.tables.grid import GridTable, grids
from assay.verification.lint.tables.grid_values import draft
from assay.verification.lint.tables.read_values import Draft

FORMATS = ("csv", "tsv", "markdown", "json", "latex", "html", "sklearn", "text", "trec_eval")
ENDINGS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".json": "json",
    ".tex": "latex",
    ".html": "html",
    ".htm": "html",
    ".md": "markdown",
    ".markdown": "markdown",
}
Found = tuple[list[Draft], list[str]]  # tables with values, names of tables without a measure


def read(text: str, label: str, ignore: frozenset[str], *, ending: str, chosen: str) -> Found:
    """Return the tables of a text in the chosen format, else detect it by extension or content."""
    if chosen and chosen not in FORMATS:
        raise InputError.of(label, f"unknown format {chosen!r}", f"choose {', '.join(FORMATS)}")
    kind = chosen or ENDINGS.get(ending.lower()) or detected(text)
    if kind == "json":
        return drafts(parse(text, label), label, ignore)
    if kind == "trec_eval":
        return trec_eval(text, label, ignore), []
    return _from_tables(_tables(text, label, kind), label, ignore)


def detected(text: str) -> str:
    """Return the format of a text by its content."""
    start = text.lstrip()[:1]
    if start in ("{", "["):
        return "json"
    if BEGIN.search(text):
        return "latex"
    if HTML.search(text):
        return "html"
    if markdown(text) or classification_reports(text):
        return "markdown"
    if is_trec(text):
        return "trec_eval"
    return "text" if text_tables(text) else "csv"


def _tables(text: str, label: str, kind: str) -> list[GridTable]:
    if kind == "latex":
        return latex(text)
    if kind == "html":
        return html(text, label)
    if kind == "sklearn":
        return classification_reports(text)
    if kind == "text":
        return text_tables(text)
    if kind == "markdown":  # READMEs and logs print reports between other tables.
        return [*markdown(text), *classification_reports(text)]
    return separated(text, label, tabs=kind == "tsv")


def _from_tables(tables: list[GridTable], label: str, ignore: frozenset[str]) -> Found:
    made, skipped = [], []
    for table in tables:
        found = [draft(grid, label, ignore) for grid in grids(table)]
        read_ones = [each for each in found if each is not None]
        made += read_ones
        if not read_ones:
            skipped.append(table.name)
    return made, skipped
