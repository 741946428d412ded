"""Thresholds that common rules choose on some queries, to trace where a given one comes from."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import isfinite

import numpy as np

from assay.array_types import Bools, Floats, Ints
from assay.statistics import operating_points

SENSITIVITIES = (0.9, 0.95, 0.98, 0.99, 0.995, 1.0)
BUDGETS = ("0.01", "0.03", "0.05", "0.1")
PRECISIONS = (0.8, 0.9, 0.95)
CONFIDENCE = 0.9
SAME = 1e-12


def chosen(prob: Floats, label: Bools, posts: Ints) -> dict[str, float]:
    """Return what each rule chooses; rules that choose nothing, or infinity, are left out.

    Sensitivity: the lowest positive that may not be missed, the same by linear interpolation, and
    the certified order statistic. FPR budget: the highest and the lowest threshold of the best
    TPR. Precision: the lowest threshold that reaches it, plain and certified. F1, and Youden's J.
    """
    positives = np.sort(prob[label])
    if not len(positives) or label.all():
        return {}
    made: dict[str, float] = {}
    for target in SENSITIVITIES:
        spare = int((1 - target) * len(positives) + 1e-9)
        made[f"sensitivity {target:g}"] = float(positives[spare])
        made[f"sensitivity {target:g}, interpolated"] = float(np.quantile(positives, 1 - target))
        if target < 1:
            certified = operating_points.sensitivity(prob, label, posts, target, CONFIDENCE)
            made[f"sensitivity {target:g}, certified"] = certified.value
    values = np.unique(prob)[::-1]
    hits = len(positives) - np.searchsorted(positives, values)
    alarms = int((~label).sum()) - np.searchsorted(np.sort(prob[~label]), values)
    for budget in BUDGETS:
        made[f"FPR {budget}"] = operating_points.within_budget(prob, label, Fraction(budget)).value
        within = np.flatnonzero(alarms <= float(budget) * (~label).sum() + 1e-9)
        if len(within):
            made[f"FPR {budget}, lowest"] = float(values[within[-1]])
    for target in PRECISIONS:
        enough = np.flatnonzero(hits >= target * (hits + alarms) - 1e-9)
        if len(enough):
            made[f"precision {target:g}"] = float(values[enough[-1]])
        made[f"precision {target:g}, certified"] = operating_points.precision(
            prob, label, posts, target, CONFIDENCE
        ).value
    made["F1"] = operating_points.best_f1(prob, label).value
    youden = hits / len(positives) - alarms / (~label).sum()
    made["Youden's J"] = float(values[int(np.argmax(youden))])
    return {rule: value for rule, value in made.items() if isfinite(value)}


def givers(rules: dict[str, float], value: float) -> frozenset[str]:
    """Return the rules that choose this threshold."""
    return frozenset(rule for rule, each in rules.items() if abs(each - value) <= SAME)


def possible(value: float, tune: Floats | None) -> float:
    """Return how many values the threshold might have had without knowledge of EVAL.

    If it is a value of TUNE, as many as TUNE has; otherwise as many as have the same decimals: 0.35
    is one of a hundred, and may have been set manually.
    """
    if tune is not None and (np.abs(tune - value) <= SAME).any():
        return float(len(np.unique(tune)))
    exponent = Decimal(repr(value)).as_tuple().exponent
    return 10.0 ** min(15, -exponent) if isinstance(exponent, int) and exponent < 0 else 1.0
