"""The steps of a ROC or precision-recall curve, and the areas under both."""

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import groupby, pairwise
from operator import itemgetter

Labelled = Sequence[tuple[float, bool]]  # a score and whether it belongs to a positive


def steps(labelled: Labelled) -> list[tuple[int, int]]:
    """(TP, FP) of the decision score >= t for t = +inf and then each distinct score, descending."""
    points = [(0, 0)]
    true_positives = false_positives = 0
    by_score = sorted(labelled, key=itemgetter(0), reverse=True)
    for _, group in groupby(by_score, key=itemgetter(0)):
        flags = [positive for _, positive in group]
        true_positives += sum(flags)
        false_positives += len(flags) - sum(flags)
        points.append((true_positives, false_positives))
    return points


def one_class(labels: Iterable[bool]) -> bool:
    """Whether there are not both positives and negatives."""
    return len(set(labels)) < 2


def under_roc(labelled: Labelled) -> float:
    """P(score+ > score−) + ½·P(score+ = score−) over all pairs of a positive and a negative."""
    points = steps(labelled)
    positives, negatives = points[-1]
    doubled_wins = sum(
        (fp - fp_above) * (tp_above + tp) for (tp_above, fp_above), (tp, fp) in pairwise(points)
    )
    return float(Fraction(doubled_wins, 2 * positives * negatives))


def average_precision(labelled: Labelled) -> float:
    """Sum over distinct scores, descending, of (R_g − R_{g−1})·P_g.

    R = TP / positives and P = TP / (TP + FP). Each term is exact and then rounded once, and so is
    their sum.
    """
    points = steps(labelled)
    positives, _ = points[-1]
    terms = (
        Fraction(tp - tp_above, positives) * Fraction(tp, tp + fp)
        for (tp_above, _), (tp, fp) in pairwise(points)
        if tp > tp_above
    )
    return math.fsum(float(term) for term in terms)


def positive_rate(labelled: Labelled) -> float:
    """Positives / all; 0 where there is nothing."""
    return sum(positive for _, positive in labelled) / len(labelled) if labelled else 0.0
