"""F1 averaged over posts or over criteria."""

from __future__ import annotations

from typing import Literal

import numpy as np

from assay.array_types import Floats
from assay.metrics.core.decisions import FOUND, REJECTED, needs_of, usual
from assay.metrics.core.entry import Edge, Kind, Metric
from assay.metrics.core.family import At, measure
from assay.metrics.core.reduce import Groups
from assay.metrics.posts.post_labels import GROUPED, GroupValues, by_group

Over = Literal["posts", "criteria"]


def f1_of_groups(tp: Floats, wrong: Floats, empty: float) -> Floats:
    """Return 2·TP / (2·TP + wrong) of each group; `empty` where it has no positive at all."""
    below = 2 * tp + wrong
    return np.divide(2 * tp, below, out=np.full_like(below, empty), where=below > 0)


@measure(
    "macro_f1", on="all", printed_as=("f1 macro", "macro f1 score", "macro f1 posts", "macro f1 criteria")
)
def macro_f1_entry(over: Over = "posts", empty: Literal["0", "1"] = "0", at: At = "returned") -> Metric:
    """Mean over posts, or over criteria, of their F1."""

    def function(size: Floats, tp: Floats, wrong: Floats) -> GroupValues:
        return f1_of_groups(tp, wrong, float(empty)), np.ones_like(size)

    edges = (
        Edge(FOUND, 1.0, "its one positive was found"),
        Edge(REJECTED, float(empty), "no positive and no positive decision"),
    )
    return Metric(
        title=f"Macro F1 over {over}",
        formula=f"mean over {over} of 2·TP / (2·TP + FP + FN)",
        latex=r"\frac1{|G|}\sum_g \frac{2\,TP_g}{2\,TP_g + FP_g + FN_g}",
        meaning="F1 of a typical " + ("post" if over == "posts" else "criterion"),
        columns=lambda cases: by_group(cases, at, over),
        reduce=Groups("group", ("tp", "wrong"), function, repeats=over == "posts"),
        kind=Kind.DECISION,
        needs=(*needs_of(at), GROUPED[over]),
        edges=edges if usual(at) else (),
    )


@measure("weighted_f1", on="all", printed_as=("f1 weighted", "weighted f1 posts", "weighted f1 criteria"))
def weighted_f1_entry(over: Over = "criteria", at: At = "returned") -> Metric:
    """F1 of posts, or of criteria, weighted by their positives."""

    def function(size: Floats, tp: Floats, wrong: Floats, y: Floats) -> GroupValues:
        return f1_of_groups(tp, wrong, 0.0), y

    return Metric(
        title=f"Weighted F1 over {over}",
        formula="Σ positives · F1 / Σ positives",
        latex=r"\frac{\sum_g P_g\,F1_g}{\sum_g P_g}",
        meaning=f"F1 with {over} weighted by their evidence",
        columns=lambda cases: by_group(cases, at, over),
        reduce=Groups("group", ("tp", "wrong", "y"), function, repeats=over == "posts"),
        kind=Kind.DECISION,
        needs=(*needs_of(at), GROUPED[over]),
        edges=(Edge(FOUND, 1.0, "its one positive was found"),) if usual(at) else (),
    )
