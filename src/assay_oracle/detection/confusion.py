"""Counts of decisions against labels, and the rates that follow from them."""

import math
from fractions import Fraction

from assay_oracle.core.decision import Cells, decided, decision_cell
from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import pooled
from assay_oracle.core.outcome import Summary
from assay_oracle.core.parameters import AT
from assay_oracle.core.rows import Row
from assay_oracle.core.sums import Sums, ratio, share, sums_of, total


@total("tp", AT)
def true_positives(row: Row, definition: Definition) -> int:
    """Count queries with evidence that are decided positive."""
    return decision_cell(row, definition).tp


@total("fp", AT)
def false_positives(row: Row, definition: Definition) -> int:
    """Count queries without evidence that are decided positive."""
    return decision_cell(row, definition).fp


@total("tn", AT)
def true_negatives(row: Row, definition: Definition) -> int:
    """Count queries without evidence that are decided negative."""
    return decision_cell(row, definition).tn


@total("fn", AT)
def false_negatives(row: Row, definition: Definition) -> int:
    """Count queries with evidence that are decided negative."""
    return decision_cell(row, definition).fn


@share("sensitivity", AT)
def sensitivity(row: Row, definition: Definition) -> bool | None:
    """TP / (TP + FN): decided positive, of the queries with evidence."""
    decision = decided(row, definition)  # refuses a query without its fields, whatever its label
    return decision if row.has_evidence else None


@share("fnr", AT)
def false_negative_rate(row: Row, definition: Definition) -> bool | None:
    """FN / (TP + FN): decided negative, of the queries with evidence."""
    decision = decided(row, definition)
    return not decision if row.has_evidence else None


@share("specificity", AT)
def specificity(row: Row, definition: Definition) -> bool | None:
    """TN / (TN + FP): decided negative, of the queries without evidence."""
    decision = decided(row, definition)
    return None if row.has_evidence else not decision


@share("fpr", AT)
def false_positive_rate(row: Row, definition: Definition) -> bool | None:
    """FP / (TN + FP): decided positive, of the queries without evidence."""
    decision = decided(row, definition)
    return None if row.has_evidence else decision


@share("ppv", AT)
def positive_predictive_value(row: Row, definition: Definition) -> bool | None:
    """TP / (TP + FP): with evidence, of the queries decided positive."""
    return row.has_evidence if decided(row, definition) else None


@share("npv", AT)
def negative_predictive_value(row: Row, definition: Definition) -> bool | None:
    """TN / (TN + FN): without evidence, of the queries decided negative."""
    return None if decided(row, definition) else not row.has_evidence


@share("accuracy", AT)
def accuracy(row: Row, definition: Definition) -> bool:
    """(TP + TN) / n: decided as labelled."""
    return decided(row, definition) == row.has_evidence


@pooled("f1", AT, via=sums_of(decision_cell))
def f1(sums: Sums, definition: Definition) -> Summary:
    """2·TP / (2·TP + FP + FN)."""
    _, tp, fp, _, fn = sums
    return ratio(2 * tp, 2 * tp + fp + fn)


@pooled("mcc", AT, via=sums_of(decision_cell))
def matthews_correlation(sums: Sums, definition: Definition) -> Summary:
    """(TP·TN − FP·FN) / sqrt((TP+FP)(TP+FN)(TN+FP)(TN+FN))."""
    tp, fp, tn, fn = _whole(sums)
    product = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    return ratio(tp * tn - fp * fn, math.sqrt(product))


@pooled("balanced_accuracy", AT, via=sums_of(decision_cell))
def balanced_accuracy(sums: Sums, definition: Definition) -> Summary:
    """(TP/(TP+FN) + TN/(TN+FP)) / 2, with 0 for a part whose denominator is 0."""
    tp, fp, tn, fn = _whole(sums)
    parts = [(tp, tp + fn), (tn, tn + fp)]
    rates = [Fraction(hits, size) if size else Fraction(0) for hits, size in parts]
    reason = None if all(size for _, size in parts) else "zero_denominator"
    return Summary(float(sum(rates) / 2), reason)


def _whole(sums: Sums) -> Cells:
    """Return the counts as integers, whose products are exact."""
    return Cells(*map(int, sums[1:]))
