"""From a configuration to predictions, their bundle, floors and a record."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import polars as pl

from assay.contracts.load import contract
from assay.data.corpus import Corpus, read_corpus
from assay.data.readers.documents import read_json
from assay.errors import InputError
from assay.evaluation.api import evaluate
from assay.evaluation.bundle.folder import refuse_existing
from assay.evaluation.bundle.hashes import sha256
from assay.evaluation.bundle.write import MANIFEST, manifest, stage, write_json
from assay.evaluation.intervals import Bootstrap
from assay.evaluation.result import Result
from assay.evaluation.run import DEFAULT_GROUPS
from assay.experiment.floors import floors, retriever
from assay.experiment.objective import objective
from assay.experiment.thresholds import choose, clean, state_thresholds
from assay.files.scratch import contents, write_new
from assay.files.staging import Staging, joining
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
    """A scored run: the result, the floors with the system among them, and who chose what.

    `bundle` is where the bundle is; in scratch space where the run is staged.
    """

    result: Result
    floors: pl.DataFrame
    thresholds: pl.DataFrame | None
    bundle: Path


def run(
    plan: Plan,
    output: str | Path,
    *,
    overwrite: bool = False,
    processes: int = 2,
    heard: Heard = lambda *_: None,
    staging: Staging | None = None,
) -> Outcome:
    """Nested cross-validation: predictions, their bundle, floors and a record, in a folder.

    What is done is kept in the folder's `cache`, so an interrupted run resumes and leaves the same
    bytes. Everything else appears together at the end, or when the `staging` is committed. A
    finished run of another configuration is refused unless `overwrite`.
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
    with joining(staging) as into:
        made = _stage(plan, corpus, answers, folder, into)
    return made if staging else replace(made, bundle=folder / BUNDLE)


def _stage(plan: Plan, corpus: Corpus, answers: Answers, folder: Path, staging: Staging) -> Outcome:
    """Score the answers and stage every file of the run but its cache."""
    predictions = _stage_predictions(answers, folder / PREDICTIONS, staging)
    protocol = plan.protocol
    result = evaluate(
        predictions,
        corpus,
        contract=plan.contract,
        by=DEFAULT_GROUPS,
        system=Path(plan.source).stem,
        bootstrap=Bootstrap(protocol.resamples, protocol.seed) if protocol.resamples else None,
        clean=clean(plan),
    )
    bundle = stage(result, folder / BUNDLE, staging, overwrite=True)
    words = predict(retriever(plan), corpus, choose, cache=folder / CACHE, processes=1)
    beside = floors(plan, corpus, answers, result, words.candidates)
    chosen = state_thresholds(plan, corpus, answers)
    tables = {FLOORS: beside} | ({} if chosen is None else {THRESHOLDS: chosen})
    written = {
        f"{PREDICTIONS}/{MANIFEST}": sha256(predictions / MANIFEST),
        f"{BUNDLE}/{MANIFEST}": sha256(bundle / MANIFEST),
    }
    for name, table in tables.items():
        text = table.write_csv()
        staging.file(folder / name, text)
        written[name] = hashlib.sha256(text.encode()).hexdigest()
    record = _record(plan, corpus, answers, written)
    staging.file(folder / RECORD, json.dumps(record, indent=1) + "\n")
    return Outcome(result, beside, chosen, bundle)


def _refuse(folder: Path, plan: Plan, *, overwrite: bool) -> None:
    """Say no before the work where the folder holds something else."""
    if folder.exists() and (not folder.is_dir() or (contents(folder) and not _ours(folder))):
        raise InputError.of(str(folder), "exists and is not a run", "expected a new folder")
    try:
        before = read_json(folder / RECORD)
    except InputError:
        return
    other = not isinstance(before, dict) or before.get("plan") != plan.record()
    if other and not overwrite:
        problem = "has a finished run of another configuration"
        raise InputError.of(str(folder), problem, "expected a new folder, or --overwrite")


def _ours(folder: Path) -> bool:
    return (folder / CACHE).is_dir() or (folder / RECORD).is_file()


def _stage_predictions(answers: Answers, folder: Path, staging: Staging) -> Path:
    def fill(fresh: Path) -> None:
        body = BytesIO()
        answers.candidates.write_parquet(body)
        write_new(fresh / "candidates.parquet", body.getvalue())
        for name in ("decisions", "tune"):
            table = getattr(answers, name)
            if table is not None:
                write_new(fresh / f"{name}.csv", table.write_csv())
        write_json(fresh / MANIFEST, manifest(fresh))

    return staging.folder(folder, fill, partial(refuse_existing, overwrite=True))


def _check_search(plan: Plan) -> None:
    """What a search looks for must exist, and more of it must be better."""
    for name in plan.search.settings.objective if plan.search else ():
        if metric(name).better != "higher":
            problem = f"objective is {name}, which is not better when higher"
            raise InputError.of(f"{plan.source} [tune]", problem, "expected one such as ndcg@10")


def _record(
    plan: Plan, corpus: Corpus, answers: Answers, written: dict[str, str]
) -> dict[str, Any]:
    """What was run: configuration, seed, versions, and hashes of what went in and came out."""
    tables = (corpus.sentences, corpus.criteria, corpus.gold, corpus.queries, corpus.folds)
    records = [table.file.record() for table in tables if table is not None and table.file]
    told = {stage.name: stage.model() for stage in pipeline_of(plan, choose)}
    models = {name: model for name, model in told.items() if model is not None}
    searches = {"search": dict(answers.searches)} if answers.searches else {}
    return {
        "schema": "assay/run/1",
        "plan": plan.record(),
        **searches,
        "versions": {"assay": VERSION, **code()},
        **({"models": models} if models else {}),
        "corpus": {each.name: each.sha256 for each in sorted(records, key=lambda each: each.name)},
        "output": written,
    }
