"""Entries over posts and over criteria: a post is right when all of its criteria are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from assay.data.model import Cases
from assay.kernels.layout import Floats
from assay.metrics.decision import decision_metric, label, needs_of, positive
from assay.metrics.entry import Edge, Metric
from assay.metrics.family import At, On
from assay.metrics.ranking import Names
from assay.metrics.reduce import Columns, Groups
from assay.metrics.toy import decided

FOUND = decided("1", 0.9, 1, "POS")
RIGHT = decided("0", 0.1, 0, "NEG")
GROUPED = {"posts": "post_id", "criteria": "criterion_id"}
Values = tuple[Floats, Floats]


def _columns(at: str, by: str) -> Callable[[Cases], Columns]:
    def columns(cases: Cases) -> Columns:
        y, d = label(cases), positive(cases, at)
        code = cases.groupings[GROUPED[by]].codes
        return Columns({"group": code, "tp": y * d, "wrong": np.abs(y - d), "y": y})

    return columns


def _usual(at: str) -> bool:
    """Whether the two cases of the edges are decided rightly under this rule."""
    return not at.replace(".", "").isdigit() or 0.1 < float(at) <= 0.9


def _over_posts(
    name: str, params: Names, at: str, on: str, function: Callable[..., Values], *, title: str,
    formula: str, latex: str, meaning: str, right: float, better: str = "higher",
) -> Metric:  # fmt: skip
    return decision_metric(
        name, params, on, _columns(at, "posts"),
        Groups("group", ("wrong",), function, repeats=True),
        title=title, formula=formula, latex=latex, meaning=meaning,
        needs=(*needs_of(at), "post_id"), better=better,
        edges=(Edge(FOUND, right, "a post with one criterion, right"),
               Edge(RIGHT, right, "rightly silent")) if _usual(at) else (),
    )  # fmt: skip


def exact_match(name: str, params: Names, at: At = "returned", on: On = "all") -> Metric:
    """Share of posts all of whose criteria are decided rightly."""
    return _over_posts(
        name, params, at, on,
        lambda size, wrong: ((wrong == 0).astype(np.float64), np.ones_like(size)),
        title="Exact match", formula="posts without a wrong criterion / posts",
        latex=r"\frac1{|P|}\sum_p \mathbf 1[\hat y_p = y_p]",
        meaning="share of posts whose whole list of criteria is right", right=1.0,
    )  # fmt: skip


def _rate(size: Floats, wrong: Floats) -> Floats:
    return np.divide(wrong, size, out=np.zeros_like(wrong), where=size > 0)


def hamming_score(name: str, params: Names, at: At = "returned", on: On = "all") -> Metric:
    """Share of the criteria of a post that are decided rightly, averaged over posts."""
    return _over_posts(
        name, params, at, on, lambda size, wrong: (1 - _rate(size, wrong), np.ones_like(size)),
        title="Hamming score", formula="mean over posts of right criteria / criteria",
        latex=r"\frac1{|P|}\sum_p \frac{|\{c : \hat y_{pc} = y_{pc}\}|}{|C_p|}",
        meaning="share of the criteria of a post that are right; not subset accuracy", right=1.0,
    )  # fmt: skip


def hamming_loss(name: str, params: Names, at: At = "returned", on: On = "all") -> Metric:
    """One minus the Hamming score."""
    return _over_posts(
        name, params, at, on, lambda size, wrong: (_rate(size, wrong), np.ones_like(size)),
        title="Hamming loss", formula="mean over posts of wrong criteria / criteria",
        latex=r"1 - \mathrm{Hamming\ score}",
        meaning="share of the criteria of a post that are wrong",
        right=0.0, better="lower",
    )  # fmt: skip


def _f1(tp: Floats, wrong: Floats, empty: float) -> Floats:
    below = 2 * tp + wrong
    return np.divide(2 * tp, below, out=np.full_like(below, empty), where=below > 0)


def macro_f1(
    name: str,
    params: Names,
    over: Literal["posts", "criteria"] = "posts",
    empty: Literal["0", "1"] = "0",
    at: At = "returned",
    on: On = "all",
) -> Metric:
    """Mean over posts, or over criteria, of their F1."""

    def function(size: Floats, tp: Floats, wrong: Floats) -> Values:
        return _f1(tp, wrong, float(empty)), np.ones_like(size)

    edges = (
        Edge(FOUND, 1.0, "its one positive was found"),
        Edge(RIGHT, float(empty), "no positive and no positive decision"),
    )
    return decision_metric(
        name, params, on, _columns(at, over),
        Groups("group", ("tp", "wrong"), function, repeats=over == "posts"),
        title=f"Macro F1 over {over}", formula=f"mean over {over} of 2·TP / (2·TP + FP + FN)",
        latex=r"\frac1{|G|}\sum_g \frac{2\,TP_g}{2\,TP_g + FP_g + FN_g}",
        meaning="F1 of a typical " + ("post" if over == "posts" else "criterion"),
        needs=(*needs_of(at), GROUPED[over]), edges=edges if _usual(at) else (),
    )  # fmt: skip


def weighted_f1(
    name: str,
    params: Names,
    over: Literal["posts", "criteria"] = "criteria",
    at: At = "returned",
    on: On = "all",
) -> Metric:
    """F1 of posts, or of criteria, weighted by their positives."""

    def function(size: Floats, tp: Floats, wrong: Floats, y: Floats) -> Values:
        return _f1(tp, wrong, 0.0), y

    return decision_metric(
        name, params, on, _columns(at, over),
        Groups("group", ("tp", "wrong", "y"), function, repeats=over == "posts"),
        title=f"Weighted F1 over {over}", formula="Σ positives · F1 / Σ positives",
        latex=r"\frac{\sum_g P_g\,F1_g}{\sum_g P_g}",
        meaning="F1 where " + over + " with more evidence count more",
        needs=(*needs_of(at), GROUPED[over]),
        edges=(Edge(FOUND, 1.0, "its one positive was found"),) if _usual(at) else (),
    )  # fmt: skip
