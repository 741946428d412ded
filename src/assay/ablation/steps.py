"""Configurations one after the other: values, and what each adds to the one before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from assay.data.corpus import Corpus
from assay.data.predictions import Predictions
from assay.errors import MeasureError
from assay.evaluation.api import evaluate
from assay.evaluation.compare import compare
from assay.evaluation.result import Result
from assay.experiment.floors import by_highest, fold_table
from assay.kernels.adjust import holm
from assay.pipeline.answers import Answers
from assay.pipeline.plan import Plan

MEASURES = ("ndcg@10", "recall@10", "auroc", "evidence_recall", "alert_precision")
SWEPT = ("selected_k_mean", "evidence_recall", "evidence_precision", "selected_k_total")


@dataclass(frozen=True, slots=True)
class Change:
    """What a step adds to the one before: paired by query, resampled by post."""

    difference: float
    low: float
    high: float
    p: float  # randomisation test
    holm: float  # over all steps and measures of the table


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """A configuration that ran, or that is absent as a whole."""

    name: str
    stages: tuple[str, ...] = ()
    result: Result | None = None
    predictions: Predictions | None = None
    absent: str = ""
    changes: Mapping[str, Change] = field(default_factory=dict)

    def reason(self, measure: str) -> str:
        """Why a value is not there; empty where it is."""
        if self.result is None:
            return self.absent
        return self.result.absent.get(measure, "")

    def row(self) -> dict[str, Any]:
        """Values with their std over folds, changes, and reasons."""
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


def scored(plan: Plan, corpus: Corpus, answers: Answers, name: str) -> tuple[Result, Predictions]:
    """A configuration without decisions gets AUROC from its highest score (row 26)."""
    decisions = answers.decisions
    if decisions is None:
        decisions = by_highest(answers.candidates, corpus, fold_table(corpus, plan))
    given = Predictions.of(answers.candidates, decisions, answers.tune, name)
    names = list(dict.fromkeys([*MEASURES, *SWEPT]))
    return evaluate(given, corpus, contract=plan.contract, measures=names, clean=False), given


def cells(result: Result | None, names: Sequence[str]) -> dict[str, float | None]:
    """Value and std over folds of each measure; null where it is absent."""
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
    """Each step that ran with its changes from the last one before it that ran.

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
            found[step.name] = {each.name: each for each in made}
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
    """One row a step."""
    return pl.DataFrame([step.row() for step in steps], infer_schema_length=None)


def document(steps: Sequence[Step]) -> dict[str, Any]:
    """For each measure its steps, as a waterfall draws them."""
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
