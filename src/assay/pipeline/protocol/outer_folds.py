"""Run every outer fold of a configuration in single-threaded processes, by default two."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from assay.data.corpus import Corpus
from assay.data.splits import folds, split
from assay.errors import AssayError, InputError, shown
from assay.pipeline.corpus_views import Posts, posts_of
from assay.pipeline.custom.stage_calls import check_importable, check_ready
from assay.pipeline.models.extras import extra
from assay.pipeline.prediction_tables import Answers, answers_of, joined
from assay.pipeline.protocol.nested_fold import Crossfit, Parts, run_parts
from assay.pipeline.protocol.settings_search import Objective, searched
from assay.pipeline.protocol.stage_cache import Cache
from assay.pipeline.protocol.workers import Said, in_processes
from assay.pipeline.run_config import Plan, pipeline_of
from assay.pipeline.stages.embedding_scorer import EmbeddingScorer
from assay.pipeline.stages.three_state_gate import Chooser
from assay.pipeline.views import Labelled

Heard = Callable[[str, str, float, int, int], None]  # also the number of finished steps and their total


def predict(
    plan: Plan,
    corpus: Corpus,
    choose: Chooser,
    *,
    cache: Path | None = None,
    processes: int = 2,
    heard: Heard = lambda *_: None,
    objective: Objective | None = None,
) -> Answers:
    """Return the predictions of each fold's pipeline on EVAL, and its probabilities on TUNE.

    `objective` is what a settings search inside TRAIN maximises, if the plan has one.
    """
    if processes < 1:
        raise InputError.of("processes", f"is {processes}", "expected a whole number from 1")
    for stage in pipeline_of(plan, choose):  # Faults are reported before anything runs.
        check_ready(stage)
    outer = outer_folds(corpus, plan)
    check_excluded(corpus, plan)
    posts = _posts(plan, corpus, choose, cache)  # counted once for all folds
    jobs = [_Job(plan, corpus, choose, fold, cache, objective) for fold in dict.fromkeys(outer.values())]
    trials = plan.search.settings.trials if plan.search else 0
    said = _counted(heard, len(jobs) * (len(plan.stages) + trials))
    here = partial(_fold, posts=posts)
    processes = min(processes, len(jobs))  # more processes would be idle
    if processes == 1 or cache is None:
        return joined([here(job, said) for job in jobs])
    check_importable([each for each in plan.stages if isinstance(each, type)])
    return joined(in_processes(jobs, _fold, processes, said, here=here))


def predict_fold(plan: Plan, corpus: Corpus, choose: Chooser, fold: str) -> Answers:
    """Return the predictions of one fold's pipeline, computed without any cache."""
    return _fold(_Job(plan, corpus, choose, fold, None), lambda *_: None)


def _counted(heard: Heard, total: int) -> Said:
    """Add to each message the number of finished steps and their total."""
    number = count(1)
    return lambda fold, stage, seconds: heard(fold, stage, seconds, next(number), total)


def outer_folds(corpus: Corpus, plan: Plan) -> dict[str, str]:
    """Return the fold of each post, sorted by fold: the corpus's own, or drawn with the seed."""
    if corpus.folds is not None:
        own = dict(corpus.folds.frame.select("post_id", "fold").iter_rows())
        if len(set(own.values())) < 2:
            raise InputError.of(corpus.folds.source, "has only one fold", "expected at least two")
        return dict(sorted(own.items(), key=lambda item: (item[1], item[0])))
    made = folds(corpus.sentences.frame["post_id"], plan.protocol.folds, plan.protocol.seed)
    return {post: str(fold) for post, fold in sorted(made.items(), key=lambda item: item[1])}


def check_excluded(corpus: Corpus, plan: Plan) -> None:
    """Check that the criteria excluded from training exist, and that others remain."""
    known = corpus.criteria.frame["criterion_id"].to_list()
    unknown = [name for name in plan.protocol.exclude if name not in known]
    if unknown and not (plan.exclude_any and len(unknown) < len(plan.protocol.exclude)):
        names = " or ".join(map(shown, unknown)) if plan.exclude_any else shown(unknown[0])
        problem = f"the profile excludes {names}" if plan.exclude_any else f"exclude names criterion {names}"
        advice = "; set exclude in [protocol]" if plan.exclude_any else ""
        raise InputError.of(plan.source, problem, f"expected some of {', '.join(known[:12])}{advice}")
    if set(known) <= set(plan.protocol.exclude):
        raise InputError.of(plan.source, "excludes every criterion", "keep at least one to train on")


@dataclass(frozen=True, slots=True)
class _Job:
    """One fold of one configuration."""

    plan: Plan
    corpus: Corpus
    choose: Chooser
    fold: str
    cache: Path | None
    objective: Objective | None = None


def parts_of(posts: Posts, outer: dict[str, str], fold: str, plan: Plan) -> Parts:
    """Return TRAIN, TUNE and EVAL of a fold; TRAIN and TUNE are split from what is not EVAL."""
    view, protocol = posts.view, plan.protocol
    place = {post: at for at, post in enumerate(view.posts)}
    rest = [post for post in view.posts if outer[post] != fold]
    train, tune = split(rest, (protocol.train, _rest(protocol.train)), protocol.seed)
    own = [post for post in view.posts if outer[post] == fold]
    taught = ~np.isin(np.array(view.criteria), np.array(protocol.exclude, dtype=str))
    whole = Labelled(view, posts.gold, taught[view.layout.query_criterion])
    numbers = [np.array(sorted(place[post] for post in each)) for each in (train, tune, own)]
    return Parts(
        train=whole.take(numbers[0]),
        tune=whole.take(numbers[1]),
        eval=view.take(numbers[2]),
        facts={"texts": posts.texts, "posts": [each.tolist() for each in numbers]},
    )


def _rest(share: float) -> float:
    return float(f"{1 - share:.12g}")


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
