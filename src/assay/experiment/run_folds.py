"""`run_folds`: some folds of a configuration as jobs of a scheduler; `run` collects them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.data.corpus import Corpus
from assay.experiment.objective import objective
from assay.experiment.run import CACHE, checked_corpus
from assay.experiment.spark_folds import compute_on_engine
from assay.experiment.state_thresholds import choose
from assay.pipeline.protocol.fold_jobs import FoldJob
from assay.pipeline.protocol.outer_folds import StageCallback, check_folds, compute_folds, fold_jobs
from assay.pipeline.run_config import Plan


@dataclass(frozen=True, slots=True)
class FoldProgress:
    """Which folds of a configuration are in its cache, and which are not."""

    done: tuple[str, ...]
    left: tuple[str, ...]


def run_folds(
    plan: Plan,
    output: str | Path,
    folds: Sequence[str],
    *,
    overwrite: bool = False,
    processes: int | None = None,
    engine: Any = None,
    progress: StageCallback = lambda *_: None,
) -> FoldProgress:
    """Compute some folds of a run into the `cache` of its folder, and nothing else.

    Several calls may work on one folder at the same time, in processes or on machines that share
    its file system. `run` then collects, and computes only what is missing.
    """
    folder = Path(output)
    corpus = checked_corpus(plan, folder, overwrite=overwrite)
    work = {"processes": processes, "engine": engine, "progress": progress}
    return computed(plan, corpus, folder / CACHE, folds, explain=True, **work)


def computed(
    plan: Plan,
    corpus: Corpus,
    cache: Path,
    folds: Sequence[str],
    *,
    processes: int | None = None,
    engine: Any = None,
    progress: StageCallback = lambda *_: None,
    explain: bool = False,
) -> FoldProgress:
    """Compute some folds of one configuration into a cache; those of a run are explained."""
    jobs = jobs_of(plan, corpus, cache, explain=explain)
    check_folds(plan, corpus, folds)
    compute_on_engine(engine, [plan], corpus, cache, folds=folds, explain=explain, processes=processes)
    done = compute_folds(jobs, folds, corpus, processes=processes, progress=progress)
    return FoldProgress(tuple(done), tuple(job.fold for job in jobs if job.fold not in done))


def jobs_of(plan: Plan, corpus: Corpus, cache: Path, *, explain: bool = False) -> list[FoldJob]:
    """Return the folds of a configuration as jobs, which `run_job` computes on any machine.

    To send a job elsewhere, leave out its corpus, `replace(job, corpus=None)`: it is then read from
    the folder of the plan.
    """
    return fold_jobs(plan, corpus, choose, cache, objective, explain=explain)
