"""The files of a comparison: its table in three formats, and a figure per pair and measure."""

from __future__ import annotations

from pathlib import Path

from assay.errors import MeasureError
from assay.evaluation.bundle.bundle_files import write_json
from assay.evaluation.comparison.comparison_result import Comparison
from assay.evaluation.display.main_tables import comparison_table
from assay.report.figures.difference_figure import DifferencesDisplay
from assay.report.figures.figure_files import save_figure
from assay.report.paper_files import write_paper_tables


def write_comparison(made: Comparison, folder: Path) -> None:
    """Write comparison.json, the table as CSV, Markdown and LaTeX, and figures of what has them."""
    write_json(folder / "comparison.json", made.to_dict())
    write_paper_tables([comparison_table(made)], folder)
    figures = folder / "figures"
    figures.mkdir()
    names: set[str] = set()
    for each in made.differences:
        try:
            display = DifferencesDisplay.of(made, each.name, each.baseline, each.system)
        except MeasureError:  # not a mean over queries
            continue
        at = sum(name.startswith(display.name) for name in names)
        stem = display.name + (f"_{at + 1}" if display.name in names else "")
        names.add(stem)
        save_figure(display, figures, stem=stem)
