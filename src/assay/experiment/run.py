"""From a configuration to predictions, their bundle, floors and a record."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from assay.contracts.load import contract
from assay.data.corpus import read_corpus
from assay.errors import InputError
from assay.evaluation.api import evaluate
from assay.evaluation.bundle.folder import write_folder
from assay.evaluation.bundle.hashes import sha256
from assay.evaluation.bundle.write import MANIFEST, manifest, write_json
from assay.evaluation.intervals import Bootstrap
from assay.evaluation.result import Result
from assay.evaluation.run import DEFAULT_GROUPS
from assay.experiment.floors import floors, retriever
from assay.experiment.objective import objective
from assay.experiment.thresholds import choose, clean, state_thresholds
from assay.metrics.catalogue import metric
from assay.pipeline.answers import Answers
from assay.pipeline.cache import code
from assay.pipeline.plan import Plan
from assay.pipeline.run import Heard, pipeline_of, predict
from assay.version import VERSION

CACHE, PREDICTIONS, BUNDLE, FLOORS, THRESHOLDS, RECORD = (
    "cache", "predictions", "bundle", "floors.csv", "thresholds.csv", "run.json",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Outcome:
    """A scored run: the result, the floors with the system among them, and who chose what."""

    result: Result
    floors: pl.DataFrame
    thresholds: pl.DataFrame | None


def run(
    plan: Plan,
    output: str | Path,
    *,
    overwrite: bool = False,
    processes: int = 2,
    heard: Heard = lambda *_: None,
) -> Outcome:
    """Nested cross-validation: predictions, their bundle, floors and a record, in a folder.

    What is done is kept in the folder's `cache`, so a run that was ended goes on where it was and
    leaves the same bytes. A finished run of another configuration is refused unless `overwrite`.
    """
    folder = Path(output)
    contract(plan.contract)  # what does not exist or cannot work is said before the work
    pipeline_of(plan, choose)
    corpus = read_corpus(plan.corpus)
    _refuse(folder, plan, overwrite=overwrite)
    _check_search(plan)
    answers = predict(
        plan, corpus, choose, cache=folder / CACHE, processes=processes, heard=heard,
        objective=objective,
    )  # fmt: skip
    _write_predictions(answers, folder / PREDICTIONS)
    protocol = plan.protocol
    result = evaluate(
        folder / PREDICTIONS,
        plan.corpus,
        contract=plan.contract,
        by=DEFAULT_GROUPS,
        system=Path(plan.source).stem,
        bootstrap=Bootstrap(protocol.resamples, protocol.seed) if protocol.resamples else None,
        clean=clean(plan),
    )
    result.save(folder / BUNDLE, overwrite=True)
    words = predict(retriever(plan), corpus, choose, cache=folder / CACHE, processes=1)
    beside = floors(plan, corpus, answers, result, words.candidates)
    put(folder / FLOORS, beside.write_csv())
    chosen = state_thresholds(plan, corpus, answers)
    if chosen is not None:
        put(folder / THRESHOLDS, chosen.write_csv())
    put(folder / RECORD, json.dumps(_record(plan, folder, answers), indent=1) + "\n")
    return Outcome(result, beside, chosen)


def _refuse(folder: Path, plan: Plan, *, overwrite: bool) -> None:
    """Say no before the work where the folder holds something else."""
    if folder.exists() and (not folder.is_dir() or (any(folder.iterdir()) and not _ours(folder))):
        raise InputError.of(str(folder), "exists and is not a run", "expected a new folder")
    try:
        before = json.loads((folder / RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return
    if before.get("plan") != plan.record() and not overwrite:
        problem = "has a finished run of another configuration"
        raise InputError.of(str(folder), problem, "expected a new folder, or --overwrite")


def _ours(folder: Path) -> bool:
    return (folder / CACHE).is_dir() or (folder / RECORD).is_file()


def _write_predictions(answers: Answers, folder: Path) -> None:
    def fill(fresh: Path) -> None:
        answers.candidates.write_parquet(fresh / "candidates.parquet")
        for name in ("decisions", "tune"):
            table = getattr(answers, name)
            if table is not None:
                table.write_csv(fresh / f"{name}.csv")
        write_json(fresh / MANIFEST, manifest(fresh))

    write_folder(folder, fill, overwrite=True)


def _check_search(plan: Plan) -> None:
    """What a search looks for must exist, and more of it must be better."""
    for name in plan.search.settings.objective if plan.search else ():
        if metric(name).better != "higher":
            problem = f"objective is {name}, which is not better when higher"
            raise InputError.of(f"{plan.source} [tune]", problem, "expected one such as ndcg@10")


def _record(plan: Plan, folder: Path, answers: Answers) -> dict[str, Any]:
    """What was run: configuration, seed, versions, and hashes of what went in and came out."""
    tables = sorted(path for path in plan.corpus.iterdir() if path.is_file())
    written = [folder / PREDICTIONS / MANIFEST, folder / BUNDLE / MANIFEST, folder / FLOORS]
    written += [path for path in [folder / THRESHOLDS] if path.is_file()]
    searches = {"search": dict(answers.searches)} if answers.searches else {}
    return {
        "schema": "assay/run/1",
        "plan": plan.record(),
        **searches,
        "versions": {"assay": VERSION, **code()},
        "corpus": {path.name: sha256(path) for path in tables},
        "output": {path.relative_to(folder).as_posix(): sha256(path) for path in written},
    }


def put(path: Path, text: str) -> None:
    """Write a file in one step."""
    fresh = path.with_name(f".{path.name}.unfinished")
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(path)
