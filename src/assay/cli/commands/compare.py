"""`assay compare`: read systems, compare them, print differences and tests."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli import shared_options as shared
from assay.cli.commands.evaluate import cut_offs
from assay.cli.options import (
    DEFINITIONS,
    INPUT,
    OUTPUT,
    REPEATED,
    SEVERAL,
    STATISTICS,
    WORK,
    define_command,
    option,
)
from assay.cli.render.output import print_json, show
from assay.cli.system_inputs import (
    LOG_EXCLUDES,
    LOG_NEEDS,
    NEEDS,
    judged_runs,
    label_table,
    log_input,
    refuse_several_forms,
    system_names,
)
from assay.cli.unused_options import Needs, refuse_unused
from assay.errors import InputError

if TYPE_CHECKING:
    from assay.evaluation.inputs.align_input import Input
    from assay.text_table import TextTable

OPTIONS = {
    INPUT: (
        option(
            "predictions SYSTEM",
            "predictions folders with --corpus, bundles or logs; at least two",
            nargs="*",
        ),
        shared.CORPUS,
        shared.QRELS,
        shared.RUN,
        shared.SPLIT,
        shared.DECISIONS.but(**SEVERAL),
        shared.ENGINE,
    ),
    shared.RANKING_COLUMNS_GROUP: shared.RANKING_COLUMNS,
    shared.LOG_GROUP: shared.LOG,
    shared.COLUMNS_GROUP: (
        *shared.COLUMNS,
        option(
            "--key COLUMN",
            "id column by which rows are matched; without it rows are matched by order, and their "
            "labels and groups must agree",
        ),
    ),
    DEFINITIONS: (
        option(
            "--contract ID|FILE.toml",
            "one contract for all systems, or one per system if repeated (default: assay/1)",
            dest="contracts",
            **REPEATED,
        ),
        shared.MEASURES,
        *shared.RANKING,
        option(
            "--allow-different contract|queries|gold|folds",
            "compare even if these differ between systems; repeatable",
            **REPEATED,
        ),
    ),
    STATISTICS: (
        option("--baseline NAME", "system to compare the others with (default: the first)", default="first"),
        option("--all-pairs", "compare every system with every other"),
        option("--resamples N", "resamples of the interval and the randomisation test", default=10_000),
        shared.SEED,
        option(
            "--correction holm|bh",
            "multiple-testing correction in the table: Holm or Benjamini-Hochberg "
            "(default: %(default)s); JSON output has both",
            default="holm",
        ),
    ),
    WORK: (shared.MEMORY,),
    OUTPUT: (
        option("-o --output DIR", "write the table (CSV, Markdown, LaTeX), JSON and figures by query here"),
        option("--overwrite", "replace an existing comparison"),
        shared.JSON,
    ),
}
EXAMPLES = (
    "assay compare old/ new/ --corpus corpus/ -m ndcg@10 -m auroc",
    "assay compare --qrels qrels.txt --run a.txt b.txt c.txt --all-pairs",
)
EXCLUDES: Needs = {
    **dict.fromkeys(("k", "level", "depth", "complete", "ties"), ("decisions",)),
    "baseline": ("all_pairs",),
}


def define(command: argparse.ArgumentParser) -> None:
    """Describe the command."""
    usage = (
        "SYSTEM SYSTEM [...] --corpus DIR [options]",
        "BUNDLE BUNDLE [...] [options]",
        "LOG.jsonl LOG.jsonl [...] [options]",
        "--qrels FILE --run FILE FILE [...] [options]",
        "--decisions FILE FILE [...] [options]",
    )
    define_command(command, run, OPTIONS, usage=usage, examples=EXAMPLES)


def run(options: argparse.Namespace) -> None:
    """Compare every system before anything is printed."""
    from assay.cli.ending import finish
    from assay.data.corpus import read_corpus
    from assay.evaluation.comparison.compare import compare
    from assay.evaluation.display.comparison_tables import head_line, notes, tables
    from assay.files.staging import Staging

    refuse_unused(options, {**NEEDS, **LOG_NEEDS, "overwrite": ("output",)}, {**EXCLUDES, **LOG_EXCLUDES})
    if options.output is not None:
        _refuse_existing(options.output, overwrite=options.overwrite)
    paths = _paths(options)
    first, second, *more = _answers(options, paths)
    made = compare(
        first,
        second,
        *more,
        corpus=read_corpus(options.corpus) if options.corpus else None,
        contract=options.contracts or None,
        measures=options.measures or None,
        k=cut_offs(options.k),
        level=options.level,
        depth=options.depth,
        complete=options.complete,
        ties=options.ties,
        names=system_names(paths),
        key=options.key,
        baseline=options.baseline,
        all_pairs=options.all_pairs,
        resamples=options.resamples,
        seed=options.seed,
        correction=options.correction,
        allow_different=options.allow_different,
        engine=options.engine if "engine" in options.typed else None,
        memory=options.memory,
    )
    parts: list[TextTable | str] = [head_line(made), *tables(made), "\n".join(notes(made))]
    with Staging() as staging:
        if options.output is not None:
            from assay.report.comparison_files import write_comparison

            may = partial(_refuse_existing, overwrite=options.overwrite)
            staging.folder(options.output, partial(write_comparison, made), may)
            parts.append(f"Comparison: {options.output}, with comparison.csv, .md, .tex, .json and figures/")
        finish(staging, lambda: print_json(made.to_dict()) if options.as_json else show(*parts))


def _refuse_existing(target: Path, *, overwrite: bool) -> None:
    """Raise where the target exists and must not be replaced: only a comparison is."""
    if not os.path.lexists(target):
        return
    if not overwrite:
        raise InputError.of(str(target), "exists", "choose a new folder, or --overwrite")
    if not (target / "comparison.json").is_file():
        raise InputError.of(str(target), "is not a comparison", "only a comparison is overwritten")


def _paths(options: argparse.Namespace) -> Sequence[Path]:
    """Return the files or folders of the systems, of one kind of input."""
    from assay.evaluation.bundle.bundle_systems import is_bundle

    forms = (options.decisions, options.qrels or options.runs)
    refuse_several_forms("compare", (*forms, options.corpus or options.predictions))
    predictions: list[Path] = options.predictions
    alone = _are_logs(predictions) or all(map(is_bundle, predictions))
    if predictions and not options.corpus and not alone:
        absent = [path for path in predictions if not path.exists()]
        if absent:
            raise InputError.of(str(absent[0]), "not found", "expected bundles, or logs")
        expected = "expected bundles, logs, or PREDICTIONS --corpus DIR"
        raise InputError.of("compare", "no corpus was given", expected)
    paths: list[Path] = options.decisions or options.runs or predictions
    if len(paths) < 2:
        problem = "one system was given" if paths else "no system was given"
        expected = "expected A B --corpus DIR, logs A B, --qrels FILE --run A B, or --decisions A B"
        raise InputError.of("compare", problem, expected)
    return paths


def _answers(options: argparse.Namespace, paths: Sequence[Path]) -> Sequence[Input]:
    if options.decisions:
        return [label_table(options, path) for path in paths]
    if not options.corpus and _are_logs(options.predictions):
        return [log_input(options, path) for path in paths]
    return judged_runs(options) if options.qrels else paths


def _are_logs(paths: Sequence[Path]) -> bool:
    return bool(paths) and all(path.is_file() for path in paths)
