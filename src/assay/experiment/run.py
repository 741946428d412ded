"""`run`: from a configuration to predictions, their bundle, baselines and a record."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import polars as pl

from assay.contracts.contract_toml import contract
from assay.data.cases import IN_TRAINING
from assay.data.corpus import Corpus, read_corpus
from assay.data.readers.json_toml import read_json
from assay.errors import InputError
from assay.evaluation.bundle.bundle_files import MANIFEST, manifest, sha256, write_json
from assay.evaluation.bundle.bundle_folder import refuse_existing
from assay.evaluation.evaluate import evaluate
from assay.evaluation.intervals.bootstrap_plan import Bootstrap
from assay.evaluation.result import Result
from assay.evaluation.scoring.score_all import DEFAULT_GROUPS
from assay.experiment.objective import objective
from assay.experiment.run_baselines import baselines
from assay.experiment.spark_folds import compute_on_engine
from assay.experiment.state_thresholds import choose, state_thresholds, tune_reused
from assay.files.scratch import contents, write_new
from assay.files.staging import Staging, joining
from assay.metrics.core.registry import metric
from assay.pipeline.custom.stage_calls import model_of
from assay.pipeline.custom.stage_sources import is_custom, source_hash
from assay.pipeline.prediction_tables import Answers
from assay.pipeline.protocol.free_memory import release_memory
from assay.pipeline.protocol.outer_folds import StageCallback, predict
from assay.pipeline.protocol.stage_cache import code
from assay.pipeline.run_config import Plan, pipeline_of, read_plan
from assay.version import VERSION

CACHE, PREDICTIONS, BUNDLE, BASELINES, THRESHOLDS, RECORD = (
    "cache",
    "predictions",
    "bundle",
    "baselines.csv",
    "thresholds.csv",
    "run.json",
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A scored run: the result, the baselines with the system among them, and the thresholds.

    `bundle` is the path of the bundle; in scratch space if the run is staged.
    """

    result: Result
    baselines: pl.DataFrame
    thresholds: pl.DataFrame | None
    bundle: Path


def run(
    plan: Plan | str | Path,
    output: str | Path,
    *,
    overwrite: bool = False,
    processes: int | None = None,
    engine: Any = None,
    with_text: bool = False,
    progress: StageCallback = lambda *_: None,
    staging: Staging | None = None,
) -> Outcome:
    """Run a pipeline with nested cross-validation or a single split, and evaluate it.

    Finished stages and folds are kept in the folder's `cache`: an interrupted run resumes, and gives
    the same bytes. All other files appear together at the end.

    Parameters
    ----------
    plan
        A configuration file, or what `read_plan` returns.
    output
        The folder for predictions, bundle, baselines and the record of the run.
    overwrite
        Replace a finished run of another configuration.
    processes
        How many folds to work on at the same time, one process each. By default 2 for a corpus of
        10,000 to a million (query, candidate) pairs, and else 1.
    engine
        Where folds are computed: this process and its workers (default), or Spark, as in `evaluate`.
        The output folder and the corpus must then be on a file system that all its workers share.
    with_text
        Add the strongest words of each query to its explanations. Without it, no file contains words
        of a text.
    progress
        Called after each stage with its fold, its name, its seconds, how many are done, and the total.
    staging
        Collects the files of several steps, to put them in place together.

    Returns
    -------
    Outcome
        The result, the baselines, the thresholds and the path of the bundle.

    Raises
    ------
    InputError, ContractError
        If the configuration, the corpus or the contract is faulty.

    Examples
    --------
    docs/pipeline.md has configurations and what they give.

    """
    plan = read_plan(plan)
    folder = Path(output)
    corpus = checked_corpus(plan, folder, overwrite=overwrite)
    compute_on_engine(engine, [plan], corpus, folder / CACHE, explain=True, processes=processes)
    answers = predict(
        plan,
        corpus,
        choose,
        cache=folder / CACHE,
        processes=processes,
        progress=progress,
        objective=objective,
        explain=True,
        with_text=with_text,
    )
    with joining(staging) as into:
        answers = replace(answers, decisions=_with_training(answers.decisions, plan.protocol.exclude))
        predictions = _stage_predictions(answers, folder / PREDICTIONS, into)
        answers = replace(answers, candidates=answers.candidates.clear(), explanations=None, words=None)
        release_memory()  # the evaluation reads the tables that were written
        made = _stage(plan, corpus, answers, predictions, folder, into, with_text=with_text)
    return made if staging else replace(made, bundle=folder / BUNDLE)


def checked_corpus(plan: Plan, folder: Path, *, overwrite: bool) -> Corpus:
    """Return the corpus of a plan; bad input is reported before the work starts."""
    contract(plan.contract)
    pipeline_of(plan, choose)
    corpus = read_corpus(plan.corpus)
    _refuse(folder, plan, overwrite=overwrite)
    _check_search(plan)
    return corpus


def _stage(
    plan: Plan,
    corpus: Corpus,
    answers: Answers,
    predictions: Path,
    folder: Path,
    staging: Staging,
    *,
    with_text: bool,
) -> Outcome:
    """Score the staged predictions, and stage every other file of the run except its cache."""
    from assay.evaluation.bundle.save import stage

    protocol = plan.protocol
    result = evaluate(
        predictions,
        corpus,
        contract=plan.contract,
        by=DEFAULT_GROUPS,
        system=Path(plan.source).stem,
        bootstrap=Bootstrap(protocol.resamples, protocol.seed) if protocol.resamples else None,
        tune_reused=tune_reused(plan),
    )
    bundle = stage(result, folder / BUNDLE, staging, overwrite=True)
    compared = baselines(result)
    chosen = state_thresholds(plan, corpus, answers)
    tables = {BASELINES: compared} | ({} if chosen is None else {THRESHOLDS: chosen})
    written = {
        f"{PREDICTIONS}/{MANIFEST}": sha256(predictions / MANIFEST),
        f"{BUNDLE}/{MANIFEST}": sha256(bundle / MANIFEST),
    }
    for name, table in tables.items():
        text = table.write_csv()
        staging.file(folder / name, text)
        written[name] = hashlib.sha256(text.encode()).hexdigest()
    record = _record(plan, corpus, answers, written) | ({"with_text": True} if with_text else {})
    staging.file(folder / RECORD, json.dumps(record, indent=1) + "\n")
    return Outcome(result, compared, chosen, bundle)


def _refuse(folder: Path, plan: Plan, *, overwrite: bool) -> None:
    """Refuse a folder that holds something else, before the work starts."""
    if folder.exists() and (not folder.is_dir() or (contents(folder) and not _ours(folder))):
        raise InputError.of(str(folder), "exists and is not a run", "expected a new folder")
    try:
        before = read_json(folder / RECORD)
    except InputError:
        return
    other = not isinstance(before, dict) or before.get("plan") != plan.record()
    if other and not overwrite:
        problem = "has a finished run of another configuration"
        raise InputError.of(str(folder), problem, "choose a new folder, or `overwrite=True`")


def _ours(folder: Path) -> bool:
    return (folder / CACHE).is_dir() or (folder / RECORD).is_file()


def _with_training(decisions: pl.DataFrame | None, excluded: tuple[str, ...]) -> pl.DataFrame | None:
    """Say of each query whether its criterion was in training, where some criteria were not."""
    if decisions is None or not excluded:
        return decisions
    outside = pl.col("criterion_id").is_in(excluded)
    return decisions.with_columns(
        pl.when(outside).then(pl.lit("no")).otherwise(pl.lit("yes")).alias(IN_TRAINING)
    )


def _stage_predictions(answers: Answers, folder: Path, staging: Staging) -> Path:
    def fill(fresh: Path) -> None:
        for name in ("candidates", "explanations"):  # tables with several rows per query
            table = getattr(answers, name)
            if table is not None:
                body = BytesIO()
                table.write_parquet(body)
                write_new(fresh / f"{name}.parquet", body.getvalue())
        for name in ("decisions", "tune", "roles"):
            table = getattr(answers, name)
            if table is not None:
                write_new(fresh / f"{name}.csv", table.write_csv())
        write_json(fresh / MANIFEST, manifest(fresh))

    return staging.folder(folder, fill, partial(refuse_existing, overwrite=True))


def _check_search(plan: Plan) -> None:
    """Check that the measures of a search exist and are better when higher."""
    for name in plan.search.settings.objective if plan.search else ():
        if metric(name).better != "higher":
            problem = f"objective is {name}, which is not better when higher"
            raise InputError.of(f"{plan.source} [tune]", problem, "expected one such as ndcg@10")


def _record(plan: Plan, corpus: Corpus, answers: Answers, written: dict[str, str]) -> dict[str, Any]:
    """Return what was run: configuration, seed, versions, and hashes of inputs and outputs."""
    tables = (corpus.sentences, corpus.criteria, corpus.gold, corpus.queries, corpus.folds)
    records = [table.file.record() for table in tables if table is not None and table.file]
    stages = list(pipeline_of(plan, choose))
    told = {stage.name: model_of(stage) for stage in stages}
    models = {name: _as_written(model, plan, name) for name, model in told.items() if model is not None}
    custom = {stage.name: source_hash(type(stage)) for stage in stages if is_custom(type(stage))}
    searches = {"search": dict(answers.searches)} if answers.searches else {}
    return {
        "schema": "assay/run/1",
        "plan": plan.record(),
        **_split(corpus, answers),
        **searches,
        "versions": {"assay": VERSION, **code()},
        **({"models": models} if models else {}),
        **({"custom_stages": custom} if custom else {}),
        "corpus": {each.name: each.sha256 for each in sorted(records, key=lambda each: each.name)},
        "output": written,
    }


def _as_written(model: dict[str, Any], plan: Plan, stage: str) -> dict[str, Any]:
    """Return the record of a model with its source as the configuration names it."""
    written = plan.tables.get(stage, {}).get("source", model.get("source"))
    return {**model, "source": written} if "source" in model else model


def _split(corpus: Corpus, answers: Answers) -> dict[str, Any]:
    """Return the number of posts in each part of a single split, and where the split comes from."""
    if answers.roles is None:
        return {}
    counts = dict(answers.roles.group_by("role", maintain_order=True).len().iter_rows())
    return {"split": {"from": "corpus" if corpus.folds is not None else "seed", "posts": counts}}
