"""The true positive rate that a budget X of false positives allows, and the rate then reached."""

from collections.abc import Sequence
from fractions import Fraction

from assay_oracle.areas import steps
from assay_oracle.decision import prob, threshold
from assay_oracle.definition import Definition
from assay_oracle.outcome import Summary
from assay_oracle.rows import Row


def true_positive_rate(rows: Sequence[Row], definition: Definition) -> Summary:
    """TP / positives at the threshold of the budget.

    threshold=same with one class only: 0 without positives, 1 without negatives.
    """
    true_positives, _ = _operating_point(rows, definition)
    positives = sum(row.has_evidence for row in rows)
    if definition.choice("threshold") == "same" and positives in (0, len(rows)):
        return Summary(0.0 if positives == 0 else 1.0, "one_class")
    if positives == 0:
        return Summary(0.0, "zero_denominator")
    return Summary(float(Fraction(true_positives, positives)))


def false_positive_rate(rows: Sequence[Row], definition: Definition) -> Summary:
    """FP / negatives at the threshold of the budget; threshold=same with one class only: 0."""
    _, false_positives = _operating_point(rows, definition)
    negatives = sum(not row.has_evidence for row in rows)
    if definition.choice("threshold") == "same" and negatives in (0, len(rows)):
        return Summary(0.0, "one_class")
    if negatives == 0:
        return Summary(0.0, "zero_denominator")
    return Summary(float(Fraction(false_positives, negatives)))


def _operating_point(rows: Sequence[Row], definition: Definition) -> tuple[int, int]:
    """(TP, FP) at the threshold of the budget X.

    same: of +inf and the distinct probs with FP <= X·negatives, the one of highest TP, and of
    several the largest. tune: each query's own threshold, named fpr_X.
    """
    if definition.choice("threshold") == "same":
        points = steps([(prob(row, definition), row.has_evidence) for row in rows])
        _, negatives = points[-1]
        allowed = [point for point in points if point[1] <= definition.level * negatives]
        return max(allowed, key=lambda point: point[0])  # the first of equals: the largest
    rule = f"fpr_{definition.cut}"
    alarms = [row for row in rows if prob(row, definition) >= threshold(row, definition, rule)]
    true_positives = sum(row.has_evidence for row in alarms)
    return true_positives, len(alarms) - true_positives
