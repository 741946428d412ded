"""`assay evaluate`: score systems, print the results, write bundles."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.cli import shared_options as shared
from assay.cli.options import (
    DEFINITIONS,
    INPUT,
    OUTPUT,
    REPEATED,
    STATISTICS,
    THRESHOLDS,
    WORK,
    define_command,
    option,
)
from assay.cli.render.output import print_json, show
from assay.cli.render.progress_bar import progress_bar
from assay.cli.system_inputs import (
    FORMS,
    LOG_EXCLUDES,
    NEEDS,
    judged_runs,
    label_table,
    log_input,
    refuse_several_forms,
    system_names,
)
from assay.cli.task_inputs import GROUP as TASK_GROUP
from assay.cli.task_inputs import OPTIONS as TASK_OPTIONS
from assay.cli.task_inputs import TASK_NEEDS, task_systems
from assay.cli.unused_options import Needs, refuse_unused
from assay.errors import ContractError, InputError, shown

if TYPE_CHECKING:
    from assay.contracts.contract import Contract
    from assay.evaluation.intervals.bootstrap_plan import Bootstrap
    from assay.evaluation.result import Result

FAST = 1000
OPTIONS = {
    INPUT: (
        option(
            "predictions PREDICTIONS",
            "predictions folders, logs of RAG and QA systems (JSON lines), or files of a shared task; one "
            "per system",
            nargs="*",
        ),
        shared.CORPUS,
        shared.QRELS,
        shared.RUN,
        shared.SPLIT,
        shared.DECISIONS,
        shared.ENGINE,
    ),
    shared.RANKING_COLUMNS_GROUP: shared.RANKING_COLUMNS,
    shared.COLUMNS_GROUP: shared.COLUMNS,
    shared.LOG_GROUP: shared.LOG,
    TASK_GROUP: TASK_OPTIONS,
    DEFINITIONS: (
        option(
            "--contract ID|FILE.toml",
            "contract that defines the measures (default: %(default)s); see `assay contract list`",
            default="assay/1",
        ),
        shared.MEASURES,
        *shared.RANKING,
        option(
            "--by COLUMN",
            "also report each value of this column, such as criterion_id; repeatable",
            **REPEATED,
        ),
    ),
    THRESHOLDS: (shared.TUNE, shared.TUNE_SHARE, shared.TUNE_REUSED),
    STATISTICS: (
        option(
            "--ci none|fast|N",
            f"bootstrap confidence intervals from N resamples; fast is {FAST}",
            default="none",
        ),
        shared.SEED,
    ),
    WORK: (shared.MEMORY,),
    OUTPUT: (
        option("-o --output DIR", "write a bundle: every number and the tables behind it"),
        option("--overwrite", "replace an existing bundle"),
        shared.NO_REPORT,
        shared.SUPPRESS,
        option("--per-query FILE", "write one row per query (.csv or .parquet)"),
        shared.JSON,
    ),
}
EXAMPLES = (
    "assay evaluate predictions/ --corpus corpus/ --ci fast -o bundle/",
    "assay evaluate log.jsonl --map question=q,retrieved=docs",
    "assay evaluate --qrels qrels.txt --run a.txt b.txt -m ndcg@10 -m map@10",
    "assay evaluate --decisions table.csv --prob p --label y -m auroc -m ece",
)
EXCLUDES: Needs = {
    **dict.fromkeys(("k", "level", "depth", "complete", "ties"), ("decisions",)),
    "tune_reused": ("qrels",),
    "tune_share": ("tune",),
    "suppress_below": ("as_json",),
}


def define(command: argparse.ArgumentParser) -> None:
    """Describe the command."""
    usage = (
        "PREDICTIONS [PREDICTIONS ...] --corpus DIR [options]",
        "LOG.jsonl [LOG.jsonl ...] [options]",
        "--qrels FILE --run FILE [FILE ...] [options]",
        "--decisions FILE [options]",
        "--task NAME [PREDICTIONS ...] [--data FILE] [options]",
    )
    define_command(command, run, OPTIONS, usage=usage, examples=EXAMPLES)


def run(options: argparse.Namespace) -> None:
    """Score every system before anything is written."""
    from assay.contracts.contract_toml import contract

    needs = {**NEEDS, **TASK_NEEDS, "seed": ("ci",), "overwrite": ("output",), "report": ("output",)}
    needs["tune_share"] = ("decisions",)
    refuse_unused(options, needs, EXCLUDES if options.task else {**EXCLUDES, **LOG_EXCLUDES})
    if options.per_query is not None and options.per_query.suffix not in (".csv", ".parquet"):
        problem, expected = "has no known ending", "expected a .csv or .parquet file"
        raise InputError.of(str(options.per_query), problem, expected)
    base = contract(options.contract)
    systems: Systems | None = None
    if options.task is not None:
        refuse_several_forms("evaluate", (options.task, options.decisions, options.corpus))
        systems = [(name, made, None) for name, made in task_systems(options, system_names)]
        if "contract" not in options.typed:
            base = contract(systems[0][1].contract)
    changed = base.changed(
        level=options.level,
        depth=options.depth,
        complete=options.complete,
        k=cut_offs(options.k),
        ties=options.ties,
    )
    options.measures = base.expanded(options.measures, labels=options.decisions is not None)
    measures = options.measures or None
    base.refuse_out_of_reach(measures, level=options.level, complete=options.complete)
    if options.output is not None:
        from assay.cli.bundle_output import bundle_targets

        targets = bundle_targets(options, None if systems is None else [str(each[0]) for each in systems])
    results = _results(options, changed, systems or _systems(options))
    if options.tune_reused and not any(result.thresholds for result in results):
        expected = "expected a TUNE part, or --tune FILE with it"
        raise InputError.of("--tune-reused", "has no effect without TUNE queries", expected)
    printed = _printed(options, results, changed if options.task is None else results[0].contract)
    if options.output is None and options.per_query is None:
        printed()
        return
    from assay.cli.bundle_output import stage_bundles, stage_per_query
    from assay.cli.ending import finish
    from assay.files.staging import Staging

    with Staging() as staging:
        if options.per_query is not None:
            stage_per_query(options.per_query, results, staging)
        if options.output is not None:
            stage_bundles(options, results, targets, staging)
        finish(staging, printed)


Systems = list[tuple[str | None, Any, Any]]
"""The name, the answers and the corpus of each system."""


def _results(options: argparse.Namespace, contract: Contract, systems: Systems) -> list[Result]:
    from assay.evaluation.evaluate import evaluate
    from assay.evaluation.scoring.score_all import DEFAULT_GROUPS

    changes = {name: getattr(options, name) for name in ("level", "depth", "complete", "ties")}
    settings: dict[str, Any] = {
        # The targets of a contract that nobody chose are judged only where it was made for the data.
        **({"contract": contract} if "contract" in options.typed else {**changes, "k": cut_offs(options.k)}),
        # A bundle has the breakdowns that a reader looks for, unless others are named.
        "by": options.by or (() if options.output is None else DEFAULT_GROUPS),
        "measures": options.measures or None,
        "bootstrap": _bootstrap(options),
        "tune": options.tune,
        "tune_share": options.tune_share,
        "tune_reused": options.tune_reused,
        **({"engine": options.engine} if "engine" in options.typed else {}),
        "memory": options.memory,
    }
    with progress_bar() as progress:
        return [
            evaluate(answers, corpus, system=name, progress=progress, **settings)
            for name, answers, corpus in systems
        ]


def _systems(options: argparse.Namespace) -> Systems:
    """Return the name, the answers and the corpus of each system."""
    forms = (options.decisions, options.qrels, options.corpus or options.predictions)
    refuse_several_forms("evaluate", forms)
    if options.decisions:
        return [(None, label_table(options, options.decisions), None)]
    if options.qrels:
        if options.tune:
            expected = "expected --decisions or a corpus"
            raise InputError.of("--tune", "a run has no probabilities", expected)
        if not options.runs:
            expected = "expected --qrels FILE --run FILE"
            raise InputError.of("evaluate", "--qrels without --run", expected)
        runs = judged_runs(options, hashed=options.output is not None)
        return [(name, run, None) for name, run in zip(_names(options.runs), runs, strict=True)]
    if options.predictions and options.corpus is None and not any(map(Path.is_dir, options.predictions)):
        names = _names(options.predictions)
        logs = [log_input(options, path) for path in options.predictions]
        return [(name, log, None) for name, log in zip(names, logs, strict=True)]
    if not options.predictions or options.corpus is None:
        lacks = {True: "--corpus without PREDICTIONS", False: "PREDICTIONS without --corpus"}
        given = options.predictions or options.corpus
        problem = lacks[bool(options.corpus)] if given else "nothing to evaluate was given"
        raise InputError.of("evaluate", problem, f"expected {FORMS}")
    from assay.data.corpus import read_corpus

    corpus = read_corpus(options.corpus)
    names = _names(options.predictions)
    return [(name, path, corpus) for name, path in zip(names, options.predictions, strict=True)]


def _names(paths: Sequence[Path]) -> list[str]:
    if len({os.path.realpath(path) for path in paths}) < len(paths):
        raise InputError.of("evaluate", "a system was given twice", "expected each of them once")
    return system_names(paths)


def _bootstrap(options: argparse.Namespace) -> Bootstrap | None:
    if options.ci == "none":
        return None
    from assay.evaluation.intervals.bootstrap_plan import Bootstrap

    try:
        return Bootstrap(FAST if options.ci == "fast" else int(options.ci), options.seed)
    except ValueError:
        expected = "expected none, fast or a number of resamples"
        raise InputError.of("--ci", f"is {shown(options.ci)}", expected) from None


def cut_offs(text: str | None) -> tuple[int, ...] | None:
    """Return the cut-offs of `--k`."""
    from assay.metrics.core.names.parameter import whole_number

    if text is None:
        return None
    try:
        return tuple(whole_number(part.strip()) for part in text.split(","))
    except ValueError:
        raise ContractError(
            f"--k is {shown(text)}; expected whole numbers from 1 to 10^15, such as 1,5,30"
        ) from None


def _printed(
    options: argparse.Namespace, results: Sequence[Result], contract: Contract
) -> Callable[[], object]:
    """Return what prints the results, without their tables: those may be let go."""
    if options.as_json:
        documents = [result.to_dict() for result in results]
        return partial(print_json, documents[0] if len(documents) == 1 else documents)
    from assay.evaluation.display.result_text import result_parts, systems_parts

    if len(results) > 1:
        return partial(show, *systems_parts(results))
    parts = result_parts(results[0], contract, below=options.suppress_below)
    if options.output is not None:
        report = []
        if options.report:
            from assay.report.figures.figure_files import no_figures

            why = no_figures()
            report = [f"Report: {options.output / 'report.html'}", *([f"Figures: {why}"] if why else [])]
        check = f"Bundle: {options.output}. Check it with: assay verify {options.output}"
        parts.append("\n".join([*report, check]))
    return partial(show, *parts)
