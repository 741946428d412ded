"""Choose a threshold t on labelled rows by a rule; a row is decided positive if prob >= t."""

import math
from collections import defaultdict
from fractions import Fraction

from assay_oracle.core.parameters import RULE
from assay_oracle.statistics import certified
from assay_oracle.statistics.operating_points import Chosen, TuneRows, nothing, points

__all__ = ["Chosen", "choose"]

NO_UNITS = Fraction(0)


def choose(rule: str, rows: TuneRows, confidence: float | None) -> Chosen:
    """Return the threshold that `rule` sets on rows of (prob, label, post).

    Only sensitivity_X and precision_X use `confidence`, and they require it.
    """
    if not RULE.accepts(rule):
        raise ValueError(f"rule is {rule!r}; expected {RULE.expected}")
    for number, (prob, _, _) in enumerate(rows, start=1):
        if not math.isfinite(prob):
            raise ValueError(f"row {number}: prob is {prob}; it must be finite")
    if rule == "f1":
        return _f1(rows)
    kind, _, text = rule.partition("_")
    target = Fraction(text)
    if kind == "fpr":
        return _fpr(target, rows)
    if kind == "conformal":
        return _conformal(target, rows)
    if confidence is None or not 0 < confidence < 1:
        raise ValueError(
            f"{rule}: confidence is {confidence}; expected a number between 0 and 1, both excluded"
        )
    with_confidence = {"sensitivity": certified.sensitivity, "precision": certified.precision}
    return with_confidence[kind](target, rows, confidence)


def _fpr(budget: Fraction, rows: TuneRows) -> Chosen:
    """Return the threshold with the most TP among those with FP <= budget·negatives.

    Of several, the largest; +inf if none of them has a TP.
    """
    negatives = sum(not label for _, label, _ in rows)
    allowed = [point for point in points(rows) if point.fp <= budget * negatives]
    best = max(allowed, key=lambda point: point.tp, default=None)  # the first of equals
    if best is None or best.tp == 0:
        return nothing(None)
    reached = Fraction(best.fp, negatives) if negatives else Fraction(0)
    return Chosen(best.threshold, reached, NO_UNITS, None)


def _f1(rows: TuneRows) -> Chosen:
    """Return the threshold of the highest 2·TP / (alerts + positives); +inf without positives."""
    positives = sum(label for _, label, _ in rows)
    if positives == 0:
        return nothing(None)
    scored = [(Fraction(2 * point.tp, point.alerts + positives), point.threshold) for point in points(rows)]
    reached, threshold = max(scored)  # if several are equal, the largest threshold
    return Chosen(threshold, reached, NO_UNITS, None)


def _conformal(target: Fraction, rows: TuneRows) -> Chosen:
    """Return the highest prob t of a positive with (Σ loss + 1)/(N + 1) <= 1 − target.

    N posts have positives; the loss of a post is the share of its positives with prob < t. 0 if
    there is no such t, or no positive.
    """
    by_post: defaultdict[str, list[float]] = defaultdict(list)
    for prob, label, post in rows:
        if label:
            by_post[post].append(prob)
    found = [prob for probs in by_post.values() for prob in probs]
    for threshold in sorted(set(found), reverse=True):
        losses = (Fraction(sum(prob < threshold for prob in probs), len(probs)) for probs in by_post.values())
        if (sum(losses, Fraction(0)) + 1) / (len(by_post) + 1) <= 1 - target:
            reached = Fraction(sum(prob >= threshold for prob in found), len(found))
            return Chosen(threshold, reached, NO_UNITS, None)
    return Chosen(0.0, Fraction(bool(found)), NO_UNITS, None)
