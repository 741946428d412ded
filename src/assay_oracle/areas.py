"""The steps of a ROC or precision-recall curve, and the areas under both."""

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import pairwise

Labelled = Sequence[tuple[float, bool]]  # a score and whether it belongs to a positive


def steps(labelled: Labelled) -> list[tuple[int, int]]:
    """(TP, FP) of the decision score >= t for t = +inf and then each distinct score, descending."""
    counts: dict[float, list[int]] = {}
    for score, positive in labelled:
        counts.setdefault(score, [0, 0])[positive] += 1
    points = [(0, 0)]
    for score in sorted(counts, reverse=True):
        negatives_here, positives_here = counts[score]
        true_positives, false_positives = points[-1]
        points.append((true_positives + positives_here, false_positives + negatives_here))
    return points


def one_class(labels: Iterable[bool]) -> bool:
    """Whether there are not both positives and negatives."""
    return len(set(labels)) < 2


def under_roc(labelled: Labelled) -> float:
    """P(score+ > score−) + ½·P(score+ = score−) over all pairs of a positive and a negative."""
    points = steps(labelled)
    positives, negatives = points[-1]
    wins = Fraction(0)
    for (tp_above, fp_above), (tp, fp) in pairwise(points):
        positives_here, negatives_here = tp - tp_above, fp - fp_above
        wins += negatives_here * (tp_above + Fraction(positives_here, 2))
    return float(wins / (positives * negatives))


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
    )
    return math.fsum(float(term) for term in terms)


def positive_rate(labelled: Labelled) -> float:
    """Positives / all; 0 where there is nothing."""
    return sum(positive for _, positive in labelled) / len(labelled) if labelled else 0.0
