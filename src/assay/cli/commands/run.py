"""`assay run`: nested cross-validation of a pipeline, and its evaluation with baselines."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from assay.cli import shared_options as shared
from assay.cli.options import INPUT, OUTPUT, STATISTICS, WORK, define_command, option
from assay.cli.unused_options import refuse_unused
from assay.errors import InputError, shown

if TYPE_CHECKING:
    from assay.pipeline.run_config import Plan


def seed(text: str) -> int:
    """Return the seed of `--seed`."""
    from assay.pipeline.run_config import MOST_SEED

    if not (text.isascii() and text.isdecimal() and len(text) <= 18 and int(text) <= MOST_SEED):
        expected = f"expected a whole number from 0 to {MOST_SEED:,}"
        raise InputError.of("--seed", f"is {shown(text)}", expected)
    return int(text)


OPTIONS = {
    INPUT: (shared.CONFIGURATION,),
    STATISTICS: (option("--seed N", "seed to use in place of the configuration's", type=seed),),
    WORK: (shared.PROCESSES, shared.FOLDS, shared.FOLD_ENGINE),
    OUTPUT: (
        shared.RESUMED,
        option("--overwrite", "replace a finished run of another configuration"),
        shared.NO_REPORT,
        option(
            "--with-text",
            "include the strongest words of each query in its explanations; without it no file contains "
            "post text",
        ),
    ),
}
EXAMPLES = (
    "assay run pipeline.toml -o runs/first --processes 4",
    "assay run pipeline.toml -o runs/first --folds 0,3",
)


def define(command: argparse.ArgumentParser) -> None:
    """Describe the command."""
    usage = ("CONFIG.toml -o DIR [options]",)
    define_command(command, run, OPTIONS, usage=usage, examples=EXAMPLES)


def run(options: argparse.Namespace) -> None:
    """Run, print what `assay evaluate` would, and the baselines."""
    from assay.cli.ending import finish, tell
    from assay.cli.render.pipeline_tables import print_run, stage_lines
    from assay.cli.render.progress_bar import progress_bar
    from assay.experiment.run import BUNDLE, run
    from assay.files.staging import Staging
    from assay.pipeline.run_config import read_plan
    from assay.report.report_bundle import report_bundle
    from assay.report.report_folder import PAGE, fill_report

    refuse_unused(options, excludes={"report": ("folds",)})
    plan = read_plan(options.configuration)
    if options.seed is not None:
        plan = plan.changed(seed=options.seed)
    if options.folds is not None:
        _run_folds(options, plan)
        return
    bundle = options.output / BUNDLE
    with Staging() as staging:
        outcome = run(
            plan,
            options.output,
            overwrite=options.overwrite,
            processes=options.processes,
            engine=options.engine,
            with_text=options.with_text,
            progress=stage_lines(tell),
            staging=staging,
        )
        last = f"The run is in {options.output}, its bundle in {bundle}."
        if options.report:
            with progress_bar() as bar:
                fill_report(report_bundle(outcome.bundle), outcome.bundle, progress=bar, target=bundle)
            last += f"\nReport: {bundle / PAGE}"
        finish(staging, lambda: print_run(outcome, plan, last))


def _run_folds(options: argparse.Namespace, plan: Plan) -> None:
    """Compute some folds, and print which are finished and which are left."""
    from assay.cli.ending import tell
    from assay.cli.render.fold_progress import folds_text, next_command
    from assay.cli.render.output import show
    from assay.cli.render.pipeline_tables import stage_lines
    from assay.experiment.run_folds import run_folds

    made = run_folds(
        plan,
        options.output,
        options.folds,
        overwrite=options.overwrite,
        processes=options.processes,
        engine=options.engine,
        progress=stage_lines(tell),
    )
    show(folds_text(made), next_command(options, [made]))
