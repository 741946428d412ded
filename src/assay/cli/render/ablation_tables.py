"""What `assay ablate` prints and draws: what each part of a pipeline contributes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from assay.cli.render.pipeline_tables import baselines_table
from assay.experiment.ablation.ablate import Ablation
from assay.experiment.ablation.seed_spread import SeedSpread
from assay.experiment.ablation.steps import MEASURES
from assay.report.figures.ablation_figure import Step, WaterfallDisplay
from assay.report.figures.figure_files import save_figure
from assay.text_table import TextTable

TITLES = {
    "stages": "Configurations: mean ± std over folds (AUROC without a gate: highest score)",
    "changes": "Change from the configuration before: difference [95% CI by post], p (Holm)",
    "gammas": "Dynamic K by probability mass γ",
    "grid": "Thresholds on TUNE: mean ± std over folds; EVAL was not used",
}


def draw_waterfalls(made: Ablation, folder: Path) -> None:
    """Draw one figure per measure, of the configurations that have it."""
    for measure, rows in made.document["measures"].items():
        steps = [_bar(row) for row in rows if row["value"] is not None]
        if steps:
            save_figure(WaterfallDisplay.of(measure, steps), folder)


def _bar(row: dict[str, Any]) -> Step:
    """Return a configuration; its error bar is the interval of its change, around its value."""
    if row["difference"] is None:
        return Step(row["name"], row["value"])
    low, high = (row["value"] + row[end] - row["difference"] for end in ("low", "high"))
    return Step(row["name"], row["value"], low, high)


def ablation_tables(made: Ablation) -> list[TextTable]:
    """Return the tables of an ablation in the order in which they are read."""
    changes = made.stages.select(
        "configuration", *(pl.struct(pl.col(f"^{name} .*$")).alias(name) for name in MEASURES)
    )
    return [
        _table(TITLES["stages"], made.stages.select("configuration", *_pairs(made.stages))),
        TextTable(
            TITLES["changes"],
            tuple(changes.columns),
            tuple((row[0], *map(_change, row[1:])) for row in changes.iter_rows()),
        ),
        baselines_table(made.baselines),
        _table(TITLES["gammas"], made.gammas),
        _table(TITLES["grid"], made.grid),
    ]


def _pairs(frame: pl.DataFrame) -> list[str]:
    return [each for name in MEASURES for each in (name, f"{name} std") if each in frame.columns]


def seed_tables(made: SeedSpread) -> list[TextTable]:
    """Return the values and the changes of an ablation with several seeds."""
    count = len(made.document["seeds"])
    changes = [f"{name} change{end}" for name in MEASURES for end in ("", " std")]
    renamed = made.spread.select("configuration", *changes).rename(lambda name: name.replace(" change", ""))
    titles = (f"Configurations, mean ± std over {count} seeds", "Change from the previous configuration")
    frames = (made.spread.select("configuration", *_pairs(made.spread)), renamed)
    return [_table(*each) for each in zip(titles, frames, strict=True)]


def absent_lines(made: Ablation) -> list[str]:
    """Return one line per configuration that lacks a measure."""
    rows = made.stages.select("configuration", "absent").iter_rows()
    lines = [f"{name}: {reason}." for name, reason in rows if reason]
    return ["Not available\n" + "\n".join(lines)] if lines else []


def _table(title: str, frame: pl.DataFrame) -> TextTable:
    """Return a table with mean ± std where both are known."""
    names = [each for each in frame.columns if not each.endswith(" std")]
    rows = tuple(
        tuple(_cell(row[each], row.get(f"{each} std")) for each in names)
        for row in frame.iter_rows(named=True)
    )
    return TextTable(title, tuple(names), rows)


def _change(parts: dict[str, float | None]) -> str:
    got = {name.rpartition(" ")[2]: value for name, value in parts.items()}
    if got["difference"] is None:
        return "–"
    span = f"{got['difference']:+.4f} [{got['low']:+.4f}, {got['high']:+.4f}]"
    return f"{span}, p {got['p']:.4f} ({got['holm']:.4f})"


def _cell(value: object, std: float | None) -> str:
    if value is None:
        return "–"
    if not isinstance(value, float):
        return str(value)
    shown = f"{value:,.0f}" if value >= 1000 else f"{value:.4f}"
    return shown if std is None else f"{shown} ± {std:.3f}"
