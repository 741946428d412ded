"""Run every outer fold of a configuration in single-threaded processes: one, or two by default."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path

from assay.data.corpus import Corpus
from assay.errors import InputError, shown
from assay.pipeline.custom.stage_calls import check_importable, check_ready
from assay.pipeline.explanations.explanation_tables import with_words
from assay.pipeline.prediction_tables import Answers, joined
from assay.pipeline.protocol.fold_jobs import (
    FoldJob,
    Prepared,
    crossfit_of,
    finished,
    is_finished,
    least_texts,
    prepare,
    run_job,
)
from assay.pipeline.protocol.fold_parts import check_excluded, eval_folds, outer_folds, parts_of, role_table
from assay.pipeline.protocol.free_memory import release_memory
from assay.pipeline.protocol.nested_fold import taught_parts
from assay.pipeline.protocol.post_split import SPLIT
from assay.pipeline.protocol.settings_search import Objective
from assay.pipeline.protocol.workers import Said, in_processes
from assay.pipeline.run_config import Plan, pipeline_of
from assay.pipeline.stages.matching import Matching
from assay.pipeline.stages.three_state_gate import Chooser

StageCallback = Callable[[str, str, float, int, int], None]
"""Called with fold, stage, seconds, the number of finished steps, and their total."""
SMALL, LARGE = 10_000, 1_000_000
"""Pairs below which starting a second process takes longer than it saves, and from which it takes too
much memory: with 2 million pairs two processes had 3.1 GB."""
LISTED = 100  # folds that a message names


def predict(
    plan: Plan,
    corpus: Corpus,
    choose: Chooser,
    *,
    cache: Path | None = None,
    processes: int | None = None,
    progress: StageCallback = lambda *_: None,
    objective: Objective | None = None,
    explain: bool = False,
    with_text: bool = False,
) -> Answers:
    """Return the predictions of each fold's pipeline on EVAL, and its probabilities on TUNE.

    Folds whose result is in the cache are not computed again. `objective` is what a settings search
    inside TRAIN maximises, if the plan has one. `processes` is by default 2 for a corpus of 10,000 to a
    million pairs, and else 1. `explain` adds the strongest features of each EVAL query, `with_text`
    the strongest words.
    """
    _check_processes(processes)
    check_plan(plan, corpus, choose)
    jobs = fold_jobs(plan, corpus, choose, cache, objective, explain=explain)
    made = joined(_answers(jobs, prepare(jobs[0], corpus), processes, progress))
    if with_text:
        made = replace(
            made, explanations=with_words(made.explanations, made.words, corpus, least_texts(plan, choose))
        )
    single = plan.protocol.kind == SPLIT
    return replace(made, roles=role_table(outer_folds(corpus, plan)) if single else None)


def compute_folds(
    jobs: Sequence[FoldJob],
    chosen: Sequence[str],
    corpus: Corpus,
    *,
    processes: int | None = None,
    progress: StageCallback = lambda *_: None,
) -> list[str]:
    """Compute some folds of one configuration into its cache; return every finished fold.

    `jobs` are all folds of the configuration.
    """
    plan, choose = jobs[0].plan, jobs[0].choose
    _check_processes(processes)
    check_plan(plan, corpus, choose)
    check_folds(plan, corpus, chosen)
    prepared = prepare(jobs[0], corpus)
    _answers([job for job in jobs if job.fold in chosen], prepared, processes, progress)
    return [job.fold for job in jobs if is_finished(job, prepared)]


def fold_jobs(
    plan: Plan,
    corpus: Corpus,
    choose: Chooser,
    cache: Path | None,
    objective: Objective | None = None,
    *,
    explain: bool = False,
) -> list[FoldJob]:
    """Return one job per fold of a configuration."""
    names = eval_folds(outer_folds(corpus, plan), plan)
    return [FoldJob(plan, fold, choose, cache, objective, corpus, explain) for fold in names]


def check_folds(plan: Plan, corpus: Corpus, chosen: Sequence[str]) -> None:
    """Check that a configuration has these folds."""
    names = eval_folds(outer_folds(corpus, plan), plan)
    unknown = [name for name in chosen if name not in names]
    if unknown or not chosen:
        listed = ", ".join(names[:LISTED]) + (", …" if len(names) > LISTED else "")
        verb = "is not a fold" if len(unknown) == 1 else "are not folds"
        problem = f"{', '.join(map(shown, unknown))} {verb} of {plan.source}" if unknown else "is empty"
        raise InputError.of("`folds`", problem, f"expected some of {listed}")


def processes_for(pairs: int) -> int:
    """Return how many processes to use for a corpus of this many pairs."""
    return 2 if SMALL <= pairs < LARGE else 1


def predict_fold(plan: Plan, corpus: Corpus, choose: Chooser, fold: str) -> Answers:
    """Return the predictions of one fold's pipeline, computed without any cache."""
    return run_job(FoldJob(plan, fold, choose, None, corpus=corpus))


def _check_processes(processes: int | None) -> None:
    if processes is not None and processes < 1:
        raise InputError.of("processes", f"is {processes}", "expected a whole number from 1")


def check_plan(plan: Plan, corpus: Corpus, choose: Chooser) -> None:
    """Report faults of a configuration before anything runs."""
    for stage in pipeline_of(plan, choose):
        check_ready(stage)
    check_excluded(corpus, plan)


def _answers(
    jobs: Sequence[FoldJob], prepared: Prepared, processes: int | None, progress: StageCallback
) -> list[Answers]:
    """Return the predictions of each job; those that are not in the cache are computed."""
    found = {job.fold: finished(job, prepared) for job in jobs}
    missing = [job for job in jobs if found[job.fold] is None]
    if missing:
        made = _computed(missing, prepared, processes, progress)
        found |= {job.fold: answers for job, answers in zip(missing, made, strict=True)}
    return [answers for answers in found.values() if answers is not None]


def _computed(
    jobs: Sequence[FoldJob], prepared: Prepared, processes: int | None, progress: StageCallback
) -> list[Answers]:
    plan = jobs[0].plan
    trials = plan.search.settings.trials if plan.search else 0
    said = _counted(progress, len(jobs) * (len(plan.stages) + trials))
    here = partial(run_job, prepared=prepared)
    jobs = [replace(job, corpus=None) for job in jobs]  # all that they need of it is prepared
    processes = min(processes or processes_for(prepared.posts.view.pairs), len(jobs))  # more would be idle
    if processes == 1 or jobs[0].cache is None:
        return [here(job, said) for job in jobs]
    _compare_words(jobs, prepared)
    check_importable([each for each in plan.stages if isinstance(each, type)])
    return in_processes(jobs, run_job, processes, said, here=here, given=(prepared,))


def _compare_words(jobs: Sequence[FoldJob], prepared: Prepared) -> None:
    """Compare the words of a corpus once, before several processes do, if a stage will ask."""
    words, plan = prepared.posts.view.words, jobs[0].plan
    stages = [each for each in pipeline_of(plan, jobs[0].choose) if isinstance(each, Matching)]
    for job in jobs if words is not None and stages else ():
        train = parts_of(prepared.posts, prepared.outer, job.fold, plan).train
        for part in taught_parts(train, crossfit_of(plan)):
            if words is not None and any(each.will_compare_words(part) for each in stages):
                words.corpus.found()
                release_memory()
                return


def _counted(progress: StageCallback, total: int) -> Said:
    """Add to each message the number of finished steps and their total."""
    number = count(1)
    return lambda fold, stage, seconds: progress(fold, stage, seconds, next(number), total)
