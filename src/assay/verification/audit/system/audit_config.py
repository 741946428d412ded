"""`audit_plan`: re-run the pipeline of a configuration with altered labels."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl

from assay.data.corpus import Corpus, read_corpus
from assay.errors import InputError
from assay.experiment.state_thresholds import choose
from assay.pipeline.protocol.fold_parts import check_excluded, outer_folds
from assay.pipeline.protocol.outer_folds import pipeline_of, predict_fold
from assay.pipeline.protocol.post_split import SPLIT
from assay.pipeline.run_config import Plan, read_plan
from assay.verification.audit.audit_report import AuditReport
from assay.verification.audit.system.audit_system import audit_system
from assay.verification.audit.system.audit_views import LabelledPosts, Posts


def audit_plan(
    plan: Plan | str | Path, *, shuffles: int = 3, resamples: int = 1000, threshold: float = 0.8
) -> AuditReport:
    """Audit the pipeline of a configuration on its corpus: every outer fold, without a cache.

    Each fold is fitted again 7 + `shuffles` times: twice unchanged, with EVAL gold removed, flipped
    and shuffled, with other ids, with one label less, and with TRAIN and TUNE gold shuffled. The
    audit expects of our pipeline what it expects of any system.
    """
    made = plan if isinstance(plan, Plan) else read_plan(plan)
    pipeline_of(made, choose)  # faults are reported before anything runs
    if made.protocol.kind == SPLIT:
        problem, expected = 'has kind = "split"', 'an audit re-runs outer folds; set kind = "nested" for it'
        raise InputError.of(f"{made.source} [protocol]", problem, expected)
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
