"""Choose every threshold that a contract needs on TUNE, and apply it to EVAL queries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from assay.array_types import Bools, Floats
from assay.contracts.contract import Contract
from assay.data.cases import Cases
from assay.data.tune_queries import Tune
from assay.errors import InputError, shown
from assay.evaluation.thresholds.threshold_rule import ThresholdRule
from assay.evaluation.thresholds.tune_thresholds import Threshold, check_disjoint, choose_on, settled
from assay.metrics.core.entry import Metric
from assay.metrics.core.names.parameter import TUNED


def apply_tune(
    cases: Cases, chosen: Iterable[Metric], contract: Contract, tune: Tune, *, tune_reused: bool = False
) -> tuple[Cases, tuple[Threshold, ...]]:
    """Return the cases with the thresholds that the chosen measures and the deployment need."""
    if cases.prob is None:
        problem = "there are TUNE queries, but no probabilities to apply thresholds to"
        raise InputError.of(tune.source, problem, "expected decisions with a column prob")
    needs = [need for metric in chosen for need in metric.needs]
    rules = [need.removeprefix(TUNED) for need in needs if need.startswith(TUNED)]
    return _with_thresholds(
        cases,
        tune,
        rules,
        deployment=contract.deployment,
        confidence=contract.confidence,
        tune_reused=tune_reused,
    )


def _with_thresholds(
    cases: Cases,
    tune: Tune,
    rules: Iterable[str],
    *,
    deployment: str | None,
    confidence: float,
    tune_reused: bool,
) -> tuple[Cases, tuple[Threshold, ...]]:
    """Return the cases with one threshold per query for every rule, and the thresholds."""
    posts = cases.groupings.get("post_id")
    made: list[Threshold] = []
    values: dict[str, Floats] = {}
    parts = _parts(cases, tune)
    for text in dict.fromkeys([*([deployment] if deployment else []), *rules]):
        column = np.empty(len(cases))
        for fold, queries, chosen_on in parts:
            chosen = choose_on(ThresholdRule.of(text), tune, chosen_on, fold, confidence)
            if posts is not None:
                names = {posts.labels[code] for code in np.unique(posts.codes[queries])}
                check_disjoint(chosen, names, fold)
            column[queries] = chosen.value
            made.append(replace(settled(chosen, tune_reused=tune_reused), deployment=text == deployment))
        values[text] = column
    if deployment:
        values["tune"] = values[deployment]
    return replace(cases, thresholds={**cases.thresholds, **values}), tuple(made)


def _parts(cases: Cases, tune: Tune) -> list[tuple[str | None, Bools, Bools]]:
    """Return each outer fold with its EVAL and TUNE queries; one part where TUNE has no folds."""
    folds = cases.groupings.get("fold")
    if tune.folds is None:
        return [(None, np.ones(len(cases), dtype=bool), np.ones(len(tune), dtype=bool))]
    if folds is None:
        raise InputError.of(tune.source, "has folds", "the queries that are scored have none")
    known: Mapping[str, int] = {name: code for code, name in enumerate(folds.labels)}
    for name in tune.folds.labels:
        if name not in known:
            expected = f"expected one of {', '.join(folds.labels[:12])}"
            raise InputError.of(tune.source, f"has fold {shown(name)}", expected)
    parts: list[tuple[str | None, Bools, Bools]] = []
    for name, code in known.items():
        if name not in tune.folds.labels:
            problem = f"has no query of fold {shown(name)}"
            raise InputError.of(tune.source, problem, "expected TUNE queries for every fold")
        mine = tune.folds.codes == tune.folds.labels.index(name)
        parts.append((name, folds.codes == code, mine))
    return parts
