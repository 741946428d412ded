"""From matched systems and a family of measures to differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.array_types import Floats
from assay.evaluation.comparison import paired_tests
from assay.evaluation.comparison.comparison_result import (
    DeLong,
    Difference,
    FoldTest,
    Outcomes,
    Randomisation,
)
from assay.evaluation.comparison.matched_systems import Matched, System, both_answered
from assay.evaluation.intervals.bootstrap_plan import Bootstrap
from assay.evaluation.intervals.resample import Strata, draws, replicates
from assay.evaluation.result import Interval, Value
from assay.evaluation.scoring.score import score
from assay.metrics.core.entry import Metric, Population, Scored
from assay.metrics.core.reduce import Reduced
from assay.statistics.multiple_testing import benjamini_hochberg, holm

PENDING = 1.0  # an adjusted p, until all tests of the family are there


@dataclass(frozen=True, slots=True)
class Side:
    """One system: each measure scored, its value, and its headline in every resample."""

    system: System
    scored: Mapping[str, Scored]
    values: Mapping[str, Value]
    drawn: Mapping[str, Reduced]


def contrasts(
    same: Matched, metrics: Mapping[str, Metric], pairs: Sequence[tuple[int, int]], plan: Bootstrap
) -> tuple[Difference, ...]:
    """Return every measure of every pair; p-values adjusted over all of them."""
    strata = Strata.of(same.systems[0].cases, plan.unit)
    sides = [_side(system, same, metrics, strata, plan) for system in same.systems]
    made = [
        difference for a, b in pairs for difference in _pair(sides[a], sides[b], same.same_gold, strata, plan)
    ]
    return _adjusted(made)


def differences_by_query(
    same: Matched, metrics: Mapping[str, Metric], pairs: Sequence[tuple[int, int]]
) -> dict[tuple[str, str, str], Floats]:
    """Return the differences on each query of the measures that are means over queries."""
    sides = [(system.name, _scored(system, same, metrics)) for system in same.systems]
    found = {
        (name, sides[a][0], sides[b][0]): paired_tests.per_query_change(sides[a][1][name], sides[b][1][name])
        for a, b in pairs
        for name in metrics
    }
    return {key: change for key, change in found.items() if not isinstance(change, str)}


def _scored(system: System, same: Matched, metrics: Mapping[str, Metric]) -> dict[str, Scored]:
    """Return each measure on its population; of what was predicted, on what both answered."""
    answered = both_answered(same.systems)
    found = {}
    for name, metric in metrics.items():
        one = Scored.of(metric, system.cases)
        if metric.population is Population.PREDICTED:
            one = replace(one, inside=one.inside & answered)
        found[name] = one
    return found


def _side(
    system: System, same: Matched, metrics: Mapping[str, Metric], strata: Strata, plan: Bootstrap
) -> Side:
    """Under the same seed every system gets the same draws."""
    aggregate = same.systems[0].contract.aggregate
    scored = _scored(system, same, metrics)
    folds = system.cases.groupings.get("fold")
    values = {
        name: score(one, name, folds, aggregate, None, system.contract.role(name))
        for name, one in scored.items()
    }
    asked = [(scored[name], values[name].aggregate == "fold_mean") for name in metrics]
    drawn = replicates(asked, strata, draws(strata, plan.resamples, plan.seed))
    return Side(system, scored, values, dict(zip(metrics, drawn, strict=True)))


def _pair(first: Side, second: Side, same_gold: bool, strata: Strata, plan: Bootstrap) -> list[Difference]:
    asked = [
        (one, second.scored[name], first.values[name].aggregate == "fold_mean")
        for name, one in first.scored.items()
    ]
    swapped = paired_tests.swapped_differences(
        asked, strata, lambda: paired_tests.swaps(strata, plan.resamples, plan.seed)
    )
    return [
        _difference(name, first, second, each, same_gold, strata, plan)
        for name, each in zip(first.scored, swapped, strict=True)
    ]


def _difference(
    name: str, first: Side, second: Side, swapped: Floats, same_gold: bool, strata: Strata, plan: Bootstrap
) -> Difference:
    a, b = first.values[name], second.values[name]
    one, two = first.scored[name], second.scored[name]
    difference = b.value - a.value
    p, extreme = paired_tests.randomisation_p(swapped, difference)
    parts: dict[str, FoldTest | DeLong | Outcomes | str] = {
        "folds": _over_folds(a, b, strata),
        "delong": _delong(one, two, same_gold, strata, plan, folded=a.aggregate == "fold_mean"),
        "outcomes": paired_tests.outcomes(one, two),
    }
    absent = {name: found for name, found in parts.items() if isinstance(found, str)}
    there: dict[str, Any] = {name: None if name in absent else parts[name] for name in parts}
    return Difference(
        name=name,
        definition=a.definition,
        title=a.title,
        better=a.better,
        population=a.population,
        n=a.n,
        aggregate=a.aggregate,
        baseline=first.system.name,
        system=second.system.name,
        baseline_value=a.value,
        system_value=b.value,
        difference=difference,
        interval=_interval(first.drawn[name], second.drawn[name], plan),
        relative_improvement=paired_tests.relative_improvement(a.value, b.value),
        mean_of_fold_improvements=_fold_improvements(a, b),
        standardised=paired_tests.standardised(one, two, strata),
        randomisation=Randomisation(p, extreme, len(swapped), plan.unit, PENDING, PENDING),
        absent=absent,
        **there,
    )


def _over_folds(a: Value, b: Value, strata: Strata) -> FoldTest | str:
    if a.folds is None or b.folds is None:
        return "there are no folds"
    before, after = (np.array(list(folds.values.values())) for folds in (a.folds, b.folds))
    sizes = np.array([len(members) for members in strata.members], dtype=np.float64)
    return paired_tests.corrected_t(after - before, sizes)


def _delong(
    one: Scored, two: Scored, same_gold: bool, strata: Strata, plan: Bootstrap, *, folded: bool
) -> DeLong | str:
    if one.metric.name != "auroc":
        return "it is a test of auroc"
    if not same_gold:
        return "the systems have different gold"
    return paired_tests.delong(one, two, strata, folded=folded, level=plan.level, unit=plan.unit)


def _fold_improvements(a: Value, b: Value) -> float | None:
    if a.folds is None or b.folds is None:
        return None
    return paired_tests.mean_of_fold_improvements(a.folds.values.values(), b.folds.values.values())


def _interval(first: Reduced, second: Reduced, plan: Bootstrap) -> Interval:
    """Percentiles of the difference in each resample; both systems have the same draws."""
    tail = (1 - plan.level) / 2
    low, high = np.quantile(second.values - first.values, (tail, 1 - tail))
    conventions = int(np.count_nonzero(first.codes | second.codes))
    return Interval(
        float(low), float(high), plan.level, "percentile", plan.unit, len(first.values), conventions
    )


def _adjusted(made: Sequence[Difference]) -> tuple[Difference, ...]:
    p = np.array([each.randomisation.p for each in made])
    rows = zip(made, holm(p), benjamini_hochberg(p), strict=True)
    return tuple(
        replace(each, randomisation=replace(each.randomisation, holm=float(h), bh=float(q)))
        for each, h, q in rows
    )
