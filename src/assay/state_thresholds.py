"""The thresholds of the three states, fold by fold: what TUNE can promise, and what EVAL shows.

A second row a threshold is chosen on TRAIN and TUNE together, where every TRAIN query has the
probability of a stage that did not learn from its post: more positives, and no promise, because
TRAIN also taught the stages. It is offered under that label and never used by itself.
"""

from __future__ import annotations

from typing import Any

import polars as pl

from assay.data.corpus import QUERY, Corpus
from assay.evaluation.thresholds import Threshold, choose_threshold
from assay.pipeline.answers import Answers
from assay.pipeline.calibration import Calibration, NodeCalibration
from assay.pipeline.plan import Plan
from assay.pipeline.states import States, StatesSettings

TUNE, POOLED = "TUNE", "TRAIN and TUNE, pooled by cross-fitting"
ORDERLY = {Calibration.name, NodeCalibration.name, States.name}
"""Stages that learn on TUNE and leave the order of raw scores as it is."""


def labelled(frame: pl.DataFrame, corpus: Corpus) -> pl.DataFrame:
    """Queries with a column `label`: whether the corpus has evidence for them."""
    positive = corpus.gold.frame.filter(pl.col("grade") >= 1).select(QUERY).unique()
    marked = positive.with_columns(pl.lit(True).alias("label"))
    joined = frame.join(marked, on=QUERY, how="left", maintain_order="left")
    return joined.with_columns(pl.col("label").fill_null(False))


def state_thresholds(plan: Plan, corpus: Corpus, answers: Answers) -> pl.DataFrame | None:
    """One row a fold, threshold and set that chose it; None without a three-state gate.

    `certifiable` is the sensitivity that so many positives could certify at the confidence with no
    miss: (1 − confidence)^(1 / units). Criteria that are not trained on choose nothing and are not
    counted here.
    """
    if States.name not in plan.stages or answers.decisions is None or answers.tune is None:
        return None
    settings = StatesSettings.of(plan.tables.get(States.name, {}), plan.source)
    taught = ~pl.col("criterion_id").is_in(list(plan.protocol.exclude))
    tune, decided = (
        labelled(each.filter(taught), corpus) for each in (answers.tune, answers.decisions)
    )
    sets = {TUNE: tune}
    if answers.train is not None:
        train = labelled(answers.train.filter(taught), corpus)
        sets[POOLED] = pl.concat([train, tune])
    rules = {
        "tau_neg": f"sensitivity_{settings.sensitivity}",
        "tau_pos": f"precision_{settings.precision}",
    }
    rows = []
    for fold in decided["fold"].unique(maintain_order=True):
        mine = decided.filter(pl.col("fold") == fold)
        for name, rule in rules.items():
            for chosen_on, frame in sets.items():
                given = frame.filter(pl.col("fold") == fold)
                chosen = choose_threshold(
                    given["prob"].to_numpy(),
                    given["label"].to_numpy(),
                    rule,
                    posts=given["post_id"],
                    fold=fold,
                    confidence=settings.confidence,
                )
                row = {"fold": fold, "threshold": name, "chosen_on": chosen_on}
                rows.append(row | _claim(chosen, chosen_on, settings) | _shown(mine, name, chosen))
    return pl.DataFrame(rows, infer_schema_length=None)


def _claim(chosen: Threshold, chosen_on: str, settings: StatesSettings) -> dict[str, Any]:
    """What the set that chose it can say."""
    pooled = chosen_on == POOLED
    sensitivity = chosen.rule.startswith("sensitivity")
    floor = (1 - settings.confidence) ** (1 / chosen.units) if chosen.units else 0.0
    note = f"not certified: {POOLED}" if pooled else chosen.note
    return {
        "rule": chosen.rule,
        "value": min(chosen.value, 1.0),
        "queries": chosen.queries,
        "positives": chosen.positives,
        "units": chosen.units,
        "reached": chosen.reached,
        "confidence": None if pooled else chosen.confidence,
        "certified": False if pooled else chosen.certified,
        "certifiable": floor if sensitivity and not pooled else None,
        "note": note,
    }


def _shown(mine: pl.DataFrame, name: str, chosen: Threshold) -> dict[str, float | None]:
    """On EVAL: sensitivity and NEG rate of τ_neg, precision and POS rate of τ_pos."""
    passed, label = mine["prob"].to_numpy() >= chosen.value, mine["label"].to_numpy()
    hits, whole = int((passed & label).sum()), int((label if name == "tau_neg" else passed).sum())
    share = float(passed.mean())
    return {
        "eval": hits / whole if whole else None,
        "eval_share": 1 - share if name == "tau_neg" else share,
    }
