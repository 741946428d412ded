"""All measures of a contract on one set of cases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assay.contracts.model import Contract
from assay.data.model import Cases, Floats
from assay.errors import InputError, MeasureError
from assay.evaluation.intervals import LABELS, Bootstrap, intervals
from assay.evaluation.result import GroupValue, Result, Value
from assay.evaluation.score import Scored, group, score, tie_sensitive
from assay.metrics.entry import Metric

Breakdown = dict[str, dict[str, dict[str, GroupValue]]]  # column, label, measure


def absence(cases: Cases, metric: Metric) -> str | None:
    """Why the cases cannot have a measure; None where they can."""
    if not cases.ranked and not metric.needs:
        return "there are no rankings"
    return next(filter(None, (_lacks(cases, need) for need in metric.needs)), None)


def _lacks(cases: Cases, need: str) -> str | None:
    is_threshold = need == "tune" or need.startswith("fpr_")
    if need in ("post_id", "criterion_id"):
        reason, lacks = "there are no posts with several criteria", need not in cases.groupings
    elif need == "pairs":
        reason = "pair-level measures need a corpus and all of its candidates"
        lacks = cases.pairs is None
    elif cases.prob is None:
        reason, lacks = "the system gave no decisions", True
    elif is_threshold:
        reason, lacks = "no threshold was chosen on TUNE", need not in cases.thresholds
    else:
        reason, lacks = f"the decisions have no column {need}", getattr(cases, need) is None
    return reason if lacks else None


def evaluate_cases(
    cases: Cases,
    contract: Contract,
    *,
    system: str = "system",
    by: Sequence[str] = (),
    measures: Iterable[str] | None = None,
    bootstrap: Bootstrap | None = None,
) -> Result:
    """Score every measure of the contract, or only the named ones."""
    chosen = _chosen(contract, measures)
    reasons = {name: absence(cases, metric) for name, metric in chosen.items()}
    absent = {name: reason for name, reason in reasons.items() if reason is not None}
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
    groups: Breakdown = {column: {} for column in by}
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
        values, groups = _with_intervals(values, groups, kept, cases, bootstrap)
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
        keys=tuple(cases.keys.columns),
        queries=lambda: _per_query(cases, columns),
    )


def _with_intervals(
    values: list[Value], groups: Breakdown, scored: list[Scored], cases: Cases, plan: Bootstrap
) -> tuple[list[Value], Breakdown]:
    """Intervals of the headlines (of fold means where those are the headline) and of the groups.

    All come from the same draws. A group is the measure with fewer queries inside; those of a
    column with many labels are left as they are.
    """
    asked = [
        (one, value.aggregate == "fold_mean", value.value)
        for value, one in zip(values, scored, strict=True)
    ]
    places = []
    for column, rows in groups.items():
        grouping = cases.groupings[column]
        if len(grouping.labels) > LABELS:
            continue
        for code, label in enumerate(grouping.labels):
            here = grouping.codes == code
            inside = {one.metric.population: one.inside & here for one in scored}
            for value, one in zip(values, scored, strict=True):
                part = replace(one, inside=inside[one.metric.population])
                asked.append((part, False, rows[label][value.name].value))
                places.append((column, label, value.name))
    made = intervals(asked, cases, plan)
    for (column, label, name), interval in zip(places, made[len(values) :], strict=True):
        groups[column][label][name] = replace(groups[column][label][name], interval=interval)
    headlines = zip(values, made[: len(values)], strict=True)
    return [replace(value, interval=interval) for value, interval in headlines], groups


def _chosen(contract: Contract, names: Iterable[str] | None) -> Mapping[str, Metric]:
    if names is None:
        return contract.metrics
    chosen = {name: contract.resolve(name) for name in names}
    if not chosen:
        raise MeasureError("no measure was named")
    return chosen


def _per_query(cases: Cases, columns: Mapping[str, Floats]) -> pl.DataFrame:
    """Values outside the population are not a number here, and null in the frame."""
    facts: dict[str, NDArray[Any]] = {
        "has_evidence": cases.has_evidence,
        "answered": cases.answered,
        "n": cases.n,
    }
    fold = cases.groupings.get("fold")
    if fold is not None:
        facts["fold"] = np.array(fold.labels)[fold.codes]
    for name in ("prob", "selected_k"):
        if getattr(cases, name) is not None:
            facts[name] = getattr(cases, name)
    return cases.keys.with_columns(
        *(pl.Series(name, values) for name, values in facts.items()),
        *(pl.Series(name, values).fill_nan(None) for name, values in columns.items()),
    )
