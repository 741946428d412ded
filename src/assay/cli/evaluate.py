"""`assay evaluate`: read, score, print."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from assay.cli.bar import progress_bar
from assay.cli.output import print_json
from assay.contracts.load import contract as load_contract
from assay.contracts.model import Contract
from assay.data.readers.plain import read_qrels, read_run
from assay.errors import ContractError, InputError, shown
from assay.evaluation.api import evaluate
from assay.evaluation.inputs import Judged, read_decisions
from assay.evaluation.intervals import Bootstrap
from assay.evaluation.progress import Progress
from assay.evaluation.result import Result
from assay.evaluation.run import DEFAULT_GROUPS
from assay.evaluation.spelled import refuse_out_of_reach
from assay.metrics.family import whole_number

if TYPE_CHECKING:
    from assay.files.staging import Staging

LARGE_BLOCK = 24 << 20


@dataclass(frozen=True, slots=True)
class Request:
    """The options of the command."""

    predictions: tuple[Path, ...]
    corpus: Path | None
    qrels: Path | None
    runs: tuple[Path, ...]
    decisions: Path | None
    prob: str
    label: str
    group: str | None
    fold: str | None
    tune: Path | None
    clean: bool
    contract: str
    by: tuple[str, ...]
    measures: tuple[str, ...]
    k: str | None
    level: int | None
    depth: int | None
    complete: bool
    split: str | None
    ci: str
    seed: int
    output: Path | None
    overwrite: bool
    report: bool
    per_query: Path | None
    as_json: bool


def evaluate_command(request: Request) -> None:
    """Score every system before anything is written."""
    if request.per_query is not None and request.per_query.suffix not in (".csv", ".parquet"):
        raise InputError.of(
            str(request.per_query), "has no known ending", "expected a .csv or .parquet file"
        )
    # The C library gives freed memory back to the system and asks for it again, page by page, until
    # it has seen a large block freed. Never written to, this one costs nothing.
    np.empty(LARGE_BLOCK, dtype=np.uint8)
    base = load_contract(request.contract)
    contract = base.changed(
        level=request.level, depth=request.depth, complete=request.complete, k=cut_offs(request.k)
    )
    measures = request.measures or None
    refuse_out_of_reach(base, measures, level=request.level, complete=request.complete)
    targets = _targets(request)
    with progress_bar() as progress:
        results = _results(request, contract, progress)
    if not request.clean and not any(result.thresholds for result in results):
        expected = "expected a TUNE part, or --tune FILE with it"
        raise InputError.of("--tune-reused", "has no effect without TUNE queries", expected)
    show = partial(_show, request, results, contract)
    if not targets and request.per_query is None:
        show()
        return
    from assay.cli.ending import finish  # noqa: PLC0415 # only what is written needs it
    from assay.files.staging import Staging  # noqa: PLC0415

    with Staging() as staging:
        if targets:
            _stage_bundles(request, results, targets, staging)
        if request.per_query is not None:
            _refuse_inputs(request.per_query, results)
            staging.file(request.per_query, _per_query(request.per_query, results))
        finish(staging, show)


def _show(request: Request, results: Sequence[Result], contract: Contract) -> None:
    if request.as_json:
        documents = [result.to_dict() for result in results]
        body = documents[0] if len(documents) == 1 else documents
        print_json(body)
        return
    _print(results, contract, request.output, report=request.report)


def _by(request: Request) -> Sequence[str] | str:
    """A bundle has the breakdowns that a reader looks for, unless others are named."""
    return request.by or (DEFAULT_GROUPS if request.output is not None else ())


def _targets(request: Request) -> list[Path]:
    """Where bundles go: one folder, or one per system in it. Nothing is read before they are fine.

    Names that differ in upper and lower case only are the same on some file systems.
    """
    if request.output is None:
        return []
    from assay.evaluation.bundle.folder import refuse_existing  # noqa: PLC0415 # for bundles alone
    from assay.evaluation.bundle.read import MASTER  # noqa: PLC0415
    from assay.files.staging import refuse_shared  # noqa: PLC0415

    refuse_shared({"-o": request.output, "--per-query": request.per_query})
    names = [own_name(path) for path in (request.predictions or request.runs)]
    if len(names) < 2:
        refuse_existing(request.output, overwrite=request.overwrite)
        return [request.output]
    folded = [name.casefold() for name in names]
    twice = [name for name in names if folded.count(name.casefold()) > 1]
    if twice:
        problem = f"several systems would be written to its folder {shown(twice[0])}"
        expected = "rename the inputs, or evaluate them one by one"
        raise InputError.of(str(request.output), problem, expected)
    if (request.output / MASTER).exists():
        problem = "is a bundle, and several systems were given"
        raise InputError.of(str(request.output), problem, "expected another folder")
    if not request.overwrite:
        refuse_existing(request.output, overwrite=False)
    targets = [request.output / name for name in names]
    for target in targets:
        refuse_existing(target, overwrite=request.overwrite)
    return targets


def _stage_bundles(
    request: Request, results: Sequence[Result], targets: Sequence[Path], staging: Staging
) -> None:
    """Write every bundle with its report to scratch space."""
    from assay.evaluation.bundle.write import stage  # noqa: PLC0415 # only bundles need it

    for result, target in zip(results, targets, strict=True):
        fresh = stage(result, target, staging, overwrite=request.overwrite)
        if request.report:
            from assay.report.bundle import open_bundle  # noqa: PLC0415
            from assay.report.write import fill_report  # noqa: PLC0415

            with progress_bar() as progress:
                fill_report(open_bundle(fresh), fresh, progress=progress)


def _bootstrap(request: Request) -> Bootstrap | None:
    if request.ci == "none":
        return None
    try:
        return Bootstrap(1000 if request.ci == "fast" else int(request.ci), request.seed)
    except ValueError:
        expected = "expected none, fast or a number of resamples"
        raise InputError.of("--ci", f"is {request.ci!r}", expected) from None


def _results(request: Request, contract: Contract, progress: Progress | None) -> list[Result]:
    forms = [request.decisions, request.qrels, request.corpus or request.predictions]
    if sum(bool(form) for form in forms) > 1:
        expected = "expected one of PREDICTIONS --corpus, --qrels --run, and --decisions"
        raise InputError.of("evaluate", "several kinds of input were given", expected)
    if request.decisions:
        table = read_decisions(
            request.decisions,
            prob=request.prob,
            label=request.label,
            group=request.group,
            fold=request.fold,
        )
        return [
            evaluate(
                table,
                contract=contract,
                by=_by(request),
                measures=request.measures or None,
                bootstrap=_bootstrap(request),
                progress=progress,
                tune=request.tune,
                clean=request.clean,
            )
        ]
    kind = _plain if request.qrels else _corpus
    return kind(request, contract, progress)


def _corpus(request: Request, contract: Contract, progress: Progress | None) -> list[Result]:
    if not request.predictions or request.corpus is None:
        expected = "expected PREDICTIONS --corpus DIR, --qrels FILE --run FILE, or --decisions FILE"
        raise InputError.of("evaluate", "nothing to evaluate was given", expected)
    from assay.data.corpus import read_corpus  # noqa: PLC0415 # plain IR has none

    corpus = read_corpus(request.corpus)
    names = _names(request.predictions)
    return [
        evaluate(
            path,
            corpus,
            contract=contract,
            by=_by(request),
            measures=request.measures or None,
            system=name,
            bootstrap=_bootstrap(request),
            progress=progress,
            tune=request.tune,
            clean=request.clean,
        )
        for name, path in zip(names, request.predictions, strict=True)
    ]


def _plain(request: Request, contract: Contract, progress: Progress | None) -> list[Result]:
    if request.tune:
        raise InputError.of(
            "--tune", "a run has no probabilities", "expected --decisions or a corpus"
        )
    if not request.runs:
        raise InputError.of("evaluate", "--qrels without --run", "expected --qrels FILE --run FILE")
    qrels = read_qrels(request.qrels, request.split)
    names = _names(request.runs)
    return [
        evaluate(
            Judged(qrels, read_run(path, hashed=request.output is not None)),
            contract=contract,
            by=_by(request),
            measures=request.measures or None,
            system=name,
            bootstrap=_bootstrap(request),
            progress=progress,
        )
        for name, path in zip(names, request.runs, strict=True)
    ]


def _names(paths: Sequence[Path]) -> list[str]:
    """File names, or whole paths where names repeat."""
    places = [Path(os.path.realpath(path)) for path in paths]  # a loop of links is said later
    if len(set(places)) < len(paths):
        raise InputError.of("evaluate", "a system was given twice", "expected each of them once")
    names = [own_name(path) for path in paths]
    return names if len(set(names)) == len(names) else [str(path) for path in paths]


def own_name(path: Path) -> str:
    """The name of a file or folder behind links; a pipe has none of its own."""
    return path.resolve().name if path.is_file() or path.is_dir() else path.name


def cut_offs(text: str | None) -> tuple[int, ...] | None:
    """Cut-offs of `--k`."""
    if text is None:
        return None
    try:
        return tuple(whole_number(part.strip()) for part in text.split(","))
    except ValueError:
        raise ContractError(
            f"--k is {shown(text)}; whole numbers from 1 to 10^15 were expected, such as 1,5,30"
        ) from None


def _refuse_inputs(path: Path, results: Sequence[Result]) -> None:
    """An output must not replace what it was computed from."""
    sources = [result.sources for result in results if result.sources is not None]
    inputs = {file.path.resolve() for each in sources for file in each.files}
    if path.resolve() in inputs:
        raise InputError.of(str(path), "is an input", "expected another file")


def _per_query(path: Path, results: Sequence[Result]) -> bytes:
    """All rows of all systems, in the format of the path."""
    frames = [result.per_query for result in results]
    if len(results) > 1:
        frames = [
            frame.insert_column(0, pl.Series("system", [result.system] * frame.height))
            for frame, result in zip(frames, results, strict=True)
        ]
    whole = pl.concat(frames, how="diagonal")  # a system may lack measures that others have
    if path.suffix != ".parquet":
        return whole.write_csv().encode()
    body = BytesIO()
    whole.write_parquet(body)
    return body.getvalue()


def _whole(result: Result, contract: Contract) -> bool:
    """Whether everything was asked for, not only some measures by name."""
    return len(result.values) + len(result.absent) == len(contract.names)


def _print(
    results: Sequence[Result], contract: Contract, output: Path | None, *, report: bool
) -> None:
    from assay.cli.breakdowns import breakdown  # noqa: PLC0415 # JSON needs none of it
    from assay.cli.notes import notes  # noqa: PLC0415
    from assay.cli.selected import selected_k  # noqa: PLC0415
    from assay.cli.table import show  # noqa: PLC0415
    from assay.cli.view import (  # noqa: PLC0415
        head_line,
        one_system,
        several_systems,
        thresholds,
    )

    if len(results) > 1:
        parts = [several_systems(results)]
        lines = [f"{result.system}: {line}" for result in results for line in notes(result)]
        show(*parts, *(["\n".join(lines)] if lines else []))
        return
    result = results[0]
    lines = notes(result)
    show(
        head_line(result),
        *one_system(result, contract),
        *filter(None, [selected_k(result) if _whole(result, contract) else None]),
        *([thresholds(result)] if result.thresholds else []),
        *(table for column in result.groups for table in breakdown(result, column, contract)),
        *(["\n".join(lines)] if lines else []),
        *([_left(output, report=report)] if output else []),
    )


def _left(output: Path, *, report: bool) -> str:
    """Where things are, and what to do with them."""
    lines = [f"Report: {output / 'report.html'}"] if report else []
    return "\n".join([*lines, f"Bundle: {output}. Check it with: assay verify {output}"])
