"""The thresholds of the three states per fold: what TUNE can promise, and what EVAL shows.

A second row per threshold is chosen on TRAIN and TUNE together, where every TRAIN query has the
probability of a stage that did not learn from its post: more positives, but no promise, because
TRAIN also taught the stages. It is labelled as such and never used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from assay.array_types import Bools, Floats
from assay.data.corpus import QUERY, Corpus
from assay.evaluation.thresholds.tune_thresholds import Threshold, choose_threshold
from assay.pipeline.prediction_tables import Answers
from assay.pipeline.run_config import Plan
from assay.pipeline.stage import Learns
from assay.pipeline.stage_registry import types_of
from assay.pipeline.stages.probability_calibration import Calibration, NodeCalibration
from assay.pipeline.stages.three_state_gate import StatesSettings, ThreeStateGate
from assay.statistics.exact_binomial import binomial_cdf
from assay.statistics.operating_points import effective

TUNE, POOLED = "TUNE", "TRAIN and TUNE, pooled by cross-fitting"
ORDERLY = {Calibration.name, NodeCalibration.name, ThreeStateGate.name}
"""Stages that learn on TUNE but keep the order of raw scores."""
FEWEST, GROWTH = 8, 1.2  # numbers of alerts tried for the most certain threshold


def choose(prob: Floats, label: Bools, posts: Sequence[str], rule: str, confidence: float) -> float:
    """Return the threshold that a rule chooses on TUNE, for the three-state gate."""
    return chosen_on_tune(prob, label, posts, rule, confidence).value


def tune_reused(plan: Plan) -> bool:
    """Return whether a stage learns from TUNE, so that no threshold may be called certified.

    The gate's raw score learned nothing from TUNE, and the calibrations keep its order, so a
    threshold on the probability is a threshold on the raw score. Any other stage that learns on
    TUNE could have changed the order of queries.
    """
    kinds = types_of(plan.stages, plan.folder, plan.source)
    learned = {kind.name for kind in kinds if kind.learns is Learns.TUNE}
    return not learned <= ORDERLY


def chosen_on_tune(
    prob: Floats, label: Bools, posts: Sequence[str], rule: str, confidence: float
) -> Threshold:
    """Return the threshold of a rule; if a precision cannot be certified, the most certain one.

    Plain targeting would take the lowest threshold that meets the target on TUNE and miss it on new
    posts about half of the time. Instead, of the numbers of alerts tried, take the one with the
    least P(Bin(a*, 1 − target) ≤ false alerts · a*/a), with a* the effective number of posts. The
    claim stays 'not certifiable'.
    """
    first = choose_threshold(prob, label, rule, posts=posts, confidence=confidence)
    if first.certified or not rule.startswith("precision"):
        return first
    target = float(rule.partition("_")[2])
    order = np.argsort(-prob, kind="stable")
    code = np.unique(np.array(posts), return_inverse=True)[1][order]
    best: tuple[float, float, float, float] | None = None
    size = FEWEST
    while size <= len(prob):
        value = float(prob[order[size - 1]])
        alerts = int((prob >= value).sum())  # tied ones are included
        hits, units = int(label[order[:alerts]].sum()), effective(code[:alerts])
        doubt = binomial_cdf((alerts - hits) * units / alerts, units, 1 - target)
        if best is None or doubt <= best[0]:
            best = (doubt, value, hits / alerts, units)
        size = max(size + 1, int(size * GROWTH))
    if best is None or best[0] > 0.5:
        return replace(first, note=f"{first.note}; no threshold is more likely than not to meet it")
    doubt, value, reached, units = best
    note = f"{first.note}; the most certain threshold meets it with {1 - doubt:.1%}, taken alone"
    return replace(first, value=value, reached=reached, units=units, note=note)


def labelled(frame: pl.DataFrame, corpus: Corpus) -> pl.DataFrame:
    """Return queries with a column `label`: whether the corpus has evidence for them."""
    positive = corpus.gold.frame.filter(pl.col("grade") >= 1).select(QUERY).unique()
    marked = positive.with_columns(pl.lit(True).alias("label"))
    joined = frame.join(marked, on=QUERY, how="left", maintain_order="left")
    return joined.with_columns(pl.col("label").fill_null(False))


def state_thresholds(plan: Plan, corpus: Corpus, answers: Answers) -> pl.DataFrame | None:
    """Return one row per fold, threshold and set that chose it; None without a three-state gate.

    `certifiable` is the sensitivity that this many positives could certify at the confidence
    without a miss: (1 − confidence)^(1 / units). Criteria excluded from training choose nothing and
    are not counted.
    """
    if ThreeStateGate.name not in plan.stages or answers.decisions is None or answers.tune is None:
        return None
    settings = StatesSettings.of(plan.tables.get(ThreeStateGate.name, {}), plan.source)
    taught = ~pl.col("criterion_id").is_in(list(plan.protocol.exclude))
    tune, decided = (labelled(each.filter(taught), corpus) for each in (answers.tune, answers.decisions))
    sets = {TUNE: tune}
    if answers.train is not None:
        train = labelled(answers.train.filter(taught), corpus)
        sets[POOLED] = pl.concat([train, tune])
    rules = {"tau_neg": f"sensitivity_{settings.sensitivity}", "tau_pos": f"precision_{settings.precision}"}
    rows = []
    for fold in decided["fold"].unique(maintain_order=True):
        mine = decided.filter(pl.col("fold") == fold)
        for name, rule in rules.items():
            for chosen_on, frame in sets.items():
                given = frame.filter(pl.col("fold") == fold)
                chosen = chosen_on_tune(
                    given["prob"].to_numpy(),
                    given["label"].to_numpy(),
                    given["post_id"].to_list(),
                    rule,
                    settings.confidence,
                )
                row = {"fold": fold, "threshold": name, "chosen_on": chosen_on}
                rows.append(row | _claim(chosen, chosen_on, settings) | _shown(mine, name, chosen))
    return pl.DataFrame(rows, infer_schema_length=None)


def _claim(chosen: Threshold, chosen_on: str, settings: StatesSettings) -> dict[str, Any]:
    """Return the claim that the set that chose a threshold supports."""
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
    """Return, on EVAL, sensitivity and NEG rate of τ_neg, precision and POS rate of τ_pos."""
    passed, label = mine["prob"].to_numpy() >= chosen.value, mine["label"].to_numpy()
    hits, whole = int((passed & label).sum()), int((label if name == "tau_neg" else passed).sum())
    share = float(passed.mean())
    return {"eval": hits / whole if whole else None, "eval_share": 1 - share if name == "tau_neg" else share}
