"""One fold of one configuration as a job: idempotent, picklable, with its result under a content hash."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from time import process_time
from typing import Any

from assay.data.corpus import Corpus, read_corpus
from assay.errors import AssayError
from assay.pipeline.corpus_views import Posts, posts_of
from assay.pipeline.custom.stage_calls import described
from assay.pipeline.explanations.explanation_tables import explanation_tables
from assay.pipeline.models.extras import extra, sklearn
from assay.pipeline.models.tokens import LEAST
from assay.pipeline.prediction_tables import Answers, answers_of, sentence_ids
from assay.pipeline.protocol.fold_explanations import StageExplanation, explain_stage
from assay.pipeline.protocol.fold_parts import outer_folds, parts_of, post_numbers
from assay.pipeline.protocol.fold_tables import answers_from_arrays, answers_to_arrays
from assay.pipeline.protocol.free_memory import release_memory
from assay.pipeline.protocol.nested_fold import Crossfit, Parts, Work, run_parts
from assay.pipeline.protocol.settings_search import Objective, searched
from assay.pipeline.protocol.stage_cache import Cache, digest_array
from assay.pipeline.protocol.workers import Said
from assay.pipeline.regressions.own_models import ScorerSettings
from assay.pipeline.run_config import Plan, pipeline_of
from assay.pipeline.stages.embedding_scorer import EmbeddingScorer
from assay.pipeline.stages.three_state_gate import Chooser
from assay.pipeline.views import Unlabelled

FOLDS = "folds"
"""The folder of the cache in which whole folds are kept."""


@dataclass(frozen=True, slots=True)
class FoldJob:
    """One fold of one configuration.

    It is plain data, so any executor can send it to another process or machine that shares the
    file system of `cache`. Without a corpus, the job reads the one of the plan where it runs.
    """

    plan: Plan
    fold: str
    choose: Chooser
    cache: Path | None
    objective: Objective | None = None
    corpus: Corpus | None = None
    explain: bool = False  # whether the strongest features of each query are part of the result

    def read(self) -> Corpus:
        """Return the corpus."""
        return read_corpus(self.plan.corpus) if self.corpus is None else self.corpus


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """What all folds of a configuration share: the arrays of the corpus, and the fold of each post.

    It can be pickled: arrays in files of the cache are not copied, and there are no texts in it unless
    a stage reads them.
    """

    posts: Posts
    outer: dict[str, str]


def crossfit_of(plan: Plan) -> Crossfit:
    """Return how TRAIN is split for cross-fitting."""
    return Crossfit(plan.protocol.crossfit, plan.protocol.seed)


def run_job(job: FoldJob, said: Said = lambda *_: None, prepared: Prepared | None = None) -> Answers:
    """Return the predictions of a fold: from the cache, or computed and written there.

    `prepared` is what `prepare` returns, if the caller has it already.
    """
    given = prepare(job, job.read()) if prepared is None else prepared
    if job.cache is None:
        return _computed(job, given, said)
    made = _results(job.cache).get(
        fold_facts(job, given), lambda: answers_to_arrays(_computed(job, given, said))
    )
    return answers_from_arrays(made)


def finished(job: FoldJob, prepared: Prepared) -> Answers | None:
    """Return the predictions of a fold if they are in the cache."""
    if job.cache is None:
        return None
    silent = replace(_results(job.cache), say=lambda _: None)  # `run_job` tells about a damaged file
    found = silent.find(fold_facts(job, prepared))
    return None if found is None else answers_from_arrays(found)


def is_finished(job: FoldJob, prepared: Prepared) -> bool:
    """Return whether the predictions of a fold are in the cache, without reading them."""
    return job.cache is not None and _results(job.cache).has(fold_facts(job, prepared))


def prepare(job: FoldJob, corpus: Corpus) -> Prepared:
    """Return what all folds of the job's configuration share."""
    posts = job_posts(job.plan, corpus, job.choose, job.cache)
    return Prepared(posts, outer_folds(corpus, job.plan))


def job_posts(plan: Plan, corpus: Corpus, choose: Chooser, cache: Path | None) -> Posts:
    """Return the posts, with the embeddings and texts that the stages of the plan ask for."""
    stages = list(pipeline_of(plan, choose))
    dense = next((each.settings for each in stages if isinstance(each, EmbeddingScorer)), None)
    return posts_of(
        corpus,
        Cache(cache),
        dense=dense,
        reads=any(each.reads for each in stages),
        words=any(each.compares_words for each in stages),
        least=least_texts(plan, choose),
    )


def least_texts(plan: Plan, choose: Chooser) -> int:
    """Return in how many texts a word pair must occur so that some stage may learn from it."""
    if plan.search is not None:  # it may try any number
        return 1
    told = [each.settings for each in pipeline_of(plan, choose)]
    return min([LEAST, *(each.least for each in told if isinstance(each, ScorerSettings))])


def fold_facts(job: FoldJob, prepared: Prepared) -> dict[str, Any]:
    """Return what the predictions of a fold depend on; gold of its EVAL posts is not among it."""
    plan, protocol, posts = job.plan, job.plan.protocol, prepared.posts
    numbers = post_numbers(posts.view.posts, prepared.outer, job.fold, plan)
    learned = [posts.gold[posts.view.layout.taken(each).pairs] for each in numbers[:2]]
    return {
        "fold": job.fold,
        "explain": job.explain,
        "texts": posts.texts,
        "posts": [each.tolist() for each in numbers],
        "gold": [digest_array(each) for each in learned],
        "exclude": list(protocol.exclude),
        "crossfit": [protocol.crossfit, protocol.seed],
        "stages": [described(stage) for stage in pipeline_of(plan, job.choose)],
        "search": None if plan.search is None else plan.search.record(),
    }


def _results(cache: Path) -> Cache:
    return Cache(cache / FOLDS)


def _computed(job: FoldJob, prepared: Prepared, said: Said) -> Answers:
    """Run a fold from beginning to end, in this process; its stages are cached too."""
    cache, posts = Cache(job.cache), prepared.posts
    parts = parts_of(posts, prepared.outer, job.fold, job.plan)
    crossfit = crossfit_of(job.plan)
    with single_thread():
        plan, found = _searched(job, parts, cache, said)
        pipeline = pipeline_of(plan, job.choose)
        told: list[StageExplanation] = []

        def explain(work: Work, evaluated: Unlabelled) -> None:
            told.extend(explain_stage(work, evaluated, cache))

        done, last = _timed(job.fold, said), explain if job.explain else None
        views = run_parts(pipeline, parts, crossfit, cache, done, explain=last)
    features, words = explanation_tables(told, views[-1], sentence_ids(views[-1], posts))
    answers = answers_of(*views, posts, job.fold)
    return replace(answers, searches=found, explanations=features, words=words)


def single_thread() -> Any:
    """Limit libraries to one thread in a `with` block: threads change the order of sums."""
    sklearn()  # brings OpenMP: only libraries that are loaded already are limited
    return extra("threadpoolctl").threadpool_limits(1)


def _timed(fold: str, said: Said) -> Callable[[str], None]:
    """Add the CPU seconds of this process since the previous stage."""
    before = process_time()

    def done(stage: str) -> None:
        nonlocal before
        release_memory()
        now = process_time()
        said(fold, stage, now - before)
        before = now

    return done


def _searched(
    job: FoldJob, parts: Parts, cache: Cache, said: Said
) -> tuple[Plan, Mapping[str, dict[str, Any]]]:
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
