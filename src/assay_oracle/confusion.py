"""The four counts of a decision against the label, and the measures that follow from them."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from assay_oracle.decision import decided, reaches
from assay_oracle.definition import Definition
from assay_oracle.outcome import Summary
from assay_oracle.rows import Row


@dataclass(frozen=True)
class Counts:
    """How many queries fall in each cell of decision against label."""

    tp: int
    fp: int
    tn: int
    fn: int


def tally(pairs: Iterable[tuple[bool, bool]]) -> Counts:
    """Count (decision, label) pairs."""
    cells = list(pairs)
    return Counts(
        tp=cells.count((True, True)),
        fp=cells.count((True, False)),
        tn=cells.count((False, False)),
        fn=cells.count((False, True)),
    )


def confusion(rows: Iterable[Row], definition: Definition) -> Counts:
    """The counts under the definition's `at`; the label is has_evidence."""
    return tally((decided(row, definition), row.has_evidence) for row in rows)


def ratio(numerator: int, denominator: int) -> Summary:
    """The quotient; 0 by convention where the denominator is 0."""
    if denominator == 0:
        return Summary(0.0, "zero_denominator")
    return Summary(float(Fraction(numerator, denominator)))


def mcc(c: Counts) -> Summary:
    """(TP·TN − FP·FN) / sqrt((TP+FP)(TP+FN)(TN+FP)(TN+FN))."""
    product = (c.tp + c.fp) * (c.tp + c.fn) * (c.tn + c.fp) * (c.tn + c.fn)
    if product == 0:
        return Summary(0.0, "zero_denominator")
    return Summary((c.tp * c.tn - c.fp * c.fn) / math.sqrt(product))


def balanced_accuracy(c: Counts) -> Summary:
    """(TP/(TP+FN) + TN/(TN+FP)) / 2, with 0 for a part whose denominator is 0."""
    positives, negatives = c.tp + c.fn, c.tn + c.fp
    sensitivity = Fraction(c.tp, positives) if positives else Fraction(0)
    specificity = Fraction(c.tn, negatives) if negatives else Fraction(0)
    reason = None if positives and negatives else "zero_denominator"
    return Summary(float((sensitivity + specificity) / 2), reason)


FROM_COUNTS: dict[str, Callable[[Counts], Summary]] = {
    "tp": lambda c: Summary(float(c.tp)),
    "fp": lambda c: Summary(float(c.fp)),
    "tn": lambda c: Summary(float(c.tn)),
    "fn": lambda c: Summary(float(c.fn)),
    "sensitivity": lambda c: ratio(c.tp, c.tp + c.fn),
    "specificity": lambda c: ratio(c.tn, c.tn + c.fp),
    "fpr": lambda c: ratio(c.fp, c.fp + c.tn),
    "fnr": lambda c: ratio(c.fn, c.fn + c.tp),
    "ppv": lambda c: ratio(c.tp, c.tp + c.fp),
    "npv": lambda c: ratio(c.tn, c.tn + c.fn),
    "f1": lambda c: ratio(2 * c.tp, 2 * c.tp + c.fp + c.fn),
    "accuracy": lambda c: ratio(c.tp + c.tn, c.tp + c.fp + c.tn + c.fn),
    "mcc": mcc,
    "balanced_accuracy": balanced_accuracy,
}


def from_counts(rows: Sequence[Row], definition: Definition) -> Summary:
    """The measure of FROM_COUNTS that bears the definition's name."""
    return FROM_COUNTS[definition.name](confusion(rows, definition))


def expected_cost(rows: Sequence[Row], definition: Definition) -> Summary:
    """(fp·FP + fn·FN) / n."""
    c = confusion(rows, definition)
    cost = definition.number("fp") * c.fp + definition.number("fn") * c.fn
    return Summary(float(cost / len(rows)))


def net_benefit(rows: Sequence[Row], definition: Definition) -> Summary:
    """TP/n − FP/n · t/(1 − t), with the decision prob >= t."""
    level = definition.level
    c = tally((reaches(row, definition, level), row.has_evidence) for row in rows)
    return Summary(float((c.tp - c.fp * level / (1 - level)) / len(rows)))
