"""`assay ablate`: three tables of what the parts of a pipeline are worth."""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl

from assay.ablation import ablate
from assay.cli.table import Table, show
from assay.experiment import CACHE
from assay.pipeline.plan import read_plan


def ablate_command(configuration: Path, output: Path, *, processes: int) -> None:
    """Compute, write `ablation_*.csv`, print."""
    plan = read_plan(configuration)
    made = ablate(
        plan,
        output / CACHE,
        processes=processes,
        heard=lambda name: print(f"assay: {name} is done", file=sys.stderr),
    )
    titles = {
        "stages": "Each row adds to the one above; AUROC without a gate is of the highest score",
        "gammas": "Dynamic K by mass γ",
        "grid": "Thresholds on TUNE, mean over folds; EVAL was not looked at",
    }
    for name, title in titles.items():
        frame: pl.DataFrame = getattr(made, name)
        frame.write_csv(output / f"ablation_{name}.csv")
        show(_table(f"\n{title}", frame))


def _table(title: str, frame: pl.DataFrame) -> Table:
    """Mean ± std where both are there."""
    names = [name for name in frame.columns if not name.endswith(" std")]
    rows = tuple(
        tuple(_cell(row[name], row.get(f"{name} std")) for name in names)
        for row in frame.iter_rows(named=True)
    )
    return Table(title, tuple(names), rows)


def _cell(value: object, std: float | None) -> str:
    if value is None:
        return "–"
    if not isinstance(value, float):
        return str(value)
    return f"{value:.4f}" if std is None else f"{value:.4f} ± {std:.3f}"
