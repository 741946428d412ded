"""Which format a text has, and the tables in it."""

from __future__ import annotations

from assay.errors import InputError
from assay.verify.lint.documents import drafts, parse
from assay.verify.lint.grid import Table, grids
from assay.verify.lint.latex import BEGIN, latex
from assay.verify.lint.layout import draft
from assay.verify.lint.pipes import markdown, separated
from assay.verify.lint.raw import Draft
from assay.verify.lint.sklearn_text import classification_reports
from assay.verify.lint.trec import is_trec, trec_eval

FORMATS = ("csv", "tsv", "markdown", "json", "latex", "sklearn", "trec_eval")
ENDINGS = {
    ".csv": "csv", ".tsv": "tsv", ".json": "json", ".tex": "latex", ".md": "markdown",
    ".markdown": "markdown",
}  # fmt: skip
Found = tuple[list[Draft], list[str]]  # tables with values, names of tables without a measure


def read(text: str, label: str, ignore: frozenset[str], *, ending: str, chosen: str) -> Found:
    """The tables of a text in the format that was chosen, or that its ending or content tells."""
    if chosen and chosen not in FORMATS:
        raise InputError.of(label, f"unknown format {chosen!r}", f"choose {', '.join(FORMATS)}")
    kind = chosen or ENDINGS.get(ending.lower()) or detected(text)
    if kind == "json":
        return drafts(parse(text, label), label, ignore)
    if kind == "trec_eval":
        return trec_eval(text, label, ignore), []
    return _from_tables(_tables(text, label, kind), label, ignore)


def detected(text: str) -> str:
    """The format of a text by its content."""
    start = text.lstrip()[:1]
    if start in ("{", "["):
        return "json"
    if BEGIN.search(text):
        return "latex"
    if markdown(text) or classification_reports(text):
        return "markdown"
    return "trec_eval" if is_trec(text) else "csv"


def _tables(text: str, label: str, kind: str) -> list[Table]:
    if kind == "latex":
        return latex(text)
    if kind == "sklearn":
        return classification_reports(text)
    if kind == "markdown":  # READMEs and logs print reports between other tables
        return [*markdown(text), *classification_reports(text)]
    return separated(text, label, tabs=kind == "tsv")


def _from_tables(tables: list[Table], label: str, ignore: frozenset[str]) -> Found:
    made, skipped = [], []
    for table in tables:
        found = [draft(grid, label, ignore) for grid in grids(table)]
        read_ones = [each for each in found if each is not None]
        made += read_ones
        if not read_ones:
            skipped.append(table.name)
    return made, skipped
