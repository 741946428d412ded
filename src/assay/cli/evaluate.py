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

from assay.contracts.load import contract as load_contract
from assay.contracts.model import Contract
from assay.data.readers.plain import read_qrels, read_run
from assay.errors import ContractError, InputError
from assay.evaluation.api import Judged, evaluate, read_decisions
from assay.evaluation.intervals import Bootstrap
from assay.evaluation.result import Result

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
        level=request.level, depth=request.depth, complete=request.complete, k=_cut_offs(request.k)
    )
    results = _results(request, contract)
    if request.per_query is not None:
        _write_per_query(request.per_query, results)
    if request.as_json:
        documents = [result.to_dict() for result in results]
        body = documents[0] if len(documents) == 1 else documents
        sys.stdout.write(json.dumps(body, ensure_ascii=False, allow_nan=False) + "\n")
        return
    _print(results, contract)


def _bootstrap(request: Request) -> Bootstrap | None:
    if request.ci == "none":
        return None
    try:
        return Bootstrap(1000 if request.ci == "fast" else int(request.ci), request.seed)
    except ValueError:
        expected = "expected none, fast or a number of resamples"
        raise InputError.of("--ci", f"is {request.ci!r}", expected) from None


def _results(request: Request, contract: Contract) -> list[Result]:
    forms = [request.decisions, request.qrels, request.corpus or request.predictions]
    if sum(bool(form) for form in forms) > 1:
        expected = "expected one of PREDICTIONS --corpus, --qrels --run, and --decisions"
        raise InputError.of("evaluate", "several kinds of input were given", expected)
    if request.decisions:
        table = read_decisions(
            request.decisions, prob=request.prob, label=request.label, group=request.group
        )
        return [
            evaluate(
                table,
                contract=contract,
                by=request.by,
                measures=request.measures or None,
                bootstrap=_bootstrap(request),
            )
        ]
    return _plain(request, contract) if request.qrels else _corpus(request, contract)


def _corpus(request: Request, contract: Contract) -> list[Result]:
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
            by=request.by,
            measures=request.measures or None,
            system=name,
            bootstrap=_bootstrap(request),
        )
        for name, path in zip(names, request.predictions, strict=True)
    ]


def _plain(request: Request, contract: Contract) -> list[Result]:
    if not request.runs:
        raise InputError.of("evaluate", "--qrels without --run", "expected --qrels FILE --run FILE")
    qrels = read_qrels(request.qrels, request.split)
    names = _names(request.runs)
    return [
        evaluate(
            Judged(qrels, read_run(path)),
            contract=contract,
            by=request.by,
            measures=request.measures or None,
            system=name,
            bootstrap=_bootstrap(request),
        )
        for name, path in zip(names, request.runs, strict=True)
    ]


def _names(paths: Sequence[Path]) -> list[str]:
    """File names, or whole paths where names repeat."""
    if len({path.resolve() for path in paths}) < len(paths):
        raise InputError.of("evaluate", "a system was given twice", "expected each of them once")
    names = [path.resolve().name for path in paths]
    return names if len(set(names)) == len(names) else [str(path) for path in paths]


def _cut_offs(text: str | None) -> tuple[int, ...] | None:
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


def _print(results: Sequence[Result], contract: Contract) -> None:
    from assay.cli.table import show  # noqa: PLC0415 # JSON needs none of it
    from assay.cli.view import breakdown, head_line, notes, one_system, several_systems  # noqa: PLC0415

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
        *(table for column in result.groups for table in breakdown(result, column, contract)),
        *(["\n".join(lines)] if lines else []),
    )
