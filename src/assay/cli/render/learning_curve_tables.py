"""What `assay ablate --learning-curve` prints, writes and draws."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.experiment.ablation.learning_curve import MEASURES, LearningCurve
from assay.report.figures.figure_files import save_figure
from assay.report.figures.learning_curve_figure import CurvePoint, LearningCurveDisplay
from assay.text_table import TextTable

TITLE = "Quality against the number of TRAIN posts per outer fold: value [95% CI by post]"


def learning_curve_table(made: LearningCurve) -> TextTable:
    """Return one row per number of posts; measures that no row has are left out."""
    names = [name for name in MEASURES if made.sizes[name].null_count() < made.sizes.height]
    rows = tuple(
        (f"{row['train_posts']:,}", *(_cell(row, name) for name in names))
        for row in made.sizes.iter_rows(named=True)
    )
    return TextTable(TITLE, ("TRAIN posts", *names), rows)


def draw_learning_curves(made: LearningCurve, folder: Path) -> None:
    """Draw one figure per measure."""
    for name in MEASURES:
        points = [
            CurvePoint(row["train_posts"], row[name], row[f"{name} low"], row[f"{name} high"])
            for row in made.sizes.iter_rows(named=True)
            if row[name] is not None
        ]
        if points:
            save_figure(LearningCurveDisplay.of(name, points), folder)


def _cell(row: Mapping[str, Any], name: str) -> str:
    if row[name] is None:
        return "–"
    low, high = row[f"{name} low"], row[f"{name} high"]
    return f"{row[name]:.4f}" + ("" if low is None else f" [{low:.4f}, {high:.4f}]")
