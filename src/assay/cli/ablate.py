"""`assay ablate`: tables of what the parts of a pipeline are worth."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from assay.ablation.run import Ablation, ablate
from assay.ablation.steps import MEASURES
from assay.cli.ending import finish, tell
from assay.cli.run import clock, floors_table
from assay.cli.table import Table, show
from assay.evaluation.bundle.write import json_text
from assay.experiment.run import CACHE
from assay.files.staging import Staging, refuse_other_kinds
from assay.pipeline.plan import read_plan
from assay.report.displays.measures import Step, WaterfallDisplay
from assay.report.figures import save_figure

TITLES = {
    "stages": "Configurations, mean ± std over folds; AUROC without a gate is of the highest score",
    "changes": "What each adds to the one before: difference [95 % CI by post], p (Holm)",
    "floors": "Beside its floors and the oracle",
    "gammas": "Dynamic K by mass γ",
    "grid": "Thresholds on TUNE, mean ± std over folds; EVAL was not looked at",
}


def ablate_command(configuration: Path, output: Path, *, processes: int) -> None:
    """Compute, write `ablation*`, print."""
    plan = read_plan(configuration)
    begin = time.monotonic()

    def heard(name: str, done: int, total: int) -> None:
        left = (time.monotonic() - begin) / done * (total - done)
        tell(f"{name} is done: {done} of {total}, about {clock(left)} left")

    made = ablate(plan, output / CACHE, processes=processes, heard=heard)
    tables = _tables(made)
    last = f"In {output}: ablation.md, ablation.json, *.csv, and waterfalls in figures."
    with Staging() as staging:
        for name in ("stages", "floors", "gammas", "grid"):
            text = getattr(made, name).write_csv()
            staging.file(output / f"ablation_{name}.csv", text, parents=True)
        staging.file(output / "ablation.json", json_text(made.document))
        parts = [f"## {table.title}\n\n{table.markdown()}\n" for table in tables]
        staging.file(output / "ablation.md", "\n".join(parts))
        staging.merge(output / "figures", partial(_waterfalls, made), refuse_other_kinds)
        finish(staging, lambda: show(*tables, *_absent(made), last))


def _waterfalls(made: Ablation, folder: Path) -> None:
    """One figure per measure, of the configurations that have it."""
    for measure, rows in made.document["measures"].items():
        steps = [_bar(row) for row in rows if row["value"] is not None]
        if steps:
            save_figure(WaterfallDisplay.of(measure, steps), folder)


def _bar(row: dict[str, Any]) -> Step:
    """A configuration; its line is the interval of what it adds, about its value."""
    if row["difference"] is None:
        return Step(row["name"], row["value"])
    low, high = (row["value"] + row[end] - row["difference"] for end in ("low", "high"))
    return Step(row["name"], row["value"], low, high)


def _tables(made: Ablation) -> list[Table]:
    changes = made.stages.select(
        "configuration", *(pl.struct(pl.col(f"^{name} .*$")).alias(name) for name in MEASURES)
    )
    return [
        _table("stages", made.stages.select("configuration", *_pairs(made.stages))),
        Table(
            TITLES["changes"],
            tuple(changes.columns),
            tuple((row[0], *map(_change, row[1:])) for row in changes.iter_rows()),
        ),
        floors_table(made.floors),
        _table("gammas", made.gammas),
        _table("grid", made.grid),
    ]


def _pairs(frame: pl.DataFrame) -> list[str]:
    return [each for name in MEASURES for each in (name, f"{name} std") if each in frame.columns]


def _absent(made: Ablation) -> list[str]:
    """One line a configuration that lacks something."""
    rows = made.stages.select("configuration", "absent").iter_rows()
    lines = [f"{name}: {reason}." for name, reason in rows if reason]
    return ["Absent\n" + "\n".join(lines)] if lines else []


def _table(name: str, frame: pl.DataFrame) -> Table:
    """Mean ± std where both are there."""
    names = [each for each in frame.columns if not each.endswith(" std")]
    rows = tuple(
        tuple(_cell(row[each], row.get(f"{each} std")) for each in names)
        for row in frame.iter_rows(named=True)
    )
    return Table(TITLES[name], tuple(names), rows)


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
