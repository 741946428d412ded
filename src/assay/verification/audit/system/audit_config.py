"""`audit_plan`: re-run the pipeline of a configuration with altered labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import polars as pl

from assay.data.corpus import Corpus, read_corpus
from assay.data.tune_queries import ROLES
from assay.experiment.state_thresholds import choose
from assay.pipeline.custom.opened_files import Opened, recording
from assay.pipeline.custom.stage_sources import is_custom
from assay.pipeline.protocol.fold_parts import check_excluded, eval_folds, outer_folds
from assay.pipeline.protocol.outer_folds import predict_fold
from assay.pipeline.protocol.post_split import SPLIT, roles_of
from assay.pipeline.run_config import Plan, pipeline_of, read_plan
from assay.verification.audit.audit_report import AuditReport, Seen, not_applicable
from assay.verification.audit.gather_facts import Answers
from assay.verification.audit.system.audit_system import system_report
from assay.verification.audit.system.audit_views import LabelledPosts, Posts
from assay.verification.audit.system.custom_stage_checks import files_opened, folds_alone, isolated
from assay.verification.audit.system.runner import Fold, Runner


def audit_plan(
    plan: Plan | str | Path, *, shuffles: int = 3, resamples: int = 1000, threshold: float = 0.8
) -> AuditReport:
    """Audit the pipeline of a configuration on its corpus, without a cache.

    It runs on every outer fold, or on the single split, which counts as one fold. Each fold is fitted
    again 7 + `shuffles` times: twice unchanged, with EVAL gold removed, flipped and shuffled, with
    other ids, with one label less, and with TRAIN and TUNE gold shuffled. The audit expects of our
    pipeline what it expects of any system. With stages of the user's own, each fold also runs alone
    in a new process, and the files that these stages open are recorded.
    """
    with recording() as opened:
        made = plan if isinstance(plan, Plan) else read_plan(plan)
        return _report(made, opened, shuffles=shuffles, resamples=resamples, threshold=threshold)


def _report(
    made: Plan, opened: dict[Opened, None], *, shuffles: int, resamples: int, threshold: float
) -> AuditReport:
    stages = list(pipeline_of(made, choose))  # faults are reported before anything runs
    custom = [stage.name for stage in stages if is_custom(type(stage))]
    corpus = read_corpus(made.corpus)
    check_excluded(corpus, made)
    outer = outer_folds(corpus, made)

    def predict(
        _train: LabelledPosts, _tune: LabelledPosts, posts: Posts, whole: Corpus
    ) -> dict[str, pl.DataFrame]:
        """Return predictions; the pipeline splits TRAIN and TUNE of the corpus by its own protocol."""
        fold = outer_folds(whole, made)[posts.queries["post_id"][0]]
        answers = predict_fold(made, whole, choose, fold)
        tables = {"candidates": answers.candidates}
        return tables if answers.decisions is None else tables | {"decisions": answers.decisions}

    def further(runner: Runner, first: list[Answers]) -> dict[str, Seen]:
        """Check the user's own stages."""
        if not custom:
            reason = "every stage is assay's own"
            return {"L106": not_applicable(reason), "L107": not_applicable(reason)}
        alone, also = folds_alone(made, runner, outer)
        return {
            "L106": isolated(runner, first, alone),
            "L107": files_opened({**opened, **also}, corpus, made.corpus, custom),
        }

    report = system_report(
        predict,
        corpus,
        folds=outer,
        seed=made.protocol.seed,
        whole=True,
        shuffles=shuffles,
        resamples=resamples,
        threshold=threshold,
        further=further,
        single=_single(outer, made) if made.protocol.kind == SPLIT else None,
    )
    return replace(report, name=Path(made.source).name, kind="configuration")


def _single(outer: Mapping[str, str], plan: Plan) -> Fold:
    """Return the posts of a single split by role."""
    roles = roles_of(outer)
    parts = (tuple(post for post, role in roles.items() if role == each) for each in ROLES)
    return Fold(eval_folds(dict(outer), plan)[0], *parts)
