"""The true positive rate that a budget X of false positives allows, and the rate then reached."""

from collections.abc import Sequence

from assay_oracle.core.curves import Step, curve_of, labelled_prob, positives
from assay_oracle.core.decision import Cells, cell, prob, threshold
from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import pooled
from assay_oracle.core.outcome import Summary
from assay_oracle.core.parameters import SHARE, choice
from assay_oracle.core.reduction import Reduction, chosen
from assay_oracle.core.rows import Row
from assay_oracle.core.sums import Sums, ratio, sums_of

THRESHOLD = {"threshold": choice("same", "tune")}


def _tuned_cell(row: Row, definition: Definition) -> Cells:
    reached = prob(row, definition) >= threshold(row, definition, f"fpr_{definition.cut}")
    return cell(reached, row.has_evidence)


@curve_of(labelled_prob)
def _tpr_on_curve(steps: Sequence[Step], negatives: int, definition: Definition) -> Summary:
    """TP / positives; with one class only 0 without positives, 1 without negatives."""
    all_positives = positives(steps)
    if not all_positives or not negatives:
        return Summary(1.0 if all_positives else 0.0, "one_class")
    return Summary(_best_point(steps, negatives, definition)[0] / all_positives)


@curve_of(labelled_prob)
def _fpr_on_curve(steps: Sequence[Step], negatives: int, definition: Definition) -> Summary:
    """FP / negatives; with one class only 0."""
    if not negatives or not positives(steps):
        return Summary(0.0, "one_class")
    return Summary(_best_point(steps, negatives, definition)[1] / negatives)


def _best_point(steps: Sequence[Step], negatives: int, definition: Definition) -> tuple[int, int]:
    """(TP, FP) of the threshold with the most TP among those with FP <= X·negatives.

    Of several such thresholds, the largest counts.
    """
    budget = definition.level
    best, hits = (0, 0), 0
    for p, above, tied in steps:
        hits += p
        if hits > best[0] and (above + tied) * budget.denominator <= budget.numerator * negatives:
            best = (hits, above + tied)
    return best


@sums_of(_tuned_cell)
def _tpr_of_tuned(sums: Sums, definition: Definition) -> Summary:
    return ratio(sums[1], sums[1] + sums[4])


@sums_of(_tuned_cell)
def _fpr_of_tuned(sums: Sums, definition: Definition) -> Summary:
    return ratio(sums[2], sums[2] + sums[3])


@pooled("tpr_at_fpr", THRESHOLD, cut=SHARE, via=chosen)
def tpr_at_fpr(definition: Definition) -> Reduction:
    """Choose the threshold on the queries themselves (same), or use that of the rule (tune)."""
    return _tpr_on_curve if definition.choice("threshold") == "same" else _tpr_of_tuned


@pooled("fpr_reached", THRESHOLD, cut=SHARE, via=chosen)
def fpr_reached(definition: Definition) -> Reduction:
    """Choose the threshold on the queries themselves (same), or use that of the rule (tune)."""
    return _fpr_on_curve if definition.choice("threshold") == "same" else _fpr_of_tuned
