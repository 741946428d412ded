"""Run every outer fold of a configuration in single-threaded processes: one, or two by default."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from pathlib import Path
from time import process_time
from typing import Any

from assay.data.corpus import Corpus
from assay.errors import AssayError, InputError
from assay.pipeline.corpus_views import Posts, posts_of
from assay.pipeline.custom.stage_calls import check_importable, check_ready
from assay.pipeline.models.extras import extra
from assay.pipeline.prediction_tables import Answers, answers_of, joined
from assay.pipeline.protocol.fold_parts import check_excluded, eval_folds, outer_folds, parts_of, role_table
from assay.pipeline.protocol.nested_fold import Crossfit, Parts, run_parts
from assay.pipeline.protocol.post_split import SPLIT
from assay.pipeline.protocol.settings_search import Objective, searched
from assay.pipeline.protocol.stage_cache import Cache
from assay.pipeline.protocol.workers import Said, in_processes
from assay.pipeline.run_config import Plan, pipeline_of
from assay.pipeline.stages.embedding_scorer import EmbeddingScorer
from assay.pipeline.stages.three_state_gate import Chooser

Heard = Callable[[str, str, float, int, int], None]  # also the number of finished steps and their total
SMALL = 10_000
"""Pairs below which starting a second process takes longer than it saves."""


def predict(
    plan: Plan,
    corpus: Corpus,
    choose: Chooser,
    *,
    cache: Path | None = None,
    processes: int | None = None,
    heard: Heard = lambda *_: None,
    objective: Objective | None = None,
) -> Answers:
    """Return the predictions of each fold's pipeline on EVAL, and its probabilities on TUNE.

    `objective` is what a settings search inside TRAIN maximises, if the plan has one. `processes` is
    by default 1 for a corpus of fewer than 10,000 pairs, and 2 for a larger one.
    """
    if processes is not None and processes < 1:
        raise InputError.of("processes", f"is {processes}", "expected a whole number from 1")
    for stage in pipeline_of(plan, choose):  # Faults are reported before anything runs.
        check_ready(stage)
    outer = outer_folds(corpus, plan)
    check_excluded(corpus, plan)
    posts = _posts(plan, corpus, choose, cache)  # counted once for all folds
    jobs = [_Job(plan, corpus, choose, fold, cache, objective) for fold in eval_folds(outer, plan)]
    trials = plan.search.settings.trials if plan.search else 0
    said = _counted(heard, len(jobs) * (len(plan.stages) + trials))
    here = partial(_fold, posts=posts)
    processes = min(processes or processes_for(posts.view.pairs), len(jobs))  # more would be idle
    if processes == 1 or cache is None:
        made = joined([here(job, said) for job in jobs])
    else:
        check_importable([each for each in plan.stages if isinstance(each, type)])
        made = joined(in_processes(jobs, _fold, processes, said, here=here))
    return replace(made, roles=role_table(outer) if plan.protocol.kind == SPLIT else None)


def processes_for(pairs: int) -> int:
    """Return how many processes to use for a corpus of this many pairs."""
    return 1 if pairs < SMALL else 2


def predict_fold(plan: Plan, corpus: Corpus, choose: Chooser, fold: str) -> Answers:
    """Return the predictions of one fold's pipeline, computed without any cache."""
    return _fold(_Job(plan, corpus, choose, fold, None), lambda *_: None)


def _counted(heard: Heard, total: int) -> Said:
    """Add to each message the number of finished steps and their total."""
    number = count(1)
    return lambda fold, stage, seconds: heard(fold, stage, seconds, next(number), total)


@dataclass(frozen=True, slots=True)
class _Job:
    """One fold of one configuration."""

    plan: Plan
    corpus: Corpus
    choose: Chooser
    fold: str
    cache: Path | None
    objective: Objective | None = None


def _posts(plan: Plan, corpus: Corpus, choose: Chooser, cache: Path | None) -> Posts:
    """Return the posts, with the embeddings and texts that the stages of the plan ask for."""
    stages = list(pipeline_of(plan, choose))
    dense = next((each.settings for each in stages if isinstance(each, EmbeddingScorer)), None)
    return posts_of(
        corpus,
        Cache(cache),
        dense=dense,
        reads=any(each.reads for each in stages),
        words=any(each.compares_words for each in stages),
    )


def _fold(job: _Job, said: Said, posts: Posts | None = None) -> Answers:
    """Run a fold from beginning to end, in this process."""
    cache = Cache(job.cache)
    posts = posts or _posts(job.plan, job.corpus, job.choose, job.cache)
    outer = outer_folds(job.corpus, job.plan)
    parts = parts_of(posts, outer, job.fold, job.plan)
    crossfit = Crossfit(job.plan.protocol.crossfit, job.plan.protocol.seed)
    with extra("threadpoolctl").threadpool_limits(1):  # threads change the order of sums
        plan, found = _searched(job, parts, cache, said)
        pipeline = pipeline_of(plan, job.choose)
        views = run_parts(pipeline, parts, crossfit, cache, _timed(job.fold, said))
    return replace(answers_of(*views, posts, job.fold), searches=found)


def _timed(fold: str, said: Said) -> Callable[[str], None]:
    """Add the CPU seconds of this process since the previous stage."""
    before = process_time()

    def done(stage: str) -> None:
        nonlocal before
        now = process_time()
        said(fold, stage, now - before)
        before = now

    return done


def _searched(job: _Job, parts: Parts, cache: Cache, said: Said) -> tuple[Plan, dict[str, dict[str, Any]]]:
    """Return the plan of a fold with the settings found on its own TRAIN, and the search record."""
    if job.plan.search is None:
        return job.plan, {}
    if job.objective is None:
        raise AssayError("a search needs an objective")
    found = searched(
        job.plan,
        parts.train,
        {"texts": parts.facts["texts"], "posts": parts.facts["posts"][0]},
        cache,
        choose=job.choose,
        objective=job.objective,
        done=_timed(job.fold, said),
    )
    return found.plan, {job.fold: found.record}
