"""All measures of a contract on one set of cases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assay.contracts.model import Contract
from assay.data.model import STATES, Cases, Floats, Grouping
from assay.errors import InputError, MeasureError
from assay.evaluation.histogram import selected_k_histogram
from assay.evaluation.intervals import LABELS, Bootstrap, exact, intervals
from assay.evaluation.result import GroupValue, Result, Value
from assay.evaluation.score import Scored, group, score, tie_sensitive
from assay.evaluation.sources import Sources
from assay.evaluation.thresholds import Threshold, with_thresholds
from assay.metrics.entry import Metric
from assay.metrics.family import TUNED

if TYPE_CHECKING:
    from assay.data.tuning import Tune

DEFAULT_GROUPS = "default"
"""By criterion and by state, where the data have them."""


def absence(cases: Cases, metric: Metric) -> str | None:
    """Why the cases cannot have a measure; None where they can."""
    if not cases.ranked and not metric.needs:
        return "there are no rankings"
    return next(filter(None, (_lacks(cases, need) for need in metric.needs)), None)


def _lacks(cases: Cases, need: str) -> str | None:
    is_threshold = need == "tune" or need.startswith(TUNED)
    if need in ("post_id", "criterion_id"):
        reason, lacks = "there are no posts with several criteria", need not in cases.groupings
    elif need == "ranked":
        reason, lacks = "there are no rankings", not cases.ranked
    elif need == "confidence":
        reason, lacks = "the scores of the candidates were not kept", not cases.confidence
    elif need == "pairs":
        reason = "pair-level measures need a corpus and all of its candidates"
        lacks = cases.pairs is None
    elif cases.prob is None:
        reason, lacks = "the system gave no decisions", True
    elif is_threshold:
        reason = "no threshold was chosen on TUNE"
        lacks = need.removeprefix(TUNED) not in cases.thresholds
    else:
        reason, lacks = f"the decisions have no column {need}", getattr(cases, need) is None
    return reason if lacks else None


def evaluate_cases(
    cases: Cases,
    contract: Contract,
    *,
    system: str = "system",
    by: Sequence[str] | str = (),
    measures: Iterable[str] | None = None,
    bootstrap: Bootstrap | None = None,
    tune: Tune | None = None,
    clean: bool = True,
    sources: Sources | None = None,
) -> Result:
    """Score every measure of the contract, or only the named ones.

    Thresholds are chosen on `tune`; `clean` says that it was used for nothing else.
    """
    chosen = chosen_measures(contract, measures)
    thresholds: tuple[Threshold, ...] = ()
    if tune is not None:
        cases, thresholds = tuned(cases, chosen.values(), contract, tune, clean=clean)
    reasons = {name: absence(cases, metric) for name, metric in chosen.items()}
    absent = {name: reason for name, reason in reasons.items() if reason is not None}
    if by == DEFAULT_GROUPS:
        by = [column for column in ("criterion_id", "state") if column in cases.groupings]
    for column in by:
        if column not in cases.groupings:
            has = ", ".join(sorted(cases.groupings))
            expected = (
                f"expected one of {has}" if has else "these data have no column to break down by"
            )
            raise InputError.of("--by", f"no column is called {column!r}", expected)
    tied, best, worst = cases.tie_orders()
    folds = cases.groupings.get("fold")
    values: list[Value] = []
    kept: list[Scored] = []
    groups: dict[str, dict[str, dict[str, GroupValue]]] = {column: {} for column in by}
    columns: dict[str, Floats] = {}
    for name, metric in chosen.items():
        if name in absent:
            continue
        scored = Scored.of(metric, cases)
        kept.append(scored)
        ties = tie_sensitive(metric, scored, tied, best, worst)
        values.append(score(scored, name, folds, contract.aggregate, ties, contract.role(name)))
        for column in by:
            for label, value in group(scored, cases.groupings[column]).items():
                groups[column].setdefault(label, {})[name] = value
        if scored.per_query is not None:
            columns[name] = np.where(scored.inside, scored.per_query, np.nan)
    if bootstrap is not None:
        values = _with_intervals(values, kept, cases, bootstrap)
        for column in by:
            if len(cases.groupings[column].labels) <= LABELS:
                names = [value.name for value in values]
                grouping, rows = cases.groupings[column], groups[column]
                _give_intervals(
                    rows, dict(zip(names, kept, strict=True)), grouping, cases, bootstrap
                )
    return Result(
        system=system,
        contract=contract.id,
        contract_hash=contract.hash,
        counts=cases.counts,
        values=tuple(values),
        absent=absent,
        unexpected={
            name: count
            for name, count in contract.expected.items()
            if getattr(cases.counts, name) != count
        },
        groups=groups,
        thresholds=thresholds,
        selected_k=selected_k_histogram(cases),
        keys=tuple(cases.keys.columns),
        rules=contract,
        bootstrap=bootstrap,
        sources=sources,
        queries=lambda: _per_query(cases, columns, by),
    )


def tuned(
    cases: Cases, chosen: Iterable[Metric], contract: Contract, tune: Tune, *, clean: bool = True
) -> tuple[Cases, tuple[Threshold, ...]]:
    """The thresholds that the chosen measures look at, and the one that is deployed."""
    if cases.prob is None:
        problem = "there are TUNE queries, but no probabilities to apply thresholds to"
        raise InputError.of(tune.source, problem, "expected decisions with a column prob")
    needs = [need for metric in chosen for need in metric.needs]
    rules = [need.removeprefix(TUNED) for need in needs if need.startswith(TUNED)]
    return with_thresholds(
        cases,
        tune,
        rules,
        deployment=contract.deployment,
        confidence=contract.confidence,
        clean=clean,
    )


def _with_intervals(
    values: list[Value], scored: list[Scored], cases: Cases, plan: Bootstrap
) -> list[Value]:
    """Intervals of the headlines: of fold means where those are the headline."""
    asked = [
        (one, value.aggregate == "fold_mean", value.value)
        for value, one in zip(values, scored, strict=True)
    ]
    made = intervals(asked, cases, plan)
    posts = cases.groupings.get("post_id") if plan.unit == "post" else None
    return [
        replace(value, interval=each, exact=exact(one, posts, plan.level))
        for value, each, one in zip(values, made, scored, strict=True)
    ]


def _give_intervals(
    rows: dict[str, dict[str, GroupValue]],
    scored: Mapping[str, Scored],
    grouping: Grouping,
    cases: Cases,
    plan: Bootstrap,
) -> None:
    """Intervals of the values of each label, from the same draws as those of the headlines."""
    asked = [
        (replace(one, inside=one.inside & (grouping.codes == code)), label, name)
        for code, label in enumerate(grouping.labels)
        for name, one in scored.items()
    ]
    wanted = [(one, False, rows[label][name].value) for one, label, name in asked]
    for (_, label, name), made in zip(asked, intervals(wanted, cases, plan), strict=True):
        rows[label][name] = replace(rows[label][name], interval=made)


def chosen_measures(contract: Contract, names: Iterable[str] | None) -> Mapping[str, Metric]:
    """All measures of the contract, or those of these names."""
    if names is None:
        return contract.metrics
    chosen = {name: contract.resolve(name) for name in names}
    if not chosen:
        raise MeasureError("no measure was named")
    return chosen


RESERVED = ("answered", "n", "gold", "has_evidence", "prob", "selected_k", "state")
"""Columns of the table of queries that a grouping of the same name does not replace."""


def _per_query(cases: Cases, columns: Mapping[str, Floats], by: Sequence[str] = ()) -> pl.DataFrame:
    """Values outside the population are not a number here, and null in the frame."""
    facts: dict[str, NDArray[Any]] = {}
    for name in dict.fromkeys(("post_id", "fold", *by)):
        each = cases.groupings.get(name)
        if each is not None and name not in (*cases.keys.columns, *RESERVED):
            facts[name] = np.array(each.labels, dtype=object)[each.codes]
    positive = cases.gold_query[cases.gold_grade >= 1]
    facts |= {
        "answered": cases.answered,
        "n": cases.n,
        "gold": np.bincount(positive, minlength=len(cases)),
        "has_evidence": cases.has_evidence,
    }
    for name in ("prob", "selected_k"):
        if getattr(cases, name) is not None:
            facts[name] = getattr(cases, name)
    if cases.state is not None:
        facts["state"] = np.array(STATES)[cases.state]
    for rule, column in cases.thresholds.items():
        facts[f"threshold_{rule}"] = column
    return cases.keys.with_columns(
        *(pl.Series(name, values) for name, values in facts.items()),
        *(pl.Series(name, values).fill_nan(None) for name, values in columns.items()),
    )
