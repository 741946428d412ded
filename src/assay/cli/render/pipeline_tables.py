"""What `assay run` prints: the result, its baselines and thresholds, and the time left."""

from __future__ import annotations

import time
from collections.abc import Callable

import polars as pl

from assay.cli.render.output import show
from assay.contracts.contract_toml import contract
from assay.evaluation.display.result_tables import number
from assay.evaluation.display.result_text import result_parts
from assay.experiment.run import Outcome
from assay.experiment.run_baselines import BESIDE
from assay.pipeline.protocol.outer_folds import StageCallback
from assay.pipeline.run_config import Plan
from assay.text_table import TextTable


def print_run(outcome: Outcome, plan: Plan, last: str) -> None:
    """Print what `assay evaluate` would, then the baselines."""
    parts = result_parts(outcome.result, contract(plan.contract), brief=True)
    show(*parts, *baseline_parts(outcome), last, more=" A wider window or the bundle has them.")


def baseline_parts(outcome: Outcome) -> list[TextTable | str]:
    """Return the system among its baselines, and how its thresholds were chosen."""
    parts: list[TextTable | str] = [baselines_table(outcome.baselines)]
    if outcome.thresholds is not None:
        parts += [thresholds_table(outcome.thresholds), *promise(outcome.thresholds)]
    return parts


def remaining() -> Callable[[int, int], str]:
    """Return a function from work done and total work to the time left at the pace since now."""
    begin = time.monotonic()
    return lambda done, total: clock((time.monotonic() - begin) / done * (total - done))


def stage_lines(say: Callable[[str], object]) -> StageCallback:
    """Return a listener that reports each finished stage with the time left."""
    left = remaining()

    def progress(fold: str, stage: str, _seconds: float, done: int, total: int) -> None:
        say(f"fold {fold} {stage}: {done} of {total}, about {left(done, total)} left")

    return progress


def clock(seconds: float) -> str:
    """Return minutes and seconds."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02d}"


def baselines_table(frame: pl.DataFrame) -> TextTable:
    """Return one row per baseline and the system; measures that none of them has are left out."""
    names = [name for name in BESIDE if frame[name].null_count() < frame.height]
    rows = []
    for row in frame.iter_rows(named=True):
        cells = [_cell(row[name], row[f"{name} std"]) for name in names]
        rows.append((row["system"], *cells))
    several = any(frame[f"{name} std"].null_count() < frame.height for name in names)
    title = "The system, its baselines and the oracle" + (": mean ± std over folds" if several else "")
    return TextTable(title, ("system", *names), tuple(rows))


def thresholds_table(frame: pl.DataFrame) -> TextTable:
    """Return one row per threshold and the set it was chosen on, over the folds."""
    rows = []
    for (name, chosen_on), part in frame.group_by("threshold", "chosen_on", maintain_order=True):
        certified = f"{sum(part['certified'])} of {part.height}"
        least = f"{min(part['positives'])} worth {min(part['units']):.0f}"
        shown = [_cell(*_mean(part[column])) for column in ("value", "eval", "eval_share")]
        rows.append((f"{name!s}: {part['rule'][0]}", str(chosen_on), certified, least, *shown))
    head = ("threshold", "chosen on", "certified", "fewest positives", "value", "kept on EVAL")
    title = "The two thresholds of the three states, on raw scores"
    return TextTable(title, (*head, "NEG or POS rate"), tuple(rows), (0, 1))


def promise(frame: pl.DataFrame) -> list[str]:
    """Say what TUNE supports about τ_neg, in the fold with the fewest positives, if anything."""
    own = frame.filter(pl.col("certifiable").is_not_null()).sort("units", maintain_order=True)
    if own.is_empty():
        return []
    row = own.row(0, named=True)
    could = f"{row['certifiable']:.2%} could be certified"
    rest = "" if row["certified"] else f"; {could} with no miss among them"
    return [f"tau_neg of fold {row['fold']}: {row['note']}{rest}."]


def _mean(column: pl.Series) -> tuple[float | None, float | None]:
    known = column.drop_nulls()
    return (known.mean(), known.std()) if len(known) else (None, None)  # type: ignore[return-value] # of numbers


def _cell(value: float | None, std: float | None) -> str:
    if value is None:
        return "–"
    return number(value, "higher") + ("" if std is None else f" ± {std:.3f}")
