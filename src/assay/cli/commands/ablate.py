"""`assay ablate`: what each part of a pipeline contributes."""

from __future__ import annotations

import argparse
from functools import partial

from assay.cli import shared_options as shared
from assay.cli.options import INPUT, OUTPUT, STATISTICS, define_command
from assay.cli.render.output import show

OPTIONS = {
    INPUT: (shared.CONFIGURATION,),
    STATISTICS: (shared.PROCESSES,),
    OUTPUT: (shared.FOLDER.but(help="output folder; the folder of an `assay run` reuses its work"),),
}
EXAMPLES = ("assay ablate pipeline.toml -o runs/first",)


def define(command: argparse.ArgumentParser) -> None:
    """Describe the command."""
    usage = ("CONFIG.toml -o DIR [options]",)
    define_command(command, run, OPTIONS, usage=usage, examples=EXAMPLES)


def run(options: argparse.Namespace) -> None:
    """Compute, write `ablation*` into the folder, print."""
    from assay.cli.ending import finish, tell
    from assay.cli.render.ablation_tables import ablation_tables, absent_lines, draw_waterfalls
    from assay.cli.render.pipeline_tables import remaining
    from assay.evaluation.bundle.bundle_files import json_text
    from assay.experiment.ablation.ablate import ablate
    from assay.experiment.run import CACHE
    from assay.files.staging import Staging, refuse_other_kinds
    from assay.pipeline.run_config import read_plan

    output = options.output
    plan = read_plan(options.configuration)
    left = remaining()

    def heard(name: str, done: int, total: int) -> None:
        tell(f"{name} is done: {done} of {total}, about {left(done, total)} left")

    made = ablate(plan, output / CACHE, processes=options.processes, heard=heard)
    tables = ablation_tables(made)
    last = f"In {output}: ablation.md, ablation.json, *.csv, and waterfall charts in figures."
    with Staging() as staging:
        for name in ("stages", "baselines", "gammas", "grid"):
            text = getattr(made, name).write_csv()
            staging.file(output / f"ablation_{name}.csv", text, parents=True)
        staging.file(output / "ablation.json", json_text(made.document))
        parts = [f"## {table.title}\n\n{table.markdown()}\n" for table in tables]
        staging.file(output / "ablation.md", "\n".join(parts))
        staging.merge(output / "figures", partial(draw_waterfalls, made), refuse_other_kinds)
        finish(staging, lambda: show(*tables, *absent_lines(made), last))
