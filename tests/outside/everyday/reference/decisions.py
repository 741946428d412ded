"""Which decision is positive, and what follows from the four counts."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..case import Case, Query
from .definition import Definition, ratio

Rows = Sequence[tuple[float, bool]]  # probability and label


@dataclass(frozen=True)
class Counts:
    """The confusion matrix of one decision."""

    tp: int
    fp: int
    tn: int
    fn: int


def count(pairs: Sequence[tuple[bool, bool]]) -> Counts:
    """Count pairs of (decision, label)."""
    return Counts(
        *(pairs.count(pair) for pair in ((True, True), (True, False), (False, False), (False, True)))
    )


def at_threshold(rows: Rows, threshold: float) -> Counts:
    return count([(prob >= threshold, label) for prob, label in rows])


def candidates(rows: Rows) -> list[float]:
    """Return the thresholds worth trying, largest first; at infinity nothing is positive."""
    return [math.inf, *sorted({prob for prob, _ in rows}, reverse=True)]


def best_f1(rows: Rows) -> float:
    def f1(threshold: float) -> Fraction:
        c = at_threshold(rows, threshold)
        return Fraction(2 * c.tp, 2 * c.tp + c.fp + c.fn) if c.tp else Fraction(0)

    return max(candidates(rows), key=f1)  # of equal ones max keeps the first, the largest


def within_fpr(rows: Rows, budget: str) -> float:
    """Return the threshold with the most true positives whose FPR is within the budget."""
    negatives = sum(not label for _, label in rows)
    allowed = [t for t in candidates(rows) if at_threshold(rows, t).fp <= Fraction(budget) * negatives]
    return max(allowed, key=lambda t: at_threshold(rows, t).tp)


def chosen(rule: str, tune: Rows) -> float:
    if rule == "f1":
        return best_f1(tune)
    kind, _, budget = rule.partition("_")
    if kind != "fpr":
        raise ValueError(f"no reference for the threshold rule {rule}")
    return within_fpr(tune, budget)


def decide(queries: Sequence[Query], at: str, tune: Rows) -> list[bool]:
    """Return the decision per query that `at=` names."""
    if at == "not_neg":
        return [query.state in ("UNCERTAIN", "POS") for query in queries]
    if at == "pos":
        return [query.state == "POS" for query in queries]
    if at == "returned":
        return [query.selected_k >= 1 for query in queries]
    threshold = chosen(at.removeprefix("tune_"), tune) if at.startswith("tune") else float(at)
    return [query.prob >= threshold for query in queries]


def mcc(c: Counts) -> float:
    margins = (c.tp + c.fp) * (c.tp + c.fn) * (c.tn + c.fp) * (c.tn + c.fn)
    return ratio(c.tp * c.tn - c.fp * c.fn, math.sqrt(margins))


RATES: Mapping[str, Callable[[Counts], float]] = {
    "tp": lambda c: c.tp,
    "fp": lambda c: c.fp,
    "tn": lambda c: c.tn,
    "fn": lambda c: c.fn,
    "sensitivity": lambda c: ratio(c.tp, c.tp + c.fn),
    "specificity": lambda c: ratio(c.tn, c.tn + c.fp),
    "fpr": lambda c: ratio(c.fp, c.fp + c.tn),
    "fnr": lambda c: ratio(c.fn, c.fn + c.tp),
    "ppv": lambda c: ratio(c.tp, c.tp + c.fp),
    "npv": lambda c: ratio(c.tn, c.tn + c.fn),
    "risk": lambda c: ratio(c.fp, c.tp + c.fp),
    "coverage": lambda c: ratio(c.tp + c.fp, c.tp + c.fp + c.tn + c.fn),
    "f1": lambda c: ratio(2 * c.tp, 2 * c.tp + c.fp + c.fn),
    "accuracy": lambda c: ratio(c.tp + c.tn, c.tp + c.fp + c.tn + c.fn),
    "mcc": mcc,
    "balanced_accuracy": lambda c: (ratio(c.tp, c.tp + c.fn) + ratio(c.tn, c.tn + c.fp)) / 2,
}


def rate(queries: Sequence[Query], d: Definition, case: Case) -> float:
    return RATES[d.name](counted(queries, d["at"], case))


def counted(queries: Sequence[Query], at: str, case: Case) -> Counts:
    made = decide(queries, at, case.tune)
    return count([(decision, q.has_evidence) for decision, q in zip(made, queries, strict=True)])


def at_prevalence(queries: Sequence[Query], d: Definition, case: Case) -> float:
    """Bayes: of a population with this share of positives, those that the decision gets right."""
    c, x = counted(queries, d["at"], case), float(str(d.cut))
    if c.tp + c.fn == 0 or c.tn + c.fp == 0:
        return 0.0
    found, spared = c.tp / (c.tp + c.fn), c.tn / (c.tn + c.fp)
    if d.name == "prevalence_ppv":
        return ratio(found * x, found * x + (1 - spared) * (1 - x))
    return ratio(spared * (1 - x), spared * (1 - x) + (1 - found) * x)


def expected_cost(queries: Sequence[Query], d: Definition, case: Case) -> float:
    c = counted(queries, d["at"], case)
    return ratio(float(d["fp"]) * c.fp + float(d["fn"]) * c.fn, len(queries))


def net_benefit(queries: Sequence[Query], d: Definition, case: Case) -> float:
    c, t = counted(queries, str(d.cut), case), float(str(d.cut))
    return ratio(c.tp - c.fp * t / (1 - t), len(queries))


def at_budget(queries: Sequence[Query], d: Definition, case: Case) -> float:
    """Return `tpr_at_fpr` or `fpr_reached`: a rate at the best threshold within an FPR budget."""
    rows = [(query.prob, query.has_evidence) for query in queries]
    threshold = within_fpr(case.tune if d["threshold"] == "tune" else rows, str(d.cut))
    c = at_threshold(rows, threshold)
    return RATES["sensitivity" if d.name == "tpr_at_fpr" else "fpr"](c)
