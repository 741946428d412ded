"""`assay run`: nested cross-validation of a pipeline, and its evaluation with baselines."""

from __future__ import annotations

import argparse

from assay.cli import shared_options as shared
from assay.cli.options import INPUT, OUTPUT, STATISTICS, define_command, option

OPTIONS = {
    INPUT: (shared.CONFIGURATION,),
    STATISTICS: (option("--seed N", "seed to use in place of the configuration's"), shared.PROCESSES),
    OUTPUT: (
        shared.RESUMED,
        option("--overwrite", "replace a finished run of another configuration"),
        shared.NO_REPORT,
    ),
}
EXAMPLES = ("assay run pipeline.toml -o runs/first --processes 4",)


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

    plan = read_plan(options.configuration)
    if options.seed is not None:
        plan = plan.changed(seed=options.seed)
    bundle = options.output / BUNDLE
    with Staging() as staging:
        outcome = run(
            plan,
            options.output,
            overwrite=options.overwrite,
            processes=options.processes,
            heard=stage_lines(tell),
            staging=staging,
        )
        last = f"The run is in {options.output}, its bundle in {bundle}."
        if options.report:
            with progress_bar() as bar:
                fill_report(report_bundle(outcome.bundle), outcome.bundle, progress=bar)
            last += f"\nReport: {bundle / PAGE}"
        finish(staging, lambda: print_run(outcome, plan, last))
