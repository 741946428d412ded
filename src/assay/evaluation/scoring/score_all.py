"""All measures of a contract that the data support, on one set of cases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from assay.array_types import Bools
from assay.contracts.contract import Contract
from assay.contracts.contract_parts import check_target
from assay.data.cases import FACTS, IN_TRAINING, Cases
from assay.errors import InputError, MeasureError, shown
from assay.evaluation.inputs.aligned_input import Sources
from assay.evaluation.result import Breakdown, Result, TuneSplit, Value
from assay.evaluation.scoring.k_histogram import selected_k_histogram
from assay.evaluation.scoring.score import QueryRows, QueryValues, group, score, tie_range, tie_sensitive
from assay.metrics.answers.response_rates import said
from assay.metrics.core.entry import NO_EXPECTATION, POPULATION_TITLES, REPEATED, Metric, Population, Scored
from assay.metrics.core.names.parameter import TUNED
from assay.metrics.core.registry import IDS, is_own_column, metric

if TYPE_CHECKING:
    from assay.data.tune_queries import Tune
    from assay.evaluation.intervals.bootstrap_plan import Bootstrap
    from assay.evaluation.progress import Progress
    from assay.evaluation.thresholds.tune_thresholds import Threshold

EVER = "ever_"
MICRO = "micro_f1"
RETURNED, TUNED_DECISION, HALF = "at=returned", "at=tune", "at=0.5"
NO_RANKINGS = "the input has labels and probabilities but no rankings"
DEFAULT_GROUPS = "default"
"""By criterion and by state, where the data have them."""
MOST_LABELS = 5_000
"""A column with more labels is broken down only if it is named: with all measures, the document of more
would be larger than the largest that is read again."""


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
        by = [name for name in ("criterion_id", IN_TRAINING, "state") if _is_breakdown(cases, name)]
    for column in by:
        _check_breakdown(column, cases, chosen)
    tied, best, worst = cases.tie_orders()
    folds = cases.groupings.get("fold")
    values: list[Value] = []
    kept: list[Scored] = []
    groups: Breakdown = {column: {} for column in by}
    columns: dict[str, QueryValues] = {}
    masks: dict[Population, Bools] = {}  # each once, however many measures are about those queries
    for name, each in chosen.items():
        if name in absent:
            continue
        scored = Scored.of(each, cases)
        scored = replace(scored, inside=masks.setdefault(each.population, scored.inside))
        if bootstrap is not None:
            kept.append(scored)
        ties = tie_sensitive(each, scored, tied, best, worst)
        own = contract.own_name(name)
        value = score(scored, name, folds, contract.aggregate, ties, contract.role(own))
        orders = (best, worst) if cases.expected_ties else ()
        value = replace(value, tie_range=tie_range(scored, folds, contract.aggregate, tied, orders))
        if targets and own in contract.targets:
            target = check_target(contract.targets[own], value.value, value.convention)
            value = replace(value, target=target)
        values.append(value)
        for column in by:
            for label, cell in group(scored, cases.groupings[column]).items():
                groups[column].setdefault(label, {})[name] = cell
        if scored.listed is not None:
            columns[name] = QueryValues.of(scored.inside, scored.listed)
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
        query_keys=cases.key_names,
        tune_reused=tune_reused,
        tune_split=None if tune is None or tune_share is None else _split(cases, tune, tune_share),
        bootstrap=bootstrap,
        predicted_lists=sources is not None and sources.predicted_lists,
        sources=sources,
        queries=QueryRows(cases, columns, tuple(by)),
    )


def _check_breakdown(column: str, cases: Cases, chosen: Mapping[str, Metric]) -> None:
    """Raise where no column has this name, or where the table of queries has another one of the same name."""
    if column not in cases.groupings:
        has = ", ".join(sorted(cases.groupings))
        expected = f"expected one of {has}" if has else "these data have no column to break down by"
        raise InputError.of("`by`", f"no column is called {column!r}", expected)
    taken = is_own_column(column) and column not in (*IDS, "state", "has_evidence")
    if taken or column in chosen:
        what = "a measure" if column in chosen else "another column of the table of queries"
        raise InputError.of("`by`", f"{column!r} is also the name of {what}", "rename the column")


def _is_breakdown(cases: Cases, column: str) -> bool:
    """Return whether a column groups queries; if every post has different questions, none does."""
    if column not in cases.groupings:
        return False
    if len(cases.groupings[column].labels) > MOST_LABELS:
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
    """Return all measures of the contract, or those of these names.

    One that is called like a column of the table of queries goes by its definition id.
    """
    if names is None:
        return contract.metrics
    named = ((name, contract.resolve(name)) for name in names)
    chosen = {each.id if is_own_column(name) else name: each for name, each in named}
    if not chosen:
        raise MeasureError("no measure was named")
    return chosen


def by_decision(chosen: Mapping[str, Metric], cases: Cases) -> dict[str, Metric]:
    """Return the measures, those of labels under the decision that the data have.

    A contract spells `at=returned`. A system that selects no K is judged by its TUNE threshold,
    and without one by 0.5; the definition ids spell which one.
    """
    if cases.selected_k is not None or cases.prob is None:
        return dict(chosen)
    at = TUNED_DECISION if "tune" in cases.thresholds else HALF
    return {
        name: metric(each.id.replace(RETURNED, at)) if _of_labels(name, each) else each
        for name, each in chosen.items()
    }


def permitted(name: str, each: Metric) -> tuple[str, ...]:
    """Return the definition ids that a measure of a contract can have, one per decision."""
    if not _of_labels(name, each):
        return (each.id,)
    return (each.id, *(each.id.replace(RETURNED, at) for at in (TUNED_DECISION, HALF)))


def _of_labels(name: str, each: Metric) -> bool:
    return RETURNED in each.id and (each.reduce.kind == "groups" or name == MICRO)


def absence(cases: Cases, metric: Metric) -> str | None:
    """Return why the data do not support a measure; None where they do."""
    if not cases.ranked and not metric.needs:
        return NO_RANKINGS
    if cases.repeats and (not metric.needs or "ranked" in metric.needs):
        return REPEATED
    if cases.expected_ties and not metric.averages_ties and len(cases.tied):
        return NO_EXPECTATION
    if "population" in metric.needs and not metric.population.mask(cases).any():
        return f"there are no {POPULATION_TITLES[metric.population]}"
    return next(filter(None, (_lacks(cases, metric, need) for need in metric.needs)), None)


def _lacks(cases: Cases, metric: Metric, need: str) -> str | None:
    is_threshold = need == "tune" or need.startswith(TUNED)
    if need.startswith(EVER):
        what, inside = need.removeprefix(EVER), metric.population.mask(cases)
        reason, lacks = f"no response is {what}", not said(cases, what)[inside].any()
    elif need in FACTS:
        reason, lacks = f"the input has no {FACTS[need]}", need not in cases.facts
    elif need == "population":
        reason, lacks = "", False  # the caller has looked
    elif need == "has_evidence":
        reason, lacks = "there are no queries with evidence", not cases.has_evidence.any()
    elif need == "groups":
        reason, lacks = "gold has no column group, or another engine ranks", cases.groups is None
    elif need in ("post_id", "criterion_id"):
        reason, lacks = "there are no posts with several criteria", need not in cases.groupings
    elif need == "ranked":
        reason, lacks = NO_RANKINGS, not cases.ranked
    elif need == "confidence":
        reason, lacks = "the scores of the candidates were not kept", not cases.confidence
    elif need == "pairs":
        reason = "pair-level measures need a corpus and all of its candidates"
        lacks = cases.pairs is None
    elif cases.prob is None and cases.selected_k is None and cases.state is None:
        reason, lacks = _without_decisions(cases), True
    elif is_threshold:
        reason = "no threshold was chosen on TUNE"
        lacks = need.removeprefix(TUNED) not in cases.thresholds
    else:
        reason, lacks = f"the decisions have no column {need}", getattr(cases, need) is None
    return reason if lacks else None


def _without_decisions(cases: Cases) -> str:
    """Say which input would have to contain the decisions."""
    if "query_id" in cases.key_names:
        return "the input has rankings but no probabilities or decisions"
    return "the predictions have no decisions table (in a log: no confidence)"
