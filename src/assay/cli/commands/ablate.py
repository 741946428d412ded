"""`assay ablate`: what each part of a pipeline, a criterion or more TRAIN posts contribute."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from assay.cli import shared_options as shared
from assay.cli.options import INPUT, OUTPUT, WORK, define_command, option
from assay.cli.render.output import show
from assay.cli.unused_options import refuse_unused
from assay.display.table_formats import markdown_cell, markdown_section
from assay.errors import InputError, shown

if TYPE_CHECKING:
    from assay.pipeline.run_config import Plan

OPTIONS = {
    INPUT: (shared.CONFIGURATION,),
    "what to vary (default: the stages, or the configurations in [[ablation]])": (
        option(
            "--with-and-without CRITERION",
            "train with and without this criterion, and report the effect on all other criteria",
            dest="criterion",
        ),
        option("--learning-curve", "vary the number of TRAIN posts, to see whether more would help"),
        option(
            "--sizes N,N,…",
            "numbers of TRAIN posts per outer fold; all of TRAIN is added (default: 1/8, 1/4, 1/2 and 3/4 "
            "of TRAIN)",
        ),
        option(
            "--seeds N,N,…",
            "repeat every configuration with these seeds, and report mean and standard deviation over them",
        ),
    ),
    WORK: (shared.PROCESSES, shared.FOLDS, shared.FOLD_ENGINE),
    OUTPUT: (shared.FOLDER.but(help="output folder; the folder of an `assay run` reuses its work"),),
}
EXAMPLES = (
    "assay ablate pipeline.toml -o runs/first",
    "assay ablate pipeline.toml -o runs/first --with-and-without A.10",
    "assay ablate pipeline.toml -o runs/first --learning-curve --sizes 50,100,200",
    "assay ablate pipeline.toml -o runs/first --seeds 0,1,2",
)


def define(command: argparse.ArgumentParser) -> None:
    """Describe the command."""
    usage = (
        "CONFIG.toml -o DIR [options]",
        "CONFIG.toml -o DIR --with-and-without CRITERION [options]",
        "CONFIG.toml -o DIR --learning-curve [options]",
        "CONFIG.toml -o DIR --seeds N,N,… [options]",
    )
    define_command(command, run, OPTIONS, usage=usage, examples=EXAMPLES)


def run(options: argparse.Namespace) -> None:
    """Compute, write the tables and figures into the folder, print."""
    from assay.pipeline.run_config import read_plan

    others = ("learning_curve", "criterion", "folds")
    alone = {"criterion": ("learning_curve",), "seeds": others}
    refuse_unused(options, {"sizes": ("learning_curve",)}, alone)
    numbers, seeds = whole_numbers("--sizes", options.sizes), whole_numbers("--seeds", options.seeds)
    plan = read_plan(options.configuration)
    if options.folds is not None:
        _folds(options, plan, numbers)
    elif seeds:
        _seeds(options, plan, seeds)
    elif options.learning_curve:
        _learning_curve(options, plan, numbers)
    elif options.criterion is not None:
        _criterion_effect(options, plan)
    else:
        _stages(options, plan)


def whole_numbers(flag: str, text: str | None) -> tuple[int, ...]:
    """Return the numbers of `--sizes` or `--seeds`."""
    if text is None:
        return ()
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdecimal() and len(part) <= 18 for part in parts):
        expected = "expected whole numbers separated by commas, such as 50,100,200"
        raise InputError.of(flag, f"is {shown(text)}", expected)
    return tuple(map(int, parts))


def _work(options: argparse.Namespace) -> dict[str, Any]:
    return {"processes": options.processes, "engine": options.engine, "progress": _progress()}


def _progress() -> Callable[[str, int, int], None]:
    from assay.cli.ending import tell
    from assay.cli.render.pipeline_tables import remaining

    left = remaining()
    return lambda name, done, total: tell(
        f"{name} is done: {done} of {total}, about {left(done, total)} left"
    )


def _folds(options: argparse.Namespace, plan: Plan, numbers: tuple[int, ...]) -> None:
    """Compute some folds of every configuration, and print which are finished and which are left."""
    from assay.cli.render.fold_progress import next_command, progress_table
    from assay.experiment.ablation.ablation_folds import ablate_folds, varied_plans
    from assay.experiment.run import CACHE

    curve = numbers if options.learning_curve else None
    plans = varied_plans(plan, criterion=options.criterion, sizes=curve)
    cache = options.output / CACHE
    made = ablate_folds(plans, cache, options.folds, **_work(options))
    show(progress_table(made), next_command(options, list(made.values())))


def _stages(options: argparse.Namespace, plan: Plan) -> None:
    """Write `ablation*`: what each part of the pipeline contributes."""
    from assay.cli.ending import finish
    from assay.cli.render.ablation_tables import ablation_tables, absent_lines, draw_waterfalls
    from assay.evaluation.bundle.bundle_files import json_text
    from assay.experiment.ablation.ablate import ablate
    from assay.experiment.run import CACHE
    from assay.files.commit_steps import refuse_other_kinds
    from assay.files.staging import Staging
    from assay.report.figures.figure_files import no_figures

    output = options.output
    made = ablate(plan, output / CACHE, **_work(options))
    tables = ablation_tables(made)
    why = no_figures()
    charts = f"; figures: {why}" if why else ", and waterfall charts in figures."
    last = f"In {output}: ablation.md, ablation.json, *.csv{charts}"
    with Staging() as staging:
        for name in ("stages", "baselines", "gammas", "grid"):
            text = getattr(made, name).write_csv()
            staging.file(output / f"ablation_{name}.csv", text, parents=True)
        staging.file(output / "ablation.json", json_text(made.document))
        staging.file(output / "ablation.md", "\n".join(map(markdown_section, tables)))
        staging.merge(output / "figures", partial(draw_waterfalls, made), refuse_other_kinds)
        finish(staging, lambda: show(*tables, *absent_lines(made), last))


def _criterion_effect(options: argparse.Namespace, plan: Plan) -> None:
    """Write `criterion_effect.*`: what training on a criterion does to the others."""
    from assay.cli.ending import finish
    from assay.cli.render.criterion_effect_tables import criterion_effect_table, effect_lines
    from assay.evaluation.bundle.bundle_files import json_text
    from assay.experiment.ablation.criterion_effect import criterion_effect
    from assay.experiment.run import CACHE
    from assay.files.staging import Staging

    output = options.output
    made = criterion_effect(
        plan,
        options.criterion,
        output / CACHE,
        processes=options.processes,
        engine=options.engine,
        progress=_progress(),
    )
    table, lines = criterion_effect_table(made), effect_lines(made)
    last = f"In {output}: criterion_effect.csv, criterion_effect.md, criterion_effect.json."
    with Staging() as staging:
        staging.file(output / "criterion_effect.csv", made.effects.write_csv(), parents=True)
        staging.file(output / "criterion_effect.json", json_text(made.document))
        staging.file(output / "criterion_effect.md", markdown_section(table, *lines))
        finish(staging, lambda: show(table, *lines, last))


def _seeds(options: argparse.Namespace, plan: Plan, seeds: tuple[int, ...]) -> None:
    """Write `ablation_seeds*`: every configuration with several seeds."""
    from assay.cli.ending import finish
    from assay.cli.render.ablation_tables import seed_tables
    from assay.evaluation.bundle.bundle_files import json_text
    from assay.experiment.ablation.seed_spread import seed_spread
    from assay.experiment.run import CACHE
    from assay.files.staging import Staging

    output = options.output
    made = seed_spread(plan, output / CACHE, seeds, **_work(options))
    tables = seed_tables(made)
    last = f"In {output}: ablation_seeds.csv (one row per seed), .md and .json."
    with Staging() as staging:
        staging.file(output / "ablation_seeds.csv", made.values.write_csv(), parents=True)
        staging.file(output / "ablation_seeds.json", json_text(made.document))
        staging.file(output / "ablation_seeds.md", "\n".join(map(markdown_section, tables)))
        finish(staging, lambda: show(*tables, last))


def _learning_curve(options: argparse.Namespace, plan: Plan, numbers: tuple[int, ...]) -> None:
    """Write `learning_curve*`: quality against the number of TRAIN posts."""
    from assay.cli.ending import finish
    from assay.cli.render.learning_curve_tables import draw_learning_curves, learning_curve_table
    from assay.evaluation.bundle.bundle_files import json_text
    from assay.experiment.ablation.learning_curve import learning_curve
    from assay.experiment.run import CACHE
    from assay.files.commit_steps import refuse_other_kinds
    from assay.files.staging import Staging
    from assay.report.figures.figure_files import no_figures

    output = options.output
    made = learning_curve(
        plan,
        output / CACHE,
        sizes=numbers,
        processes=options.processes,
        engine=options.engine,
        progress=_progress(),
    )
    table, said = learning_curve_table(made), "\n".join(made.sentences)
    why = no_figures()
    charts = f"; figures: {why}" if why else ", and a figure per measure in figures."
    last = f"In {output}: learning_curve.csv, .md and .json{charts}"
    with Staging() as staging:
        staging.file(output / "learning_curve.csv", made.sizes.write_csv(), parents=True)
        staging.file(output / "learning_curve_change.csv", made.changes.write_csv())
        staging.file(output / "learning_curve.json", json_text(made.document))
        listed = "".join(f"- {markdown_cell(each, None)}\n" for each in made.sentences)
        staging.file(output / "learning_curve.md", f"{markdown_section(table)}\n{listed}")
        staging.merge(output / "figures", partial(draw_learning_curves, made), refuse_other_kinds)
        finish(staging, lambda: show(table, *([said] if said else []), last))
