"""What each stage and each setting is worth: cumulative pipelines, γ, and the two thresholds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from assay.data.corpus import QUERY, Corpus, read_corpus
from assay.data.predictions import Predictions
from assay.errors import InputError, MeasureError
from assay.evaluation.api import evaluate
from assay.evaluation.result import Result
from assay.experiment import by_highest, choose, fold_table
from assay.pipeline.answers import Answers
from assay.pipeline.plan import Plan
from assay.pipeline.run import predict

CUMULATIVE: Mapping[str, tuple[str, ...]] = {
    "retriever": ("lexical",),
    "+ reranker": ("scorer",),
    "+ P3": ("neighbours",),
    "+ P2 dynamic K": ("node_calibration", "dynamic_k"),
    "+ P4 gate": ("post_scorer", "gate", "calibration"),
    "+ three states": ("states",),
}
"""What each row adds. The gate runs before dynamic K, though its row comes after (row 23)."""
ORDER = (
    "lexical", "scorer", "neighbours", "node_calibration", "post_scorer", "gate", "calibration",
    "dynamic_k", "states",
)  # fmt: skip
MEASURES = ("ndcg@10", "auroc", "evidence_recall", "alert_precision")
GAMMAS = (0.7, 0.8, 0.9, 0.95)
SWEPT = ("selected_k_mean", "evidence_recall", "evidence_precision", "selected_k_total")
TAU_NEG = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2)
TAU_POS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)


@dataclass(frozen=True, slots=True)
class Ablation:
    """Three tables: stages, γ, and the grid of thresholds on TUNE."""

    stages: pl.DataFrame
    gammas: pl.DataFrame
    grid: pl.DataFrame


def ablate(
    plan: Plan,
    cache: Path,
    *,
    processes: int = 2,
    heard: Callable[[str], None] = lambda _: None,
) -> Ablation:
    """All three tables. Stages that configurations share are computed once, through the cache."""
    unknown = sorted(set(plan.stages) - set(ORDER))
    if unknown:
        raise InputError.of(plan.source, f"has stage {unknown[0]!r}", "an ablation knows none such")
    corpus = read_corpus(plan.corpus)

    def answered(made: Plan) -> Answers:
        return predict(made, corpus, choose, cache=cache, processes=processes)

    rows, taken = [], set[str]()
    for name, added in CUMULATIVE.items():
        taken |= set(added)
        made = _of(plan, tuple(stage for stage in ORDER if stage in taken))
        scored = _scored(made, corpus, answered(made))
        rows.append({"configuration": name, **_cells(scored, MEASURES)})
        heard(name)
    swept = []
    for gamma in GAMMAS:
        setting = {**plan.tables.get("dynamic_k", {}), "policy": "mass", "gamma": gamma}
        made = replace(_of(plan, ORDER), tables={**plan.tables, "dynamic_k": setting})
        swept.append({"gamma": gamma, **_cells(_scored(made, corpus, answered(made)), SWEPT)})
        heard(f"γ = {gamma}")
    whole = answered(_of(plan, ORDER))
    return Ablation(pl.DataFrame(rows), pl.DataFrame(swept), threshold_grid(corpus, whole))


def threshold_grid(corpus: Corpus, answers: Answers) -> pl.DataFrame:
    """Every pair τ_neg < τ_pos on TUNE: mean over folds of what it would give there.

    screening sensitivity: positives with p ≥ τ_neg. alert precision: positives among p ≥ τ_pos,
    null in a fold without alerts. workload: queries with p ≥ τ_neg, per 1000. EVAL stays out.
    """
    positive = corpus.gold.frame.filter(pl.col("grade") >= 1).select(QUERY).unique()
    marked = positive.with_columns(pl.lit(True).alias("label"))
    tune = answers.tune
    if tune is None:
        raise InputError.of("ablate", "the pipeline has no gate", "expected probabilities")
    frame = tune.join(marked, on=QUERY, how="left").with_columns(pl.col("label").fill_null(False))
    rows = []
    for low in TAU_NEG:
        for high in TAU_POS:
            kept, alert = pl.col("prob") >= low, pl.col("prob") >= high
            each = frame.group_by("fold").agg(
                screening_sensitivity=(kept & pl.col("label")).sum() / pl.col("label").sum(),
                alert_precision=(alert & pl.col("label")).sum() / alert.sum(),
                workload_per_1000=kept.mean() * 1000,
            )
            means = each.drop("fold").fill_nan(None).mean().row(0, named=True)
            rows.append({"tau_neg": low, "tau_pos": high, **means})
    return pl.DataFrame(rows, infer_schema_length=None)


def _of(plan: Plan, stages: tuple[str, ...]) -> Plan:
    """The plan with some of its stages, and the settings of those."""
    kept = {name: table for name, table in plan.tables.items() if name in stages}
    return replace(plan, stages=stages, tables=kept)


def _scored(plan: Plan, corpus: Corpus, answers: Answers) -> Result:
    """A configuration without decisions gets AUROC from its highest score (row 26)."""
    decisions = answers.decisions
    if decisions is None:
        decisions = by_highest(answers.candidates, corpus, fold_table(corpus, plan))
    given = Predictions.of(answers.candidates, decisions, answers.tune)
    names = [*MEASURES, *SWEPT]
    return evaluate(given, corpus, contract=plan.contract, measures=names, clean=False)


def _cells(result: Result, names: tuple[str, ...]) -> dict[str, float | None]:
    out: dict[str, float | None] = {}
    for name in names:
        try:
            value = result[name]
        except MeasureError:
            out |= {name: None, f"{name} std": None}
            continue
        out |= {name: value.value, f"{name} std": value.folds.std if value.folds else None}
    return out
