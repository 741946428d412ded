"""All measures of a contract on one set of cases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assay.contracts.model import Contract
from assay.data.model import Cases, Floats, Grouping
from assay.errors import InputError, MeasureError
from assay.evaluation.intervals import LABELS, Bootstrap, intervals
from assay.evaluation.result import GroupValue, Result, Value
from assay.evaluation.score import Scored, group, score, tie_sensitive
from assay.metrics.entry import Metric


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
        keys=tuple(cases.keys.columns),
        queries=lambda: _per_query(cases, columns),
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
    return [replace(value, interval=each) for value, each in zip(values, made, strict=True)]


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
