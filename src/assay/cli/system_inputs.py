"""The systems that options name, read as the library takes them."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli import shared_options as shared
from assay.cli.options import DEFINITIONS, option
from assay.cli.task_inputs import GROUP as TASK_GROUP
from assay.cli.task_inputs import OPTIONS as TASK_OPTIONS
from assay.cli.task_inputs import TASK_NEEDS, task_systems
from assay.cli.unused_options import Needs, refuse_unused
from assay.errors import Fault, InputError

STDIN = "-"
if TYPE_CHECKING:
    from assay.data.label_table import LabelTable
    from assay.data.logs.log import Log
    from assay.data.runs import JudgedRun
    from assay.evaluation.inputs.align_input import Input
    from assay.verification.recompute.original_inputs import Originals

FORMS = "PREDICTIONS --corpus DIR, LOG.jsonl, --qrels FILE --run FILE, or --decisions FILE"
ORIGINALS = {
    "original inputs\n"
    "Pass the inputs of `assay evaluate` again, to check the bundle against them.\n"
    "Without them, only the tables in the bundle are checked.": (
        option("--predictions DIR|LOG", "predictions folder, with --corpus; or a log", type=Path),
        shared.CORPUS,
        shared.QRELS,
        shared.RUN,
        shared.SPLIT,
        shared.DECISIONS,
        shared.TUNE,
        shared.TUNE_SHARE,
        shared.TUNE_REUSED,
    ),
    shared.RANKING_COLUMNS_GROUP: shared.RANKING_COLUMNS,
    shared.COLUMNS_GROUP: shared.COLUMNS,
    shared.LOG_GROUP: shared.LOG,
    TASK_GROUP: TASK_OPTIONS,
    DEFINITIONS: (
        option("--contract ID|FILE.toml", "contract that the bundle must use"),
        option("--system NAME", "system name that the bundle must have"),
    ),
}
NEEDS: Needs = {
    "runs": ("qrels",),
    **dict.fromkeys(("split", "qrels_columns", "run_columns"), ("qrels",)),
    **dict.fromkeys(("prob", "label", "group", "fold", "key"), ("decisions",)),
}
INPUTS = (
    *("predictions", "corpus", "qrels", "runs", "decisions", "tune", "contract"),
    *("data", "na_prob", "relevant", "non_relevant", "consensus"),
)
"""Options whose files are only read."""
TABLES = (".csv", ".tsv", ".json", ".jsonl", ".parquet", ".toml", ".gz")
LOG_EXCLUDES: Needs = dict.fromkeys(("fields", "log_format"), ("corpus", "qrels", "decisions"))
LOG_NEEDS: Needs = dict.fromkeys(("fields", "log_format"), ("predictions",))


def refuse_several_forms(command: str, forms: Sequence[object]) -> None:
    """Raise where more than one kind of input was given."""
    if sum(bool(form) for form in forms) > 1:
        problem = "more than one kind of input was given"
        raise InputError.of(command, problem, f"expected one of {FORMS}")


def label_table(options: argparse.Namespace, path: Path) -> LabelTable:
    """Read a table of labels and probabilities with the columns that the options name."""
    from assay.data.label_table import read_decisions

    columns = {name: getattr(options, name) for name in ("prob", "label", "group", "fold")}
    return read_decisions(path, **columns)


def log_input(options: argparse.Namespace, path: Path) -> Log:
    """Read the log of a RAG or QA system and say on stderr which fields were recognised."""
    from assay.cli.ending import tell
    from assay.cli.flags import with_flags
    from assay.data.logs.log import read_log
    from assay.data.logs.log_rows import is_table_file

    try:
        log = read_log(path, map=options.fields, format=options.log_format)
    except InputError as error:
        first = str(error.faults[0].problem)
        is_table = is_table_file(path) and options.fields is None and first.startswith("no field for")
        if not (is_table or first.startswith("is not JSON")):
            raise
        problem = "is neither a predictions folder nor a log"
        expected = "TREC files are given as --qrels FILE --run FILE, a table of labels as --decisions FILE"
        raise InputError([Fault(path.name, "", problem, expected), *error.faults[:1]]) from None
    for note in log.notes:
        tell(f"{path.name}: {with_flags(note)}")
    return log


def judged_runs(options: argparse.Namespace, *, hashed: bool = False) -> list[JudgedRun]:
    """Read the judgements once, and each run."""
    from assay.data.readers.qrels_and_runs import read_qrels, read_run
    from assay.data.runs import JudgedRun

    if [str(path) for path in (options.qrels, *options.runs)].count(STDIN) > 1:
        raise InputError.of("standard input", "was given twice", "expected it for one file at most")
    if "engine" in options.typed:
        from assay.engines.spark_session import is_local
        from assay.evaluation.inputs.accepted_inputs import Beside
        from assay.evaluation.inputs.engine_inputs import engine_runs

        if not is_local(options.engine):
            beside = Beside(options.qrels, options.split, options.qrels_columns, options.run_columns)
            return engine_runs(options.engine, options.runs, beside)
    qrels = read_qrels(options.qrels, options.split, options.qrels_columns)
    columns = options.run_columns
    return [JudgedRun(qrels, read_run(path, hashed=hashed, columns=columns)) for path in options.runs]


def system_names(paths: Sequence[Path]) -> list[str]:
    """Return file names, or whole paths where the names of different files repeat."""
    names = [own_name(path) for path in paths]
    different = {os.path.realpath(path) for path in paths}  # a loop of links is reported later
    return names if len(set(names)) == len(different) else [str(path) for path in paths]


def own_name(path: Path) -> str:
    """Return the name of a file or folder behind links; a pipe has only its path."""
    if str(path) == STDIN:
        return "stdin"
    return path.resolve().name if path.is_file() or path.is_dir() else path.name


def read_originals(options: argparse.Namespace) -> Originals | None:
    """Return what was given of the original evaluation, or None where nothing was."""
    needs = {**NEEDS, **LOG_NEEDS, **TASK_NEEDS}
    needs = {**needs, "corpus": ("predictions",), "tune": ("predictions", "decisions")}
    refuse_unused(options, needs, {} if options.task else LOG_EXCLUDES)
    forms = (options.predictions, options.qrels, options.decisions)
    refuse_several_forms("originals", forms)
    known = (options.contract, options.system, options.tune_reused or None, options.tune_share)
    if not any(each is not None for each in (*forms, options.task, *known)):
        return None
    from assay.contracts.contract_toml import contract
    from assay.verification.recompute.original_inputs import Originals

    return Originals(
        predictions=_answers(options),
        corpus=options.corpus,
        tune=options.tune,
        contract=None if options.contract is None else contract(options.contract),
        system=options.system,
        tune_reused=options.tune_reused,
        tune_share=options.tune_share,
    )


def refuse_inputs(outputs: Mapping[str, Path | None], options: argparse.Namespace) -> None:
    """Raise where an output would replace one of the original inputs, or a table in one of their folders."""
    given = [getattr(options, name, None) for name in INPUTS]
    paths = [path for each in given if each for path in (each if isinstance(each, list) else [each])]
    places = {os.path.realpath(path) for path in paths}
    for output in filter(None, outputs.values()):
        place = Path(os.path.realpath(output))
        inside = any(str(parent) in places for parent in place.parents)
        if str(place) in places or (inside and place.suffix in TABLES and os.path.exists(place)):
            raise InputError.of(str(output), "is an input", "expected another file")


def _task_answers(options: argparse.Namespace) -> Input:
    """Return the one system of the files of a shared task."""
    given = argparse.Namespace(**vars(options))
    given.predictions = [] if options.predictions is None else [options.predictions]
    systems = task_systems(given, system_names)
    if len(systems) != 1:
        names = ", ".join(name for name, _ in systems)
        raise InputError.of("--task", f"has {len(systems)} systems: {names}", "expected the files of one")
    return systems[0][1]


def _answers(options: argparse.Namespace) -> Input | None:
    if options.task is not None:
        return _task_answers(options)
    if options.decisions is not None:
        return label_table(options, options.decisions)
    if options.qrels is not None:
        if len(options.runs) != 1:
            problem = f"has no effect with {len(options.runs)} runs"
            raise InputError.of("--qrels", problem, "expected one --run FILE with it")
        return judged_runs(options)[0]
    if options.predictions is not None and options.corpus is None and options.predictions.is_file():
        return log_input(options, options.predictions)
    if options.predictions is not None and options.corpus is None:
        problem = "has no effect without --corpus"
        raise InputError.of("--predictions", problem, "expected --corpus DIR with it")
    predictions: Path | None = options.predictions
    return predictions
