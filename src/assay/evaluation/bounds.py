"""Intervals and exact bounds of the values of a result, and of its groups."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from assay.data.model import Cases, Grouping
from assay.evaluation.intervals import Bootstrap, exact, intervals
from assay.evaluation.progress import Progress
from assay.evaluation.result import GroupValue, Value
from assay.evaluation.score import Scored


def with_intervals(
    values: list[Value],
    scored: list[Scored],
    cases: Cases,
    plan: Bootstrap,
    progress: Progress | None = None,
) -> list[Value]:
    """Intervals of the headlines: of fold means where those are the headline."""
    asked = [
        (one, value.aggregate == "fold_mean", value.value)
        for value, one in zip(values, scored, strict=True)
    ]
    made = intervals(asked, cases, plan, progress=progress)
    posts = cases.groupings.get("post_id") if plan.unit == "post" else None
    return [
        replace(value, interval=each, exact=exact(one, posts, plan.level))
        for value, each, one in zip(values, made, scored, strict=True)
    ]


def give_intervals(
    rows: dict[str, dict[str, GroupValue]],
    scored: Mapping[str, Scored],
    grouping: Grouping,
    cases: Cases,
    plan: Bootstrap,
    what: str,
    progress: Progress | None = None,
) -> None:
    """Intervals of the values of each label, from the same draws as those of the headlines."""
    asked = [
        (replace(one, inside=one.inside & (grouping.codes == code)), label, name)
        for code, label in enumerate(grouping.labels)
        for name, one in scored.items()
    ]
    wanted = [(one, False, rows[label][name].value) for one, label, name in asked]
    found = intervals(wanted, cases, plan, what, progress)
    for (_, label, name), made in zip(asked, found, strict=True):
        rows[label][name] = replace(rows[label][name], interval=made)
