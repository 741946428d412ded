"""Whether a whole evidence group was found."""

from __future__ import annotations

import numpy as np

from assay.array_types import Bools, Ints
from assay.data.cases import NEVER, Cases
from assay.metrics.core.entry import Edge, Kind, Metric, per_query
from assay.metrics.core.family import Cut, Level, measure
from assay.metrics.core.rankings import Convention, Values, conventions
from assay.metrics.core.toy_cases import Toy


def complete_at(cases: Cases, rel: int) -> Ints:
    """Return the rank at which the first group of each query is complete; NEVER where none is.

    A group counts if the grades of all its items are at least `rel`.
    """
    groups = cases.groups
    assert groups is not None, "evaluate() leaves out measures of groups where there are none"
    found = np.full(len(cases), NEVER)
    counts = groups.grade >= rel
    np.minimum.at(found, groups.query[counts], groups.complete_at(cases.hit_rank)[counts])
    return found


def complete(cases: Cases, rel: int, k: int) -> Bools:
    """Return whether a group of each query is complete among the first k candidates."""
    return complete_at(cases, rel) <= k


def group_recall(cases: Cases, rel: int, k: int) -> Values:
    """Return 1 where a whole group is among the first k candidates, 0 elsewhere."""
    groups = cases.groups
    assert groups is not None, "evaluate() leaves out measures of groups where there are none"
    has = np.bincount(groups.query[groups.grade >= rel], minlength=len(cases)) > 0
    codes = conventions(cases.n, (~has, Convention.NO_GOLD))
    return complete(cases, rel, k).astype(np.float64), codes


@measure("evidence_group_recall", on="evidence")
def evidence_group_recall_entry(k: Cut, rel: Level = 1) -> Metric:
    """Share of queries with a whole evidence group in the top k."""
    return Metric(
        title="Evidence-group recall",
        formula="1 if all items of one group are in the top k, else 0",
        latex=r"\max_{g} \prod_{d \in g} [\operatorname{rank}(d) \le k]",
        meaning="how often the top k has everything that one line of evidence needs",
        notes=(
            "Gold has a column `group`; an item without a group is a group by itself. The grade of a group "
            "is the lowest of its items.",
            "Whole groups as in the strict score of FEVER (Thorne et al. 2018).",
        ),
        columns=per_query(lambda cases: group_recall(cases, rel, k)),
        kind=Kind.SELECTION,
        expected_ties=False,
        extremes=False,
        needs=("groups",),
        edges=(
            Edge(Toy("1", groups=1), 1.0, "the only item of the only group"),
            Edge(Toy("1", missed=(1,), groups=1), 0.0, "half of a group is not enough"),
            Edge(Toy("1", missed=(1,), groups=2), 1.0, "one of two groups is enough"),
        ),
    )
