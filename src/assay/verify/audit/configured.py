"""`audit_plan`: the pipeline of a configuration as a system that is asked again with other gold."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl

from assay.data.corpus import Corpus, read_corpus
from assay.experiment.thresholds import choose
from assay.pipeline.plan import Plan, read_plan
from assay.pipeline.run import check_excluded, outer_folds, pipeline_of, predict_fold
from assay.verify.audit.model import AuditReport
from assay.verify.audit.system import audit_system
from assay.verify.audit.views import LabelledPosts, Posts


def audit_plan(
    plan: Plan | str | Path, *, shuffles: int = 3, resamples: int = 1000, threshold: float = 0.8
) -> AuditReport:
    """Audit the pipeline of a configuration on its corpus: every outer fold, nothing from a cache.

    Each fold is fitted again 7 + `shuffles` times: twice as it is, with EVAL gold removed, flipped
    and shuffled, with other ids, with a label less, and with TRAIN and TUNE gold at random. What
    the audit expects of any system it expects of ours.
    """
    made = plan if isinstance(plan, Plan) else read_plan(plan)
    pipeline_of(made, choose)  # what cannot work is said before anything runs
    corpus = read_corpus(made.corpus)
    check_excluded(corpus, made)
    outer = outer_folds(corpus, made)

    def predict(
        _train: LabelledPosts, _tune: LabelledPosts, posts: Posts, whole: Corpus
    ) -> dict[str, pl.DataFrame]:
        """The pipeline takes the whole corpus and cuts TRAIN and TUNE by its own protocol."""
        fold = outer_folds(whole, made)[posts.queries["post_id"][0]]
        answers = predict_fold(made, whole, choose, fold)
        tables = {"candidates": answers.candidates}
        return tables if answers.decisions is None else tables | {"decisions": answers.decisions}

    report = audit_system(
        predict,
        corpus,
        folds=outer,
        seed=made.protocol.seed,
        whole=True,
        shuffles=shuffles,
        resamples=resamples,
        threshold=threshold,
    )
    return replace(report, name=Path(made.source).name, kind="configuration")
