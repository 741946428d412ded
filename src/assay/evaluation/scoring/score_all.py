"""All measures of a contract on one set of cases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from assay.array_types import Floats
from assay.contracts.contract import Contract
from assay.contracts.contract_parts import check_target
from assay.data.cases import Cases
from assay.errors import InputError, MeasureError, shown
from assay.evaluation.inputs.aligned_input import Sources
from assay.evaluation.result import Breakdown, Result, TuneSplit, Value
from assay.evaluation.scoring.applicable_measures import absence, by_decision
from assay.evaluation.scoring.k_histogram import selected_k_histogram
from assay.evaluation.scoring.query_table import per_query
from assay.evaluation.scoring.score import Scored, group, score, tie_sensitive
from assay.metrics.core.entry import Metric

if TYPE_CHECKING:
    from assay.data.tune_queries import Tune
    from assay.evaluation.intervals.bootstrap_plan import Bootstrap
    from assay.evaluation.progress import Progress
    from assay.evaluation.thresholds.tune_thresholds import Threshold

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
    tune_reused: bool = False,
    tune_share: float | None = None,
    targets: bool = True,
    sources: Sources | None = None,
    progress: Progress | None = None,
) -> Result:
    """Score every measure of the contract, or only the named ones.

    Thresholds are chosen on `tune`; set `tune_reused` if it served another purpose too, `tune_share`
    if it is this share of a table. Without `targets`, values are not compared with the contract's.
    """
    chosen = chosen_measures(contract, measures)
    _check_folds(cases)
    thresholds: tuple[Threshold, ...] = ()
    if tune is not None:
        from assay.evaluation.thresholds.apply_tune import apply_tune

        cases, thresholds = apply_tune(cases, chosen.values(), contract, tune, tune_reused=tune_reused)
    chosen = by_decision(chosen, cases)
    reasons = {name: absence(cases, metric) for name, metric in chosen.items()}
    absent = {name: reason for name, reason in reasons.items() if reason is not None}
    if by == DEFAULT_GROUPS:
        by = [column for column in ("criterion_id", "state") if _is_breakdown(cases, column)]
    for column in by:
        if column not in cases.groupings:
            has = ", ".join(sorted(cases.groupings))
            expected = f"expected one of {has}" if has else "these data have no column to break down by"
            raise InputError.of("`by`", f"no column is called {column!r}", expected)
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
        own = contract.own_name(name)
        value = score(scored, name, folds, contract.aggregate, ties, contract.role(own))
        if targets and own in contract.targets:
            target = check_target(contract.targets[own], value.value, value.convention)
            value = replace(value, target=target)
        values.append(value)
        for column in by:
            for label, cell in group(scored, cases.groupings[column]).items():
                groups[column].setdefault(label, {})[name] = cell
        if scored.listed is not None:
            columns[name] = np.where(scored.inside, scored.listed, np.nan)
    if bootstrap is not None:
        from assay.evaluation.intervals.result_intervals import with_intervals

        values, groups = with_intervals(values, groups, kept, cases, bootstrap, progress)
    return Result(
        system=system,
        contract=contract,
        counts=cases.counts,
        measures=tuple(values),
        absent=absent,
        unexpected={
            name: count for name, count in contract.expected.items() if getattr(cases.counts, name) != count
        },
        groups=groups,
        thresholds=thresholds,
        selected_k={} if cases.selected_k is None else selected_k_histogram(cases, cases.selected_k),
        query_keys=tuple(cases.keys.columns),
        tune_reused=tune_reused,
        tune_split=None if tune is None or tune_share is None else _split(cases, tune, tune_share),
        bootstrap=bootstrap,
        sources=sources,
        queries=lambda: per_query(cases, columns, by),
    )


def _is_breakdown(cases: Cases, column: str) -> bool:
    """Return whether a column groups queries; if every post has different questions, none does."""
    if column not in cases.groupings:
        return False
    posts = cases.groupings.get("post_id")
    several = posts is not None and len(posts.labels) > 1
    return not (several and len(cases.groupings[column].labels) == len(cases))


def _split(cases: Cases, tune: Tune, share: float) -> TuneSplit:
    groups = cases.groupings.get("post_id")
    scored = len(cases) if groups is None else len(groups.labels)
    return TuneSplit(share, len(tune), len(tune.posts.labels), len(cases), scored)


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


def judges_targets(keys: Sequence[str], *, shared: bool) -> bool:
    """Return whether a contract's targets are about such data: sentences of posts, by criterion.

    Plain runs and tables, and chunks that all questions share, have other difficulties and base rates.
    """
    return list(keys) != ["query_id"] and not shared


def chosen_measures(contract: Contract, names: Iterable[str] | None) -> Mapping[str, Metric]:
    """Return all measures of the contract, or those of these names."""
    if names is None:
        return contract.metrics
    chosen = {name: contract.resolve(name) for name in names}
    if not chosen:
        raise MeasureError("no measure was named")
    return chosen
