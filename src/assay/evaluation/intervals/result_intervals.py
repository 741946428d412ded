"""Intervals and exact bounds of the values of a result, and of its groups."""

from __future__ import annotations

from dataclasses import replace

from assay.data.cases import Cases
from assay.data.input_types import wrong_type
from assay.evaluation.intervals.bootstrap import LABELS, exact, intervals
from assay.evaluation.intervals.bootstrap_plan import Bootstrap
from assay.evaluation.progress import Progress
from assay.evaluation.result import Breakdown, Value, collapsed
from assay.metrics.core.entry import Scored

DEAR = 10_000
"""Resamples that a measure grants its headline; with fewer, its groups get no interval."""


def bootstrap_of(given: Bootstrap | int) -> Bootstrap:
    """Return a plan: the usual one for True, with another number of resamples for a number."""
    if isinstance(given, Bootstrap):
        return given
    if given is True:
        return Bootstrap()
    if not hasattr(given, "__index__"):
        raise wrong_type("bootstrap", given, "a number of resamples, True, or assay.Bootstrap(…)")
    return Bootstrap(int(given))


def with_intervals(
    values: list[Value],
    groups: Breakdown,
    scored: list[Scored],
    cases: Cases,
    plan: Bootstrap,
    progress: Progress | None = None,
) -> tuple[list[Value], Breakdown]:
    """Intervals of the headlines (of fold means where those are the headline) and of the groups.

    All come from the same draws. A group is the measure with fewer queries inside; where no
    resample differs it has exact bounds. A column with many labels gets no intervals in its groups,
    nor does a measure whose resamples are expensive.
    """
    asked = [
        (one, value.aggregate == "fold_mean", value.value) for value, one in zip(values, scored, strict=True)
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
                if one.metric.resamples < DEAR:
                    continue
                part = replace(one, inside=inside[one.metric.population])
                asked.append((part, False, rows[label][value.name].value))
                places.append((column, label, value.name))
    made = intervals(asked, cases, plan, progress=progress)
    posts = cases.groupings.get("post_id") if plan.unit == "post" else None
    in_groups = zip(places, asked[len(values) :], made[len(values) :], strict=True)
    for (column, label, name), (part, _, _), interval in in_groups:
        stuck = interval is not None and collapsed(interval)
        groups[column][label][name] = replace(
            groups[column][label][name],
            interval=interval,
            exact=exact(part, posts, plan.level) if stuck else None,
        )
    headlines = [
        replace(value, interval=interval, exact=exact(one, posts, plan.level))
        for value, interval, one in zip(values, made[: len(values)], scored, strict=True)
    ]
    return headlines, groups
