"""`assay run`: nested cross-validation of a configuration, with its floors."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import polars as pl

from assay.cli.bar import progress_bar
from assay.cli.ending import finish, tell
from assay.cli.notes import notes
from assay.cli.table import Table, show
from assay.cli.view import head_line, number, one_system
from assay.contracts.load import contract
from assay.experiment.floors import BESIDE
from assay.experiment.run import BUNDLE, Outcome, run
from assay.files.staging import Staging
from assay.pipeline.plan import Plan, read_plan
from assay.pipeline.run import Heard
from assay.report.bundle import open_bundle
from assay.report.write import PAGE, fill_report


def run_command(
    configuration: Path,
    output: Path,
    *,
    overwrite: bool,
    processes: int,
    seed: int | None,
    report: bool,
) -> None:
    """Run, print what `assay evaluate` would, and the floors."""
    plan = read_plan(configuration)
    if seed is not None:
        plan = plan.changed(seed=seed)
    with Staging() as staging:
        outcome = run(
            plan,
            output,
            overwrite=overwrite,
            processes=processes,
            heard=progress(tell),
            staging=staging,
        )
        last = f"\nThe run is in {output}, its bundle in {output / BUNDLE}."
        if report:
            with progress_bar() as bar:
                fill_report(open_bundle(outcome.bundle), outcome.bundle, progress=bar)
            last += f"\nReport: {output / BUNDLE / PAGE}"
        finish(staging, lambda: _print(outcome, plan, last))


def _print(outcome: Outcome, plan: Plan, last: str) -> None:
    lines = "\n".join(notes(outcome.result))
    rules = contract(plan.contract)
    show(head_line(outcome.result), *one_system(outcome.result, rules), *([lines] if lines else []))
    show(floors_table(outcome.floors))
    if outcome.thresholds is not None:
        show(thresholds_table(outcome.thresholds), promise(outcome.thresholds))
    show(last)


def progress(say: Callable[[str], object]) -> Heard:
    """A line for each stage that is done, with the time that is left at this pace."""
    begin = time.monotonic()

    def heard(fold: str, stage: str, _seconds: float, done: int, total: int) -> None:
        left = (time.monotonic() - begin) / done * (total - done)
        say(f"fold {fold} {stage}: {done} of {total}, about {clock(left)} left")

    return heard


def clock(seconds: float) -> str:
    """Minutes and seconds."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02d}"


def floors_table(frame: pl.DataFrame) -> Table:
    """One row a floor; the system stands among them. What none of them has is left out."""
    names = [name for name in BESIDE if frame[name].null_count() < frame.height]
    rows = []
    for row in frame.iter_rows(named=True):
        cells = [_cell(row[name], row[f"{name} std"]) for name in names]
        rows.append((row["system"], *cells))
    title = "\nBeside its floors and the oracle, mean ± std over the folds"
    return Table(title, ("system", *names), tuple(rows))


def thresholds_table(frame: pl.DataFrame) -> Table:
    """One row a threshold and set that chose it, over the folds."""
    rows = []
    for (name, chosen_on), part in frame.group_by("threshold", "chosen_on", maintain_order=True):
        certified = f"{sum(part['certified'])} of {part.height}"
        least = f"{min(part['positives'])} worth {min(part['units']):.0f}"
        shown = [_cell(*_mean(part[column])) for column in ("value", "eval", "eval_share")]
        rows.append((f"{name!s}: {part['rule'][0]}", str(chosen_on), certified, least, *shown))
    head = (
        "threshold", "chosen on", "certified", "least positives", "value", "kept on EVAL",
        "NEG or POS rate",
    )  # fmt: skip
    return Table("\nThe two thresholds of the states, on raw scores", head, tuple(rows), (0, 1))


def promise(frame: pl.DataFrame) -> str:
    """What TUNE can and cannot promise about τ_neg, of the fold that has the least."""
    own = frame.filter(pl.col("certifiable").is_not_null()).sort("units", maintain_order=True)
    if own.is_empty():
        return ""
    row = own.row(0, named=True)
    could = f"{row['certifiable']:.2%} could be certified"
    rest = "" if row["certified"] else f"; {could} with no miss among them"
    return f"tau_neg of fold {row['fold']}: {row['note']}{rest}."


def _mean(column: pl.Series) -> tuple[float | None, float | None]:
    known = column.drop_nulls()
    return (known.mean(), known.std()) if len(known) else (None, None)  # type: ignore[return-value] # of numbers


def _cell(value: float | None, std: float | None) -> str:
    if value is None:
        return "–"
    return number(value, "higher") + ("" if std is None else f" ± {std:.3f}")
