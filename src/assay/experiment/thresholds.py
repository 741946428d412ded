"""The thresholds of the three states, fold by fold: what TUNE can promise, and what EVAL shows.

A second row a threshold is chosen on TRAIN and TUNE together, where every TRAIN query has the
probability of a stage that did not learn from its post: more positives, and no promise, because
TRAIN also taught the stages. It is offered under that label and never used by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from assay.data.corpus import QUERY, Corpus
from assay.data.model import Bools, Floats
from assay.evaluation.thresholds import Threshold, choose_threshold
from assay.kernels.beta import binomial_cdf
from assay.kernels.operating import effective
from assay.pipeline.answers import Answers
from assay.pipeline.build import STAGES
from assay.pipeline.calibration import Calibration, NodeCalibration
from assay.pipeline.plan import Plan
from assay.pipeline.stage import Learns
from assay.pipeline.states import States, StatesSettings

TUNE, POOLED = "TUNE", "TRAIN and TUNE, pooled by cross-fitting"
ORDERLY = {Calibration.name, NodeCalibration.name, States.name}
"""Stages that learn on TUNE and leave the order of raw scores as it is."""
FEWEST, GROWTH = 8, 1.2  # numbers of alerts that are looked at for the surest threshold


def choose(prob: Floats, label: Bools, posts: Sequence[str], rule: str, confidence: float) -> float:
    """The threshold that a rule chooses on TUNE, for the three-state gate."""
    return chosen_on_tune(prob, label, posts, rule, confidence).value


def clean(plan: Plan) -> bool:
    """Whether a threshold on TUNE may be called certified.

    The gate's raw score learned nothing from TUNE, and the calibrations leave its order as it is,
    so a threshold on the probability is one on the raw score. Any other stage that learns on TUNE
    could have moved queries past each other.
    """
    learned = {name for name in plan.stages if STAGES[name].learns is Learns.TUNE}
    return learned <= ORDERLY


def chosen_on_tune(
    prob: Floats, label: Bools, posts: Sequence[str], rule: str, confidence: float
) -> Threshold:
    """The threshold that a rule chooses; where a precision cannot be certified, the surest one.

    Plain targeting would take the lowest threshold that keeps the target on TUNE and miss it on new
    posts about half of the time. So the one is taken that TUNE is surest of: of the numbers of
    alerts tried, that with the least P(Bin(a*, 1 − target) ≤ false alerts · a*/a), a* the effective
    number of posts. The claim stays 'not certifiable'.
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
        alerts = int((prob >= value).sum())  # tied ones come along
        hits, units = int(label[order[:alerts]].sum()), effective(code[:alerts])
        doubt = binomial_cdf((alerts - hits) * units / alerts, units, 1 - target)
        if best is None or doubt <= best[0]:
            best = (doubt, value, hits / alerts, units)
        size = max(size + 1, int(size * GROWTH))
    if best is None or best[0] > 0.5:
        return replace(first, note=f"{first.note}; no threshold is more likely than not to keep it")
    doubt, value, reached, units = best
    note = f"{first.note}; the surest threshold keeps it at {1 - doubt:.1%}, looked at alone"
    return replace(first, value=value, reached=reached, units=units, note=note)


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
