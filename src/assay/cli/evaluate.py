"""`assay evaluate`: read, score, print."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from assay.cli.bar import progress_bar
from assay.contracts.load import contract as load_contract
from assay.contracts.model import Contract
from assay.data.readers.plain import read_qrels, read_run
from assay.errors import ContractError, InputError
from assay.evaluation.api import evaluate
from assay.evaluation.bundle.folder import refuse_existing
from assay.evaluation.inputs import Judged, read_decisions
from assay.evaluation.intervals import Bootstrap
from assay.evaluation.progress import Progress
from assay.evaluation.result import Result
from assay.evaluation.run import DEFAULT_GROUPS

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
    contract = load_contract(request.contract).changed(
        level=request.level, depth=request.depth, complete=request.complete, k=cut_offs(request.k)
    )
    if request.output is not None:
        refuse_existing(request.output, overwrite=request.overwrite)
    with progress_bar() as progress:
        results = _results(request, contract, progress)
    if request.output is not None:
        saved = _save(results, request.output, overwrite=request.overwrite)
        if request.report:
            _report(saved)
    if request.per_query is not None:
        _write_per_query(request.per_query, results)
    if request.as_json:
        documents = [result.to_dict() for result in results]
        body = documents[0] if len(documents) == 1 else documents
        sys.stdout.write(json.dumps(body, ensure_ascii=False, allow_nan=False) + "\n")
        return
    _print(results, contract, request.output, report=request.report)


def _by(request: Request) -> Sequence[str] | str:
    """A bundle has the breakdowns that a reader looks for, unless others are named."""
    return request.by or (DEFAULT_GROUPS if request.output is not None else ())


def _save(results: Sequence[Result], folder: Path, *, overwrite: bool) -> list[Path]:
    """One bundle; where there are several systems, one folder a system inside."""
    if len(results) == 1:
        return [results[0].save(folder, overwrite=overwrite)]
    return [
        result.save(folder / Path(result.system).name, overwrite=overwrite) for result in results
    ]


def _report(bundles: Sequence[Path]) -> None:
    from assay.report.write import write_report  # noqa: PLC0415 # only bundles need it

    with progress_bar() as progress:
        for bundle in bundles:
            write_report(bundle, progress=progress)


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
    if request.runs or request.split:
        raise InputError.of(
            "evaluate", "--run or --split without --qrels", "expected --qrels FILE --run FILE"
        )
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
            Judged(qrels, read_run(path)),
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
    if len({path.resolve() for path in paths}) < len(paths):
        raise InputError.of("evaluate", "a system was given twice", "expected each of them once")
    names = [path.resolve().name for path in paths]
    return names if len(set(names)) == len(names) else [str(path) for path in paths]


def cut_offs(text: str | None) -> tuple[int, ...] | None:
    """Cut-offs of `--k`."""
    if text is None:
        return None
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise ContractError(
            f"--k is {text!r}; whole numbers were expected, such as 1,5,30"
        ) from None


def _write_per_query(path: Path, results: Sequence[Result]) -> None:
    """All rows of all systems, in one step."""
    frames = [result.per_query for result in results]
    if len(results) > 1:
        frames = [
            frame.insert_column(0, pl.Series("system", [result.system] * frame.height))
            for frame, result in zip(frames, results, strict=True)
        ]
    whole = pl.concat(frames, how="diagonal")  # a system may lack measures that others have
    unfinished = path.with_name(path.name + ".unfinished")
    try:
        if path.suffix == ".parquet":
            whole.write_parquet(unfinished)
        else:
            whole.write_csv(unfinished)
        os.replace(unfinished, path)
    except OSError as error:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
        raise InputError.of(
            str(path), f"cannot be written ({error.strerror or error})", "expected a writable path"
        ) from None


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
