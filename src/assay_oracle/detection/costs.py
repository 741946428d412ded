"""What decisions cost, and the net benefit of deciding at a threshold."""

from assay_oracle.core.decision import Cells, cell, decision_cell, reaches
from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import pooled
from assay_oracle.core.outcome import Summary
from assay_oracle.core.parameters import AT, SHARE, WEIGHT
from assay_oracle.core.rows import Row
from assay_oracle.core.sums import Sums, sums_of


@pooled("expected_cost", {"fp": WEIGHT, "fn": WEIGHT, **AT}, via=sums_of(decision_cell))
def expected_cost(sums: Sums, definition: Definition) -> Summary:
    """(fp·FP + fn·FN) / n."""
    n, _, fp, _, fn = sums
    return Summary(float((definition.number("fp") * fp + definition.number("fn") * fn) / n))


def _level_cell(row: Row, definition: Definition) -> Cells:
    return cell(reaches(row, definition, definition.level), row.has_evidence)


@pooled("net_benefit", cut=SHARE, via=sums_of(_level_cell))
def net_benefit(sums: Sums, definition: Definition) -> Summary:
    """TP/n − FP/n · t/(1 − t), with the decision prob >= t."""
    n, tp, fp, _, _ = sums
    return Summary(float((tp - fp * (definition.level / (1 - definition.level))) / n))
