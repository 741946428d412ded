"""All measures of a contract on one set of cases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from assay.contracts.model import Contract
from assay.contracts.targets import held_against
from assay.data.model import Cases, Floats
from assay.errors import InputError, MeasureError, shown
from assay.evaluation.absence import absence
from assay.evaluation.bounds import Breakdown, with_intervals
from assay.evaluation.decision import by_decision
from assay.evaluation.histogram import selected_k_histogram
from assay.evaluation.intervals import Bootstrap
from assay.evaluation.progress import Progress
from assay.evaluation.queries import per_query
from assay.evaluation.result import Result, Value
from assay.evaluation.score import Scored, group, score, tie_sensitive
from assay.evaluation.sources import Sources
from assay.evaluation.thresholds import Threshold, with_thresholds
from assay.metrics.entry import Metric
from assay.metrics.family import TUNED

if TYPE_CHECKING:
    from assay.data.tuning import Tune

DEFAULT_GROUPS = "default"
"""By criterion and by state, where the data have them."""


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
    progress: Progress | None = None,
) -> Result:
    """Score every measure of the contract, or only the named ones.

    Thresholds are chosen on `tune`; `clean` says that it was used for nothing else.
    """
    chosen = chosen_measures(contract, measures)
    _check_folds(cases)
    thresholds: tuple[Threshold, ...] = ()
    if tune is not None:
        cases, thresholds = tuned(cases, chosen.values(), contract, tune, clean=clean)
    chosen = by_decision(chosen, cases)
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
    groups: Breakdown = {column: {} for column in by}
    columns: dict[str, Floats] = {}
    for name, metric in chosen.items():
        if name in absent:
            continue
        scored = Scored.of(metric, cases)
        kept.append(scored)
        ties = tie_sensitive(metric, scored, tied, best, worst)
        value = score(scored, name, folds, contract.aggregate, ties, contract.role(name))
        if name in contract.targets:
            target = held_against(contract.targets[name], value.value, value.convention)
            value = replace(value, target=target)
        values.append(value)
        for column in by:
            for label, cell in group(scored, cases.groupings[column]).items():
                groups[column].setdefault(label, {})[name] = cell
        if scored.listed is not None:
            columns[name] = np.where(scored.inside, scored.listed, np.nan)
    if bootstrap is not None:
        values, groups = with_intervals(values, groups, kept, cases, bootstrap, progress)
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
        clean=clean,
        bootstrap=bootstrap,
        sources=sources,
        queries=lambda: per_query(cases, columns, by),
    )


def _check_folds(cases: Cases) -> None:
    """A post belongs to one fold: else one fold's system was trained on what another scores."""
    posts, folds = cases.groupings.get("post_id"), cases.groupings.get("fold")
    if posts is None or folds is None:
        return
    fold_of = np.zeros(len(posts.labels), dtype=np.int64)
    fold_of[posts.codes] = folds.codes
    shared = np.unique(posts.codes[fold_of[posts.codes] != folds.codes])
    if len(shared):
        first = shown(posts.labels[shared[0]])
        many = f"{len(shared)} posts have" if len(shared) > 1 else "a post has"
        problem = f"{many} queries in two folds, the first {first}"
        raise InputError.of("folds", problem, "folds must not share a post")


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


def chosen_measures(contract: Contract, names: Iterable[str] | None) -> Mapping[str, Metric]:
    """All measures of the contract, or those of these names."""
    if names is None:
        return contract.metrics
    chosen = {name: contract.resolve(name) for name in names}
    if not chosen:
        raise MeasureError("no measure was named")
    return chosen
