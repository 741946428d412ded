"""`assay compare`: read, compare, print."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.differences import head_line, notes, tables
from assay.cli.evaluate import cut_offs, own_name
from assay.cli.output import print_json
from assay.cli.table import show
from assay.data.corpus import read_corpus
from assay.data.readers.plain import read_qrels, read_run
from assay.errors import InputError
from assay.evaluation.bundle.systems import is_bundle
from assay.evaluation.compare import compare
from assay.evaluation.inputs import Judged, read_decisions

if TYPE_CHECKING:
    from assay.evaluation.inputs import Answers


@dataclass(frozen=True, slots=True)
class Request:
    """The options of the command."""

    predictions: tuple[Path, ...]
    corpus: Path | None
    qrels: Path | None
    runs: tuple[Path, ...]
    decisions: tuple[Path, ...]
    prob: str
    label: str
    group: str | None
    fold: str | None
    key: str | None
    contracts: tuple[str, ...]
    measures: tuple[str, ...]
    k: str | None
    level: int | None
    depth: int | None
    complete: bool
    split: str | None
    baseline: str
    all_pairs: bool
    resamples: int
    seed: int
    correction: str
    despite: tuple[str, ...]
    as_json: bool


def compare_command(request: Request) -> None:
    """Compare every system before anything is printed."""
    paths = _paths(request)
    first, second, *more = _answers(request, paths)
    made = compare(
        first,
        second,
        *more,
        corpus=read_corpus(request.corpus) if request.corpus else None,
        contract=request.contracts or None,
        measures=request.measures or None,
        k=cut_offs(request.k),
        level=request.level,
        depth=request.depth,
        complete=request.complete,
        names=_names(paths),
        key=request.key,
        baseline=request.baseline,
        all_pairs=request.all_pairs,
        resamples=request.resamples,
        seed=request.seed,
        correction=request.correction,
        despite=request.despite,
    )
    if request.as_json:
        print_json(made.to_dict())
        return
    lines = notes(made)
    show(head_line(made), *tables(made), "\n".join(lines))


def _paths(request: Request) -> Sequence[Path]:
    """The files or folders of the systems, of one kind of input."""
    forms = [request.decisions, request.qrels or request.runs]
    forms.append(request.corpus or request.predictions)
    if sum(bool(form) for form in forms) > 1:
        expected = "expected one of PREDICTIONS --corpus, --qrels --run, and --decisions"
        raise InputError.of("compare", "several kinds of input were given", expected)
    bundles = [is_bundle(path) for path in request.predictions]
    if request.predictions and not request.corpus and not all(bundles):
        raise InputError.of("compare", "no corpus was given", "expected PREDICTIONS --corpus DIR")
    paths = request.decisions or request.runs or request.predictions
    if len(paths) < 2:
        problem = "one system was given" if paths else "no system was given"
        expected = "expected A B --corpus DIR, --qrels FILE --run A B, or --decisions A B"
        raise InputError.of("compare", problem, expected)
    return paths


def _answers(request: Request, paths: Sequence[Path]) -> list[Answers]:
    if request.decisions:
        return [
            read_decisions(
                path,
                prob=request.prob,
                label=request.label,
                group=request.group,
                fold=request.fold,
            )
            for path in paths
        ]
    if request.qrels:
        qrels = read_qrels(request.qrels, request.split)
        return [Judged(qrels, read_run(path)) for path in paths]
    return list(paths)


def _names(paths: Sequence[Path]) -> list[str]:
    """File names, or whole paths where the names of different files repeat."""
    names = [own_name(path) for path in paths]
    different = {os.path.realpath(path) for path in paths}
    return names if len(set(names)) == len(different) else [str(path) for path in paths]
