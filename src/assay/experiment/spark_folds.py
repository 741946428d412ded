"""Folds of configurations as tasks of Spark: each writes its result into a cache that all machines share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from assay.data.corpus import Corpus
from assay.engines.spark_map import spark_map
from assay.engines.spark_session import is_local
from assay.errors import InputError, MissingExtraError
from assay.experiment.objective import objective
from assay.experiment.state_thresholds import choose
from assay.pipeline.custom.stage_calls import check_importable
from assay.pipeline.protocol.fold_jobs import FoldJob, Prepared, is_finished, prepare, run_job
from assay.pipeline.protocol.outer_folds import check_plan, fold_jobs
from assay.pipeline.run_config import Plan

Told = Callable[[str], None]


def compute_on_engine(
    engine: Any,
    plans: Sequence[Plan],
    corpus: Corpus,
    cache: Path,
    *,
    folds: Sequence[str] | None = None,
    explain: bool = False,
    processes: int | None = None,
) -> None:
    """Compute the folds of all plans that are not in the cache; nothing if the engine is this process.

    One task of Spark per fold and plan. The corpus and the cache must have the same path on the
    driver and on every worker. Whatever comes next reads the folds from the cache.
    """
    if is_local(engine):
        return
    if processes is not None:
        problem = "has no effect where Spark computes the folds"
        raise InputError.of("`processes`", problem, "leave it out; Spark runs one fold per core")
    jobs = [job for plan in plans for job in _missing(plan, corpus, cache, folds, explain=explain)]
    if not jobs:
        return
    away = [replace(job, plan=_elsewhere(job.plan), cache=cache.resolve(), corpus=None) for job in jobs]
    spark_map(engine, _run_silently, away, plans[0].source)
    lost = [job.fold for job in _unfinished(jobs, corpus)]
    if lost:
        problem = f"{len(lost)} of {len(jobs)} folds that Spark computed are not there"
        expected = "expected a folder that the driver and all workers share, under the same path"
        raise InputError.of(str(cache), problem, expected)


def _missing(
    plan: Plan, corpus: Corpus, cache: Path, folds: Sequence[str] | None, *, explain: bool
) -> list[FoldJob]:
    """Return the jobs of a plan that are not in the cache; none where an extra is not installed."""
    try:
        check_plan(plan, corpus, choose)
    except MissingExtraError:  # an ablation reports that in its row
        return []
    check_importable([each for each in plan.stages if isinstance(each, type)])
    jobs = fold_jobs(plan, corpus, choose, cache, objective, explain=explain)
    return _unfinished([job for job in jobs if folds is None or job.fold in folds], corpus)


def _unfinished(jobs: Sequence[FoldJob], corpus: Corpus) -> list[FoldJob]:
    left, known = [], dict[int, Prepared]()
    for job in jobs:
        prepared = known.get(id(job.plan)) or prepare(job, corpus)
        known = {id(job.plan): prepared}  # jobs come plan by plan
        if not is_finished(job, prepared):
            left.append(job)
    return left


def _elsewhere(plan: Plan) -> Plan:
    """Return the plan with paths that do not depend on the current directory."""
    folder = None if plan.folder is None else plan.folder.resolve()
    return replace(plan, corpus=plan.corpus.resolve(), folder=folder)


def _run_silently(job: FoldJob) -> None:
    run_job(job)
