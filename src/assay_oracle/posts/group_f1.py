"""F1 averaged over posts or over criteria."""

from fractions import Fraction

from assay_oracle.core.decision import Cells
from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import pooled
from assay_oracle.core.parameters import AT, choice
from assay_oracle.posts.post_labels import over_groups

OVER = {"over": choice("posts", "criteria")}


def _f1(c: Cells, undefined: Fraction) -> Fraction:
    """2TP / (2TP + FP + FN); `undefined` if nothing is positive, neither label nor decision."""
    denominator = 2 * c.tp + c.fp + c.fn
    return Fraction(2 * c.tp, denominator) if denominator else undefined


@pooled("macro_f1", {**OVER, "empty": choice("0", "1"), **AT}, via=over_groups)
def macro_f1(c: Cells, definition: Definition) -> tuple[Fraction, int]:
    """Mean of F1; a group with neither positives nor alarms counts as `empty`."""
    return _f1(c, definition.number("empty")), 1


@pooled("weighted_f1", {**OVER, **AT}, via=over_groups)
def weighted_f1(c: Cells, definition: Definition) -> tuple[Fraction, int]:
    """Mean of F1 weighted by the number of positive labels; 0 if there are none."""
    return _f1(c, Fraction(0)), c.tp + c.fn
