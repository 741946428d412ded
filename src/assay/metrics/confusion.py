"""Entries of the four counts of a decision and what follows from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from assay.data.model import Cases
from assay.kernels.layout import Convention, Floats
from assay.metrics.decision import INFINITE, decision_metric, label, needs_of, positive
from assay.metrics.entry import Edge, Metric, Witness
from assay.metrics.family import At, Costs, On, Point
from assay.metrics.properties import Kind, Property
from assay.metrics.ranking import Fails, Names
from assay.metrics.reduce import Columns, Reduced, Sums, computed, quotient
from assay.metrics.toy import decided

Four = Callable[[Floats, Floats, Floats, Floats], Reduced]
FOUND = decided("1", 0.9, 1, "POS")  # a true positive under every rule
RIGHT = decided("0", 0.1, 0, "NEG")  # a true negative under every rule


def four_counts(cases: Cases, at: str) -> Columns:
    """Right and wrong positive decisions, and labels."""
    y, d = label(cases), positive(cases, at)
    return Columns({"tp": y * d, "fp": (1 - y) * d, "y": y})


def of_four(function: Four) -> Sums:
    """A function of TP, FP, TN and FN."""

    def reduce(n: Floats, tp: Floats, fp: Floats, y: Floats) -> Reduced:
        return function(tp, fp, n - y - fp, y - tp)

    return Sums(("tp", "fp", "y"), reduce)


@dataclass(frozen=True, slots=True)
class Share:
    """Some of the four counts as a share of others: TP of TP and FN."""

    hits: str
    trials: str

    def __call__(self, tp: Floats, fp: Floats, tn: Floats, fn: Floats) -> Reduced:
        """From the sums."""
        four = {"TP": tp, "FP": fp, "TN": tn, "FN": fn}
        hits, trials = (_total(four, names) for names in (self.hits, self.trials))
        return quotient(hits, trials)

    def of_queries(self, columns: Columns) -> tuple[Floats, Floats]:
        """Whether each query is a hit, and whether it is a trial."""
        tp, fp, y = columns["tp"], columns["fp"], columns["y"]
        four = {"TP": tp, "FP": fp, "TN": 1 - y - fp, "FN": y - tp}
        return _total(four, self.hits), _total(four, self.trials)


def _total(four: Mapping[str, Floats], names: str) -> Floats:
    return np.asarray(sum(four[name] for name in names.split()))


def confusion(
    name: str,
    params: Names,
    at: str,
    on: str,
    function: Four,
    *,
    title: str,
    formula: str,
    latex: str,
    meaning: str,
    found: tuple[float, bool],
    right: tuple[float, bool],
    better: str = "higher",
    range: tuple[float, float] = (0.0, 1.0),  # noqa: A002 # the entry's own word
    fails: Fails | None = None,
    kind: Kind = Kind.DECISION,
) -> Metric:
    """`found` and `right`: value on one true positive, one true negative; and whether it is 0/0."""
    edges = tuple(
        Edge(case, value, why, Convention.ZERO_DENOMINATOR if undefined else Convention.NONE)
        for case, (value, undefined), why in (
            (FOUND, found, "one query with evidence, found"),
            (RIGHT, right, "one query without evidence, left alone"),
        )
        if not at.replace(".", "").isdigit() or 0.1 < float(at) <= 0.9
    )
    return decision_metric(
        name,
        params,
        on,
        lambda cases: four_counts(cases, at),
        of_four(function),
        title=title,
        formula=formula,
        latex=latex,
        meaning=meaning,
        needs=needs_of(at),
        edges=edges,
        better=better,
        range=range,
        fails=fails,
        kind=kind,
        share=function.of_queries if isinstance(function, Share) else None,
    )


def _count(name: str, params: Names, at: str, on: str, which: int, title: str) -> Metric:
    sign = ("TP", "FP", "TN", "FN")[which]
    alarm, missed = decided("0", 0.9, 1, "POS"), decided("1", 0.1, 0, "NEG")
    doubling = Witness((FOUND, alarm, RIGHT, missed)[which], "a total doubles")
    usual = not at.replace(".", "").isdigit() or 0.1 < float(at) <= 0.9
    return confusion(
        name,
        params,
        at,
        on,
        lambda *four: computed(four[which]),
        title=title,
        formula=sign,
        latex=rf"\mathrm{{{sign}}}",
        meaning=f"number of {title.lower()}",
        better="neither",
        kind=Kind.TOTAL,
        found=(float(which == 0), False),
        right=(float(which == 2), False),
        range=(0.0, INFINITE),
        fails={Property.DUPLICATION: doubling} if usual else {},
    )


def tp(name: str, params: Names, at: At = "0.5", on: On = "all") -> Metric:
    """Queries with evidence on which the decision is positive."""
    return _count(name, params, at, on, 0, "True positives")


def fp(name: str, params: Names, at: At = "0.5", on: On = "all") -> Metric:
    """Queries without evidence on which the decision is positive."""
    return _count(name, params, at, on, 1, "False positives")


def tn(name: str, params: Names, at: At = "0.5", on: On = "all") -> Metric:
    """Queries without evidence on which the decision is negative."""
    return _count(name, params, at, on, 2, "True negatives")


def fn(name: str, params: Names, at: At = "0.5", on: On = "all") -> Metric:
    """Queries with evidence on which the decision is negative."""
    return _count(name, params, at, on, 3, "False negatives")


def sensitivity(name: str, params: Names, at: At = "0.5", on: On = "all") -> Metric:
    """Share of the queries with evidence on which the decision is positive."""
    return confusion(
        name, params, at, on, Share("TP", "TP FN"), title="Sensitivity",
        formula="TP / (TP + FN)", latex=r"\frac{TP}{TP + FN}",
        meaning="share of the queries with evidence that are not missed",
        found=(1.0, False), right=(0.0, True),
    )  # fmt: skip


def specificity(name: str, params: Names, at: At = "0.5", on: On = "all") -> Metric:
    """Share of the queries without evidence on which the decision is negative."""
    return confusion(
        name, params, at, on, Share("TN", "TN FP"), title="Specificity",
        formula="TN / (TN + FP)", latex=r"\frac{TN}{TN + FP}",
        meaning="share of the queries without evidence that raise no alarm",
        found=(0.0, True), right=(1.0, False),
    )  # fmt: skip


def fpr(name: str, params: Names, at: At = "0.5", on: On = "all") -> Metric:
    """Share of the queries without evidence on which the decision is positive."""
    return confusion(
        name, params, at, on, Share("FP", "FP TN"),
        title="False positive rate", formula="FP / (FP + TN)", latex=r"\frac{FP}{FP + TN}",
        meaning="share of the queries without evidence that raise a false alarm",
        found=(0.0, True), right=(0.0, False), better="lower",
    )  # fmt: skip


def fnr(name: str, params: Names, at: At = "0.5", on: On = "all") -> Metric:
    """Share of the queries with evidence on which the decision is negative."""
    return confusion(
        name, params, at, on, Share("FN", "FN TP"),
        title="False negative rate", formula="FN / (FN + TP)", latex=r"\frac{FN}{FN + TP}",
        meaning="share of the queries with evidence that are missed",
        found=(0.0, False), right=(0.0, True), better="lower",
    )  # fmt: skip


def ppv(name: str, params: Names, at: At = "0.5", on: On = "all") -> Metric:
    """Share of the positive decisions that are right."""
    return confusion(
        name, params, at, on, Share("TP", "TP FP"),
        title="Precision of the decision", formula="TP / (TP + FP)", latex=r"\frac{TP}{TP + FP}",
        meaning="share of the alerts that have evidence behind them",
        found=(1.0, False), right=(0.0, True),
    )  # fmt: skip


def npv(name: str, params: Names, at: At = "0.5", on: On = "all") -> Metric:
    """Share of the negative decisions that are right."""
    return confusion(
        name, params, at, on, Share("TN", "TN FN"),
        title="Negative predictive value", formula="TN / (TN + FN)", latex=r"\frac{TN}{TN + FN}",
        meaning="share of the skipped queries that really have no evidence",
        found=(0.0, True), right=(1.0, False),
    )  # fmt: skip


def f1(name: str, params: Names, at: At = "0.5", on: On = "all") -> Metric:
    """Harmonic mean of sensitivity and precision of the decision."""
    return confusion(
        name, params, at, on, lambda tp, fp, tn, fn: quotient(2 * tp, 2 * tp + fp + fn),
        title="F1 of the decision", formula="2·TP / (2·TP + FP + FN)",
        latex=r"\frac{2\,TP}{2\,TP + FP + FN}", meaning="precision and sensitivity in one number",
        found=(1.0, False), right=(0.0, True),
    )  # fmt: skip


def accuracy(name: str, params: Names, at: At = "0.5", on: On = "all") -> Metric:
    """Share of the decisions that are right."""
    return confusion(
        name, params, at, on,
        Share("TP TN", "TP FP TN FN"),
        title="Accuracy", formula="(TP + TN) / n", latex=r"\frac{TP + TN}{n}",
        meaning="share of right decisions; saying no to everything is right nine times in ten",
        found=(1.0, False), right=(1.0, False),
    )  # fmt: skip


def mcc(name: str, params: Names, at: At = "0.5", on: On = "all") -> Metric:
    """Correlation of decision and label."""

    def function(tp: Floats, fp: Floats, tn: Floats, fn: Floats) -> Reduced:
        scale = np.sqrt(tp + fp) * np.sqrt(tp + fn) * np.sqrt(tn + fp) * np.sqrt(tn + fn)
        return quotient(tp * tn - fp * fn, scale)

    return confusion(
        name, params, at, on, function, title="Matthews correlation coefficient",
        formula="(TP·TN − FP·FN) / √((TP+FP)(TP+FN)(TN+FP)(TN+FN))",
        latex=r"\frac{TP \cdot TN - FP \cdot FN}{\sqrt{(TP+FP)(TP+FN)(TN+FP)(TN+FN)}}",
        meaning="agreement of decision and truth beyond chance; 0 is chance",
        found=(0.0, True), right=(0.0, True), range=(-1.0, 1.0),
    )  # fmt: skip


def balanced_accuracy(name: str, params: Names, at: At = "0.5", on: On = "all") -> Metric:
    """Mean of sensitivity and specificity."""

    def function(tp: Floats, fp: Floats, tn: Floats, fn: Floats) -> Reduced:
        hit, spared = quotient(tp, tp + fn), quotient(tn, tn + fp)
        return Reduced((hit.values + spared.values) / 2, np.maximum(hit.codes, spared.codes))

    return confusion(
        name, params, at, on, function, title="Balanced accuracy",
        formula="(sensitivity + specificity) / 2",
        latex=r"\tfrac12 \left(\frac{TP}{TP+FN} + \frac{TN}{TN+FP}\right)",
        meaning="accuracy as if both kinds of queries were equally many",
        found=(0.5, True), right=(0.5, True),
    )  # fmt: skip


def expected_cost(
    name: str, params: Names, fp: Costs = 1, fn: Costs = 10, at: At = "0.5", on: On = "all"
) -> Metric:
    """Mean cost of the decisions, at stated costs of a false alarm and of a miss."""
    return confusion(
        name, params, at, on,
        lambda tp, false, tn, missed: quotient(
            fp * false + fn * missed, tp + false + tn + missed, 0.0, Convention.EMPTY_POPULATION
        ),
        title="Expected cost", formula="(cost of an alarm · FP + cost of a miss · FN) / n",
        latex=r"\frac{c_{FP}\,FP + c_{FN}\,FN}{n}",
        meaning="what a decision costs on average, at the stated costs",
        found=(0.0, False), right=(0.0, False), better="lower", range=(0.0, INFINITE),
    )  # fmt: skip


def net_benefit(name: str, params: Names, x: Point, on: On = "all") -> Metric:
    """True positives less false positives at the exchange rate of a threshold probability."""
    odds = x / (1 - x) if x < 1 else INFINITE

    def function(tp: Floats, fp: Floats, tn: Floats, fn: Floats) -> Reduced:
        n = tp + fp + tn + fn
        return quotient(tp - odds * fp, n, 0.0, Convention.EMPTY_POPULATION)

    return decision_metric(
        name, params, on, lambda cases: four_counts(cases, str(x)), of_four(function),
        title="Net benefit", formula="TP/n − FP/n · t/(1 − t)",
        latex=r"\frac{TP}{n} - \frac{FP}{n}\,\frac{t}{1-t}",
        meaning="evidence found, less false alarms at the rate one is willing to pay",
        needs=("prob",), range=(-INFINITE, 1.0),
        edges=(Edge(decided("1", 1.0, 1, "POS"), 1.0, "one query with evidence, found"),),
    )  # fmt: skip
