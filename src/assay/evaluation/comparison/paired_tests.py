"""Two systems on the same queries: swaps of posts, t over folds, clustered DeLong, effect sizes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from statistics import NormalDist

import numpy as np

from assay.array_types import Floats
from assay.evaluation.comparison.comparison_result import DeLong, FoldTest, Outcomes
from assay.evaluation.intervals.resample import COUNTS, ROWS, Strata, replicates
from assay.metrics.core.entry import Scored
from assay.metrics.core.reduce import Columns
from assay.statistics.delong import clustered_areas
from assay.statistics.student_t import normal_two_sided_p, two_sided_p

SAME = 1e-12
"""Values that differ by no more are equal: sums of the same numbers in another order."""


def swaps(strata: Strata, resamples: int, seed: int) -> Iterator[Floats]:
    """Blocks of rows of zeros and ones: which units change hands, each with chance ½.

    The generator is not one of the bootstrap's, which are seeded with the stratum alone.
    """
    generator = np.random.default_rng([seed, 0, 1])
    units = sum(map(len, strata.members))
    at_once = max(1, min(ROWS, COUNTS // max(1, 2 * units)))
    for first in range(0, resamples, at_once):
        rows = min(at_once, resamples - first)
        yield generator.integers(0, 2, (rows, units)).astype(np.float64)


def swapped_differences(
    pairs: Sequence[tuple[Scored, Scored, bool]], strata: Strata, blocks: Callable[[], Iterable[Floats]]
) -> list[Floats]:
    """Second minus first of each (first, second, whether folds are averaged), for every swap.

    Both systems become one set of twice the queries and twice the units; a swap chooses for each
    post whose answers count. So what is ranked is ranked again, and every kind of reduce works.
    """
    units = sum(map(len, strata.members))
    doubled = Strata(
        np.concatenate((strata.unit, strata.unit + units)),
        tuple(np.concatenate((members, members + units)) for members in strata.members),
    )
    joint = [(_joined(first, second), folded) for first, second, folded in pairs]
    held = replicates(joint, doubled, (np.hstack((1 - rows, rows)) for rows in blocks()))
    other = replicates(joint, doubled, (np.hstack((rows, 1 - rows)) for rows in blocks()))
    return [b.values - a.values for a, b in zip(held, other, strict=True)]


def _joined(first: Scored, second: Scored) -> Scored:
    return Scored(
        first.metric,
        Columns.concatenate([first.columns, second.columns]),
        np.concatenate((first.inside, second.inside)),
    )


def randomisation_p(swapped: Floats, difference: float) -> tuple[float, int]:
    """(1 + b) / (1 + B), and b: swaps whose difference is at least as large, either way."""
    limit = abs(difference) - SAME * max(1.0, abs(difference))
    extreme = int(np.count_nonzero(np.abs(swapped) >= limit))
    return (1 + extreme) / (1 + len(swapped)), extreme


def corrected_t(differences: Floats, sizes: Floats) -> FoldTest | str:
    """Corrected t over J folds, J − 1 degrees of freedom; or why there is none.

    t = mean(d) / √((1/J + n_test/n_train) · var(d)), var with ddof 1. `sizes` are the posts of each
    fold; the posts that are not in a fold trained its model.
    """
    folds = len(differences)
    if folds < 2:
        return "one fold has no spread"
    variance = float(differences.var(ddof=1))
    if variance <= SAME**2:
        return "the difference is the same in every fold"
    ratio = float(sizes.mean() / (sizes.sum() - sizes).mean())
    t = float(differences.mean()) / math.sqrt((1 / folds + ratio) * variance)
    return FoldTest(t, folds - 1, two_sided_p(t, folds - 1), ratio)


def delong(
    first: Scored, second: Scored, strata: Strata, *, folded: bool, level: float, unit: str
) -> DeLong | str:
    """Clustered DeLong of two AUROCs on the same labels; or why there is none.

    Folds share no post, so the variance of their mean is the mean of the variances over J.
    """
    label, inside = first.columns["label"], first.inside
    members = strata.members if folded else (np.concatenate(strata.members),)
    areas = []
    for each in members:
        rows = np.flatnonzero(inside & np.isin(strata.unit, each))
        if not 0 < label[rows].sum() < len(rows):
            return "a fold has only one class" if folded else "there is only one class"
        a, b = (scored.columns["prob"][rows] for scored in (first, second))
        areas.append(clustered_areas(a, b, label[rows], strata.unit[rows]))
    difference = float(np.mean([each.difference for each in areas]))
    variance = float(np.sum([each.variance for each in areas])) / len(areas) ** 2
    if math.isnan(variance):
        where = " in a fold" if folded else ""
        return f"positives or negatives are in fewer than two posts{where}"
    if variance <= 0:
        return "the difference has no variance"
    se = math.sqrt(variance)
    margin = NormalDist().inv_cdf((1 + level) / 2) * se
    z = difference / se
    return DeLong(z, normal_two_sided_p(z), se, difference - margin, difference + margin, unit)


def outcomes(first: Scored, second: Scored) -> Outcomes | str:
    """Wins, ties and losses of the second, query by query; or why there are none."""
    change = per_query_change(first, second)
    if isinstance(change, str):
        return change
    if first.metric.better == "neither":
        return "neither direction is better"
    gain = change if first.metric.better == "higher" else -change
    wins, losses = int((gain > SAME).sum()), int((gain < -SAME).sum())
    return Outcomes(wins, len(gain) - wins - losses, losses)


def standardised(first: Scored, second: Scored, strata: Strata) -> float | None:
    """Mean over posts of their mean difference, over its std (ddof 1); None where that is 0."""
    change = per_query_change(first, second)
    if isinstance(change, str):
        return None
    unit = strata.unit[first.inside]
    size = np.bincount(unit)
    means = np.bincount(unit, weights=change)[size > 0] / size[size > 0]
    if len(means) < 2 or means.std(ddof=1) <= SAME:
        return None
    return float(means.mean() / means.std(ddof=1))


def per_query_change(first: Scored, second: Scored) -> Floats | str:
    """Return the second's value minus the first's, query by query; or why there are none."""
    a, b = first.per_query, second.per_query
    if a is None or b is None:
        return "the measure is not a mean over queries"
    if not np.array_equal(first.inside, second.inside):
        return "the systems' populations differ"
    return b[first.inside] - a[first.inside]


def relative_improvement(before: float, after: float) -> float | None:
    """(after − before) / before of two values as they are reported; None at 0."""
    return None if before == 0 else (after - before) / before


def mean_of_fold_improvements(before: Iterable[float], after: Iterable[float]) -> float | None:
    """Mean over folds of each fold's own ratio: not the relative improvement of the means."""
    ratios = [relative_improvement(a, b) for a, b in zip(before, after, strict=True)]
    known = [ratio for ratio in ratios if ratio is not None]
    return sum(known) / len(known) if known and len(known) == len(ratios) else None
