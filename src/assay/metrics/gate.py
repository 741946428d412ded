"""Entries of the gate as an order of the queries: areas under curves, and TPR at an FPR budget."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Literal

import numpy as np

from assay.data.model import Cases
from assay.errors import MeasureError
from assay.kernels import binary as kernel
from assay.kernels.binary import Steps
from assay.kernels.layout import Codes, Convention, Floats
from assay.metrics.decision import decision_metric, given, label
from assay.metrics.entry import Edge, Metric, Witness
from assay.metrics.family import TUNED, Level, On, Point
from assay.metrics.properties import Kind, Property
from assay.metrics.ranking import Fails, Names
from assay.metrics.reduce import ByClass, Columns, Reduced, Sums, quotient
from assay.metrics.toy import decided

Classes = Callable[[Steps], Reduced]
ONE = decided("1", 0.3, 1, "POS")
NONE = decided("0", 0.3, 1, "POS")
FLIP = Witness(
    decided("1", 0.9, 1, "POS"),
    "the two classes do not play the same part",
    (decided("0", 0.8, 1, "POS"), decided("0", 0.1, 0, "NEG")),
)

FLIP_AT_BUDGET = Witness(
    decided("1", 0.9, 1, "POS"),
    "only false alarms are limited",
    (decided("0", 0.8, 1, "POS"), decided("1", 0.1, 0, "NEG")),
)


def by_prob(cases: Cases) -> Columns:
    """Probability and label of each query."""
    return Columns({"prob": given(cases.prob), "label": label(cases)})


def _auroc(steps: Steps) -> Reduced:
    return quotient(*kernel.auroc(steps), 0.5, Convention.ONE_CLASS)


def _auprc(steps: Steps) -> Reduced:
    reduced = quotient(*kernel.average_precision(steps), 0.0, Convention.ONE_CLASS)
    return Reduced(reduced.values, _one_class(steps))


def _one_class(steps: Steps) -> Codes:
    missing = (steps.positives == 0) | (steps.negatives == 0)
    return np.where(missing, Convention.ONE_CLASS, 0).astype(np.uint8)


def auroc(name: str, params: Names, on: On = "all") -> Metric:
    """Probability that a query with evidence has a higher probability than one without."""
    return decision_metric(
        name,
        params,
        on,
        by_prob,
        ByClass(_auroc),
        title="Area under the ROC curve",
        formula="P(p⁺ > p⁻) + ½·P(p⁺ = p⁻)",
        latex=r"P(p^+ > p^-) + \tfrac12 P(p^+ = p^-)",
        meaning="how well the gate tells queries with evidence from queries without",
        needs=("prob",),
        edges=(Edge(ONE, 0.5, "one class only", Convention.ONE_CLASS),),
        kind=Kind.GATE,
    )


def auprc(name: str, params: Names, on: On = "all") -> Metric:
    """Area under the precision–recall curve, as average precision with tied values grouped."""
    return decision_metric(
        name,
        params,
        on,
        by_prob,
        ByClass(_auprc),
        title="Area under the precision–recall curve",
        formula="Σ over distinct p of (recall gained) · precision",
        latex=r"\sum_g (R_g - R_{g-1})\,P_g",
        meaning="precision of the alerts over all recalls; chance gives the positive rate",
        needs=("prob",),
        edges=(
            Edge(ONE, 1.0, "only positives: the positive rate", Convention.ONE_CLASS),
            Edge(NONE, 0.0, "only negatives: the positive rate", Convention.ONE_CLASS),
        ),
        kind=Kind.GATE,
        fails={Property.LABEL_FLIP: FLIP},
    )


def budget_of(name: str) -> Fraction:
    """The FPR budget in a name such as tpr_at_fpr@0.05."""
    budget = Fraction(name.partition("@")[2])
    if not 0 < budget < 1:
        raise MeasureError(f"{name}: the budget must lie between 0 and 1")
    return budget


def _at_tune(rule: str) -> Callable[[Cases], Columns]:
    def columns(cases: Cases) -> Columns:
        chosen = (given(cases.prob) >= cases.thresholds[rule]).astype(np.float64)
        y = label(cases)
        return Columns({"tp": chosen * y, "fp": chosen * (1 - y), "y": y})

    return columns


def _budget_metric(
    name: str, params: Names, threshold: str, on: str, *, alarms: bool, edges: tuple[Edge, ...]
) -> Metric:
    budget = budget_of(name)
    rule = f"fpr_{name.partition('@')[2]}"

    def same(steps: Steps) -> Reduced:
        hits = kernel.most_within_budget(steps, budget)
        if alarms:
            value = quotient(kernel.fewest_alarms(steps, hits), steps.negatives)
        else:
            value = quotient(hits, steps.positives)
        return Reduced(value.values, _one_class(steps))

    def tune(n: Floats, tp: Floats, fp: Floats, y: Floats) -> Reduced:
        return quotient(fp, n - y) if alarms else quotient(tp, y)

    is_same = threshold == "same"
    fails: Fails = {Property.LABEL_FLIP: FLIP_AT_BUDGET} if is_same else {}
    what = "FPR" if alarms else "TPR"
    return decision_metric(
        name,
        params,
        on,
        by_prob if is_same else _at_tune(rule),
        ByClass(same) if is_same else Sums(("tp", "fp", "y"), tune),
        title="FPR reached at a budget" if alarms else "TPR at an FPR budget",
        formula=f"{what} at the threshold with the highest TPR whose FPR ≤ x, chosen on "
        + ("the scored queries themselves" if is_same else "TUNE"),
        latex=rf"\mathrm{{{what}}}(t^*),\quad t^* = \arg\max_{{t:\,\mathrm{{FPR}}(t) \le x}}"
        r" \mathrm{TPR}(t)",
        meaning="false alarms that the budget really costs"
        if alarms
        else "share of the evidence caught when false alarms may not exceed the budget",
        needs=("prob",) if is_same else ("prob", TUNED + rule),
        edges=edges,
        better="lower" if alarms else "higher",
        kind=Kind.GATE if is_same else Kind.DECISION,
        fails=fails,
    )


def tpr_at_fpr(
    name: str,
    params: Names,
    x: Point,
    threshold: Literal["same", "tune"] = "same",
    on: On = "all",
) -> Metric:
    """Sensitivity when false alarms may not exceed a budget."""
    edges: tuple[Edge, ...] = (
        Edge(NONE, 0.0, "no positives", Convention.ONE_CLASS),
        Edge(ONE, 1.0, "no negatives: no alarm can be false", Convention.ONE_CLASS),
    )
    if threshold == "tune":
        edges = (Edge(NONE, 0.0, "no positives", Convention.ZERO_DENOMINATOR),) if x == 0.05 else ()
    return _budget_metric(name, params, threshold, on, alarms=False, edges=edges)


def fpr_reached(
    name: str,
    params: Names,
    x: Point,
    threshold: Literal["same", "tune"] = "same",
    on: On = "all",
) -> Metric:
    """The false alarm rate at the threshold that a budget chose."""
    edges: tuple[Edge, ...] = (Edge(ONE, 0.0, "no negatives", Convention.ONE_CLASS),)
    if threshold == "tune":
        edges = (Edge(ONE, 0.0, "no negatives", Convention.ZERO_DENOMINATOR),) if x == 0.05 else ()
    return _budget_metric(name, params, threshold, on, alarms=True, edges=edges)


def _pairs(level: int) -> Callable[[Cases], Columns]:
    def columns(cases: Cases) -> Columns:
        assert cases.pairs is not None, "evaluate() leaves out measures whose columns are absent"
        relevant = (cases.pairs.grade >= level).astype(np.float64)
        owner = cases.pairs.query
        arrays = {"prob": cases.pairs.score, "label": relevant, "owner": owner}
        return Columns(arrays, queries=len(cases))

    return columns


def _pair_metric(name: str, params: Names, rel: int, on: str, of: Classes, title: str) -> Metric:
    area = "P(s⁺ > s⁻) + ½·P(s⁺ = s⁻)" if of is _auroc else "average precision"
    return decision_metric(
        name,
        params,
        on,
        _pairs(rel),
        ByClass(of),
        title=title,
        formula=f"{area} over (query, candidate) pairs",
        latex=r"P(s^+ > s^-) + \tfrac12 P(s^+ = s^-)"
        if of is _auroc
        else r"\sum_g \Delta R_g\,P_g",
        meaning="how well scores tell evidence sentences from others, across queries",
        needs=("pairs",),
        resamples=2000,
        edges=(
            Edge(decided("0", 0.3, 1, "POS"), 0.5 if of is _auroc else 0.0, "no relevant candidate",
                 Convention.ONE_CLASS),
            Edge(decided("10", 0.3, 1, "POS"), 1.0, "relevant first"),
        ),
    )  # fmt: skip


def pair_auroc(name: str, params: Names, rel: Level = 1, on: On = "all") -> Metric:
    """AUROC over (query, candidate) pairs."""
    return _pair_metric(name, params, rel, on, _auroc, "Pair-level area under the ROC curve")


def pair_auprc(name: str, params: Names, rel: Level = 1, on: On = "all") -> Metric:
    """AUPRC over (query, candidate) pairs."""
    title = "Pair-level area under the precision–recall curve"
    return _pair_metric(name, params, rel, on, _auprc, title)


def _by_top_score(cases: Cases) -> Columns:
    """The highest candidate score of each query; below every score where it has no candidate."""
    assert cases.pairs is not None, "evaluate() leaves out measures whose columns are absent"
    top = np.full(len(cases), np.finfo(np.float64).min)
    np.maximum.at(top, cases.pairs.query, cases.pairs.score)
    return Columns({"top": top, "label": label(cases)})


def _score_metric(name: str, params: Names, on: str, of: Classes, title: str) -> Metric:
    is_auroc = of is _auroc
    return decision_metric(
        name, params, on, _by_top_score, ByClass(of, "top"), title=title,
        formula=("P(s⁺ > s⁻) + ½·P(s⁺ = s⁻)" if is_auroc else "average precision")
        + ", s the highest score of a query",
        latex=r"P(s^+ > s^-) + \tfrac12 P(s^+ = s^-),\; s_q = \max_i s_{qi}"
        if is_auroc else r"\sum_g \Delta R_g\,P_g,\; s_q = \max_i s_{qi}",
        meaning="what the best score of a query says about evidence, where a system has no gate",
        needs=("pairs",), resamples=2000,
        edges=(
            Edge(ONE, 0.5 if is_auroc else 1.0, "only positives", Convention.ONE_CLASS),
            Edge(NONE, 0.5 if is_auroc else 0.0, "only negatives", Convention.ONE_CLASS),
        ),
    )  # fmt: skip


def score_auroc(name: str, params: Names, on: On = "all") -> Metric:
    """AUROC of the highest candidate score: stands in for AUROC where there is no probability."""
    return _score_metric(name, params, on, _auroc, "Area under the ROC curve of the best score")


def score_auprc(name: str, params: Names, on: On = "all") -> Metric:
    """AUPRC of the highest candidate score: stands in for AUPRC where there is no probability."""
    title = "Area under the precision–recall curve of the best score"
    return _score_metric(name, params, on, _auprc, title)
