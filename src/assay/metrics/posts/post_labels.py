"""Whether the criteria of a post are decided correctly: exact match and Hamming."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from assay.array_types import Floats
from assay.data.cases import Cases
from assay.metrics.core.decisions import FOUND, REJECTED, label, needs_of, positive, usual
from assay.metrics.core.entry import Edge, Kind, Metric
from assay.metrics.core.family import At, measure
from assay.metrics.core.reduce import Columns, Groups

GROUPED = {"posts": "post_id", "criteria": "criterion_id"}
GroupValues = tuple[Floats, Floats]
"""The value and the weight of each group."""


def by_group(cases: Cases, at: str, over: str) -> Columns:
    """Return the post or criterion of each query, whether it was found, wrong, and its label."""
    y, d = label(cases), positive(cases, at)
    code = cases.groupings[GROUPED[over]].codes
    return Columns({"group": code, "tp": y * d, "wrong": np.abs(y - d), "y": y})


def all_right(size: Floats, wrong: Floats) -> GroupValues:
    """Return 1 for posts without a wrong decision."""
    return (wrong == 0).astype(np.float64), np.ones_like(size)


def share_wrong(size: Floats, wrong: Floats) -> GroupValues:
    """Return the share of wrong decisions of each post."""
    rate = np.divide(wrong, size, out=np.zeros_like(wrong), where=size > 0)
    return rate, np.ones_like(size)


def share_right(size: Floats, wrong: Floats) -> GroupValues:
    """Return the share of correct decisions of each post."""
    rate, weight = share_wrong(size, wrong)
    return 1 - rate, weight


def _over_posts(
    at: str,
    function: Callable[..., GroupValues],
    *,
    title: str,
    formula: str,
    latex: str,
    meaning: str,
    right: float,
    better: str = "higher",
) -> Metric:
    return Metric(
        title=title,
        formula=formula,
        latex=latex,
        meaning=meaning,
        columns=lambda cases: by_group(cases, at, "posts"),
        reduce=Groups("group", ("wrong",), function, repeats=True),
        kind=Kind.DECISION,
        better=better,
        needs=(*needs_of(at), "post_id"),
        edges=(
            Edge(FOUND, right, "a post with one criterion, decided correctly"),
            Edge(REJECTED, right, "correctly silent"),
        )
        if usual(at)
        else (),
    )


@measure("exact_match", on="all", printed_as=("subset accuracy", "em"))
def exact_match_entry(at: At = "returned") -> Metric:
    """Share of posts all of whose criteria are decided correctly."""
    return _over_posts(
        at,
        all_right,
        title="Exact match",
        formula="posts without a wrong criterion / posts",
        latex=r"\frac1{|P|}\sum_p \mathbf 1[\hat y_p = y_p]",
        meaning="share of posts with every criterion decided correctly",
        right=1.0,
    )


@measure("hamming_score", on="all")
def hamming_score_entry(at: At = "returned") -> Metric:
    """Share of the criteria of a post that are decided correctly, averaged over posts."""
    return _over_posts(
        at,
        share_right,
        title="Hamming score",
        formula="mean over posts of right criteria / criteria",
        latex=r"\frac1{|P|}\sum_p \frac{|\{c : \hat y_{pc} = y_{pc}\}|}{|C_p|}",
        meaning="share of the criteria of a post decided correctly; not subset accuracy",
        right=1.0,
    )


@measure("hamming_loss", on="all")
def hamming_loss_entry(at: At = "returned") -> Metric:
    """One minus the Hamming score."""
    return _over_posts(
        at,
        share_wrong,
        title="Hamming loss",
        formula="mean over posts of wrong criteria / criteria",
        latex=r"1 - \mathrm{Hamming\ score}",
        meaning="share of the criteria of a post decided wrongly",
        right=0.0,
        better="lower",
    )
