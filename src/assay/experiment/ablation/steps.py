"""Configurations in order: their values, and what each adds to the previous one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from assay.data.corpus import Corpus
from assay.data.predictions import Predictions
from assay.errors import MeasureError
from assay.evaluation.comparison.compare import compare
from assay.evaluation.evaluate import evaluate
from assay.evaluation.result import Result
from assay.experiment.run_baselines import by_highest, fold_table
from assay.pipeline.prediction_tables import Answers
from assay.pipeline.run_config import Plan
from assay.statistics.multiple_testing import holm

MEASURES = ("ndcg@10", "recall@10", "auroc", "evidence_recall", "alert_precision")
SWEPT = ("selected_k_mean", "evidence_recall", "evidence_precision", "selected_k_total")


@dataclass(frozen=True, slots=True)
class Change:
    """What a step adds to the previous one: paired by query, resampled by post."""

    difference: float
    low: float
    high: float
    p: float  # randomisation test
    holm: float  # over all steps and measures of the table


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """A configuration that ran, or one that is absent as a whole."""

    name: str
    stages: tuple[str, ...] = ()
    result: Result | None = None
    predictions: Predictions | None = None
    absent: str = ""
    changes: Mapping[str, Change] = field(default_factory=dict)

    def reason(self, measure: str) -> str:
        """Return why a value is missing; empty if it is not."""
        if self.result is None:
            return self.absent
        return self.result.absent.get(measure, "")

    def row(self) -> dict[str, Any]:
        """Return values with their std over folds, changes, and reasons."""
        out: dict[str, Any] = {"configuration": self.name}
        for name in MEASURES:
            out |= cells(self.result, (name,))
            change = self.changes.get(name)
            for part in ("difference", "low", "high", "p", "holm"):
                out[f"{name} {part}"] = None if change is None else getattr(change, part)
        reasons = {name: self.reason(name) for name in MEASURES if self.reason(name)}
        same = len(set(reasons.values())) == 1 and len(reasons) == len(MEASURES)
        listed = [self.absent] if same else [f"{name}: {why}" for name, why in reasons.items()]
        return out | {"absent": "; ".join(listed)}


def predictions_of(
    plan: Plan, corpus: Corpus, answers: Answers, name: str, *, tune: bool = False
) -> Predictions:
    """Return predictions with probabilities; without them, use the highest score of each query."""
    decisions = answers.decisions
    if decisions is None:
        decisions = by_highest(answers.candidates, corpus, fold_table(corpus, plan))
    chosen_on = answers.tune if tune else None
    return Predictions.of(answers.candidates, decisions, chosen_on, name, answers.roles)


def scored(plan: Plan, corpus: Corpus, answers: Answers, name: str) -> tuple[Result, Predictions]:
    """Use AUROC of the highest score if a configuration has no decisions."""
    given = predictions_of(plan, corpus, answers, name, tune=True)
    names = list(dict.fromkeys([*MEASURES, *SWEPT]))
    return evaluate(given, corpus, contract=plan.contract, measures=names, tune_reused=True), given


def cells(result: Result | None, names: Sequence[str]) -> dict[str, float | None]:
    """Return value and std over folds of each measure; null if it is absent."""
    out: dict[str, float | None] = {}
    for name in names:
        out |= {name: None, f"{name} std": None}
        try:
            value = None if result is None else result[name]
        except MeasureError:
            continue
        if value is not None:
            out |= {name: value.value, f"{name} std": value.folds.std if value.folds else None}
    return out


def with_changes(steps: Sequence[Step], corpus: Corpus, plan: Plan) -> list[Step]:
    """Return each step that ran with its changes from the previous one that ran.

    p is adjusted by Holm over every test of the table. Without resamples there are no changes.
    """
    found: dict[str, dict[str, Any]] = {}
    before: Step | None = None
    for step in steps:
        if step.predictions is None:
            continue
        if before is not None and before.predictions is not None and plan.protocol.resamples:
            made = compare(
                before.predictions,
                step.predictions,
                corpus=corpus,
                contract=plan.contract,
                measures=MEASURES,
                names=(before.name, step.name),
                resamples=plan.protocol.resamples,
                seed=plan.protocol.seed,
            )
            found[step.name] = {each.name: each for each in made.differences}
        before = step
    every = [(step, name) for step, changes in found.items() for name in changes]
    adjusted = holm(np.array([found[step][name].randomisation.p for step, name in every]))
    over = dict(zip(every, adjusted.tolist(), strict=True))
    return [_changed(step, found.get(step.name, {}), over) for step in steps]


def _changed(step: Step, made: Mapping[str, Any], over: Mapping[tuple[str, str], float]) -> Step:
    changes = {
        name: Change(
            each.difference,
            each.interval.low,
            each.interval.high,
            each.randomisation.p,
            over[step.name, name],
        )
        for name, each in made.items()
    }
    return Step(step.name, step.stages, step.result, step.predictions, step.absent, changes)


def table(steps: Sequence[Step]) -> pl.DataFrame:
    """Return one row per step."""
    return pl.DataFrame([step.row() for step in steps], infer_schema_length=None)


def document(steps: Sequence[Step]) -> dict[str, Any]:
    """Return the steps of each measure, as a waterfall figure draws them."""
    return {
        name: [
            {"name": step.name, "value": value[name], "std": value[f"{name} std"]}
            | {part: _part(step, name, part) for part in ("difference", "low", "high", "p", "holm")}
            | {"reason": step.reason(name) or None}
            for step in steps
            for value in [cells(step.result, (name,))]
        ]
        for name in MEASURES
    }


def _part(step: Step, name: str, part: str) -> float | None:
    change = step.changes.get(name)
    return None if change is None else float(getattr(change, part))
