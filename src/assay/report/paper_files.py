"""Write the tables for a paper: CSV, Markdown and LaTeX."""

from __future__ import annotations

from pathlib import Path

from assay.display.table_formats import csv_text, latex_text, markdown_text
from assay.evaluation.display.paper_tables import tables
from assay.evaluation.result import Result
from assay.files.scratch import write_new


def write_tables(result: Result, folder: Path) -> None:
    """Write every table of a result in every format."""
    folder.mkdir(parents=True, exist_ok=True)
    for table in tables(result):
        for ending, text in (
            (".csv", csv_text(table.head, table.rows)),
            (".md", markdown_text(table.title, table.head, table.rows, table.notes)),
            (".tex", latex_text(table.name, table.title, table.head, table.rows, table.notes)),
        ):
            write_new(folder / (table.name + ending), text)
