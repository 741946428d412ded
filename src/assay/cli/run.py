"""`assay run`: nested cross-validation of a configuration, with its floors."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

from assay.cli.notes import notes
from assay.cli.table import Table, show
from assay.cli.view import head_line, number, one_system
from assay.contracts.load import contract
from assay.experiment import BESIDE, BUNDLE, Outcome, run
from assay.pipeline.plan import read_plan


def run_command(
    configuration: Path, output: Path, *, overwrite: bool, processes: int, seed: int | None
) -> None:
    """Run, print what `assay evaluate` would, and the floors."""
    plan = read_plan(configuration)
    if seed is not None:
        plan = plan.changed(seed=seed)
    outcome = run(
        plan,
        output,
        overwrite=overwrite,
        processes=processes,
        heard=progress(sys.stderr.write),
    )
    lines = "\n".join(notes(outcome.result))
    rules = contract(plan.contract)
    show(head_line(outcome.result), *one_system(outcome.result, rules), *([lines] if lines else []))
    show(_floors(outcome))
    show(f"\nThe run is in {output}, its bundle in {output / BUNDLE}.")


def progress(say: Callable[[str], object]) -> Callable[[str, str, int, int], None]:
    """A line for each stage that is done, with the time that is left at this pace."""
    begin = time.monotonic()

    def heard(fold: str, stage: str, done: int, total: int) -> None:
        left = (time.monotonic() - begin) / done * (total - done)
        say(f"assay: fold {fold} {stage}: {done} of {total}, about {_clock(left)} left\n")

    return heard


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02d}"


def _floors(outcome: Outcome) -> Table:
    """One row a floor; the system stands among them."""
    frame = outcome.floors
    rows = []
    for row in frame.iter_rows(named=True):
        cells = ["–" if row[name] is None else number(row[name], "higher") for name in BESIDE]
        rows.append((row["system"], *cells))
    return Table("\nBeside its floors and the oracle", ("system", *BESIDE), tuple(rows))
