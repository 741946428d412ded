"""Bootstrap intervals: posts are drawn, stratified by fold, the same draws for every measure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import NormalDist

import numpy as np

from assay.array_types import Floats
from assay.data.cases import Cases, Grouping
from assay.evaluation.intervals.bootstrap_plan import Bootstrap
from assay.evaluation.intervals.resample import Strata, draws, replicates
from assay.evaluation.progress import Progress, told
from assay.evaluation.result import Exact, Interval
from assay.metrics.core.entry import Scored
from assay.metrics.core.reduce import MEAN, Reduced
from assay.statistics.exact_binomial import exact_bounds
from assay.statistics.operating_points import effective

LABELS = 50
"""A column with more labels gets no intervals: each label costs as much as all queries."""
AT_ONCE = 512
"""Measures whose values under all resamples are kept at once: 46 MB for 10,000."""


def intervals(
    measures: Sequence[tuple[Scored, bool, float]],
    cases: Cases,
    plan: Bootstrap,
    what: str = "intervals",
    progress: Progress | None = None,
) -> list[Interval | None]:
    """Return an interval for each (measure, whether its headline is a fold mean, headline).

    The seed fixes the draws: measures that are computed separately see the same ones. `progress`
    is told how many of the resamples of all parts are done.
    """
    strata = Strata.of(cases, plan.unit)
    made: list[Interval | None] = []
    parts = range(0, len(measures), AT_ONCE)
    for place, first in enumerate(parts):
        before, total = place * plan.resamples, len(parts) * plan.resamples

        def listen(_: str, done: int, __: int, before: int = before, total: int = total) -> None:
            if progress is not None:
                progress(what, before + done, total)

        made += _intervals(measures[first : first + AT_ONCE], strata, plan, listen)
    return made


def _intervals(
    measures: Sequence[tuple[Scored, bool, float]], strata: Strata, plan: Bootstrap, progress: Progress
) -> list[Interval | None]:
    asked = [(scored, folded) for scored, folded, _ in measures]
    blocks = told(draws(strata, plan.resamples, plan.seed), "", plan.resamples, progress)
    drawn = replicates(asked, strata, blocks)
    corrections: list[Reduced] = []
    if plan.method == "bca":
        corrections = replicates(asked, strata, left_out(strata), limited=False)
    made: list[Interval | None] = []
    for place, (scored, _, headline) in enumerate(measures):
        tail = (1 - plan.level) / 2
        tails = (tail, 1 - tail)
        if corrections:
            tails = _corrected(drawn[place].values, corrections[place].values, headline, tails)
        made.append(_interval(drawn[place], tails, plan) if scored.inside.any() else None)
    return made


def left_out(strata: Strata) -> Iterator[Floats]:
    """Rows of counts that leave out one unit each."""
    units = sum(map(len, strata.members))
    for block in np.array_split(np.arange(units), max(1, units // 64)):
        counts = np.ones((len(block), units))
        counts[np.arange(len(block)), block] = 0.0
        yield counts


def _interval(drawn: Reduced, tails: tuple[float, float], plan: Bootstrap) -> Interval:
    low, high = np.quantile(drawn.values, tails)
    return Interval(
        float(low),
        float(high),
        plan.level,
        plan.method,
        plan.unit,
        len(drawn.values),
        int(np.count_nonzero(drawn.codes)),
    )


def _corrected(
    values: Floats, without: Floats, headline: float, tails: tuple[float, float]
) -> tuple[float, float]:
    """Bias-corrected and accelerated tails (Efron 1987), the acceleration by leaving out units."""
    normal = NormalDist()
    below = (np.count_nonzero(values < headline) + np.count_nonzero(values <= headline)) / 2
    share = min(max(below / len(values), 1 / (2 * len(values))), 1 - 1 / (2 * len(values)))
    bias = normal.inv_cdf(share)
    spread = without.mean() - without
    scale = 6.0 * float((spread**2).sum()) ** 1.5
    speed = float((spread**3).sum()) / scale if scale > 0 else 0.0

    def corrected(tail: float) -> float:
        z = bias + normal.inv_cdf(tail)
        return normal.cdf(bias + z / (1 - speed * z))

    return corrected(tails[0]), corrected(tails[1])


def _trials(scored: Scored) -> tuple[Floats, Floats] | None:
    """Return which queries are trials and which are hits; of a mean, where all of them are 0 or all 1."""
    if scored.metric.share is not None:
        return scored.metric.share(scored.columns)
    if scored.metric.reduce is not MEAN or scored.metric.range != (0.0, 1.0):
        return None
    values = np.asarray(scored.columns["value"], dtype=np.float64)
    inside = values[scored.inside]
    same = any(np.allclose(inside, end, rtol=0, atol=1e-12) for end in scored.metric.range)
    return (np.rint(values), np.ones(len(values))) if same else None


def exact(scored: Scored, posts: Grouping | None, level: float) -> Exact | None:
    """Exact bounds of a share of queries; None where the measure is none, or nothing was tried."""
    tried = _trials(scored)
    if tried is None:
        return None
    hit, trial = (column[scored.inside] for column in tried)
    hits, trials = int(hit.sum()), int(trial.sum())
    if not trials:
        return None
    owners = np.arange(len(trial)) if posts is None else posts.codes[scored.inside]
    units = effective(owners[trial > 0])
    scale = scored.metric.range[1]
    low, high = exact_bounds(hits, trials, level)
    post_low, post_high = exact_bounds(hits * units / trials, units, level)
    return Exact(
        low=scale * low,
        high=scale * high,
        post_low=scale * post_low,
        post_high=scale * post_high,
        level=level,
        hits=hits,
        trials=trials,
        units=units,
    )
