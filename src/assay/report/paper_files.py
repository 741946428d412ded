"""Write the tables for a paper: CSV, Markdown and LaTeX."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from assay.display.table_formats import csv_text, markdown_text
from assay.evaluation.display.main_tables import main_tables
from assay.evaluation.display.paper_tables import PaperTable, tables
from assay.evaluation.result import Result
from assay.files.scratch import write_new


def write_tables(result: Result, folder: Path, suppress_below: int | None = None) -> None:
    """Write every table of a result in every format; in breakdowns, small groups are hidden."""
    write_paper_tables([*main_tables(result, suppress_below), *tables(result, suppress_below)], folder)


def write_paper_tables(listed: Iterable[PaperTable], folder: Path) -> None:
    """Write tables as CSV, Markdown and LaTeX."""
    folder.mkdir(parents=True, exist_ok=True)
    for table in listed:
        for ending, text in (
            (".csv", csv_text(table.head, table.rows)),
            (".md", markdown_text(table.title, table.head, table.rows, table.notes)),
            (".tex", table.latex()),
        ):
            write_new(folder / (table.name + ending), text)
