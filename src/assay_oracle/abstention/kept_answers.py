"""The share of queries that are answered, and the share of those that should not have been."""

from assay_oracle.core.decision import decided
from assay_oracle.core.definition import Definition
from assay_oracle.core.parameters import AT
from assay_oracle.core.rows import Row
from assay_oracle.core.sums import share


@share("risk", AT)
def risk(row: Row, definition: Definition) -> bool | None:
    """FP / (TP + FP): without evidence, of the queries decided positive."""
    return not row.has_evidence if decided(row, definition) else None


@share("coverage", AT)
def coverage(row: Row, definition: Definition) -> bool:
    """(TP + FP) / n: decided positive."""
    return decided(row, definition)
