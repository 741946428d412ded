"""Differences of two systems with one-sided bounds, for claims such as "not worse than before"."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.array_types import Ints
from assay.evaluation.intervals.bootstrap_plan import Bootstrap
from assay.evaluation.intervals.jackknife import influences, jackknife_groups, without_each_group
from assay.evaluation.intervals.resample import Strata, draws, replicates
from assay.metrics.core.entry import Metric, Scored
from assay.metrics.core.reduce import Reduced
from assay.statistics.one_sided import OneSided, resampling_bias
from assay.statistics.operating_points import effective

Paired = tuple[Scored, Scored, bool]
"""A measure of the first and of the second system, and whether its headline is a fold mean."""


def one_sided_differences(pairs: Sequence[Paired], strata: Strata, plan: Bootstrap) -> list[OneSided | None]:
    """Return second minus first of each measure; None where a fold has too few posts for a variance.

    Both systems see the same resamples and the same posts left out.
    """
    posts = sum(map(len, strata.members))
    groups = jackknife_groups(strata, plan.seed)
    both = [(scored, folded) for first, second, folded in pairs for scored in (first, second)]
    whole = replicates(both, strata, [np.ones((1, posts))])
    drawn = replicates(both, strata, draws(strata, plan.resamples, plan.seed))
    without = replicates(both, strata, without_each_group(groups, posts), limited=False)
    made = []
    for at, (first, second, _) in enumerate(pairs):
        sides = slice(2 * at, 2 * at + 2)
        inside = first.inside | second.inside
        made.append(
            _difference(first.metric, whole[sides], drawn[sides], without[sides], groups, strata.unit[inside])
        )
    return made


def _difference(
    metric: Metric,
    whole: Sequence[Reduced],
    drawn: Sequence[Reduced],
    without: Sequence[Reduced],
    groups: Sequence[Sequence[Ints]],
    posts: Ints,
) -> OneSided | None:
    """Return the difference of the second and the first side; `posts` has that of each query inside."""
    moved = influences(without[1].values - without[0].values, groups)
    if moved is None:
        return None
    first, second = (
        resampling_bias(float(estimate.values[0]), resampled.values)
        for estimate, resampled in zip(whole, drawn, strict=True)
    )
    return OneSided.of(
        float(whole[1].values[0] - whole[0].values[0]),
        moved,
        drawn[1].values - drawn[0].values,
        units=effective(posts),
        width=metric.range[1] - metric.range[0],
        bias=(second[0] + first[1], second[1] + first[0]),
    )
