"""What counts as a positive decision, and which columns a decision rule needs."""

from __future__ import annotations

import numpy as np

from assay.array_types import Floats
from assay.data.cases import STATES, Cases
from assay.metrics.core.names.parameter import TUNED
from assay.metrics.core.toy_cases import decided

NEEDS = {"tune": ("prob", "tune"), "not_neg": ("state",), "pos": ("state",), "returned": ("selected_k",)}
FOUND = decided("1", 0.9, 1, "POS")  # a true positive under every usual rule
REJECTED = decided("0", 0.1, 0, "NEG")  # a true negative under every usual rule


def needs_of(at: str) -> tuple[str, ...]:
    """Return the columns and thresholds that a decision rule needs."""
    if at.startswith(TUNED):
        return ("prob", at)
    return NEEDS.get(at, ("prob",))


def given(column: Floats | None) -> Floats:
    """Return a column that `needs` guarantees."""
    assert column is not None, "evaluate() leaves out measures whose columns are absent"
    return column


def positive(cases: Cases, at: str) -> Floats:
    """Return 1 where the system decides that there is evidence; a threshold t decides p ≥ t."""
    if at == "returned":
        return (np.asarray(cases.selected_k) >= 1).astype(np.float64)
    if at in ("not_neg", "pos"):
        state = np.asarray(cases.state)
        chosen = state != STATES.index("NEG") if at == "not_neg" else state == STATES.index("POS")
        return np.asarray(chosen, dtype=np.float64)
    tuned = at == "tune" or at.startswith(TUNED)
    limit = cases.thresholds[at.removeprefix(TUNED)] if tuned else float(at)
    return (given(cases.prob) >= limit).astype(np.float64)


def label(cases: Cases) -> Floats:
    """Return 1 where the query has evidence."""
    return cases.has_evidence.astype(np.float64)


def usual(at: str) -> bool:
    """Return whether the rule decides the cases `FOUND` and `REJECTED` correctly."""
    return not at.replace(".", "").isdigit() or 0.1 < float(at) <= 0.9
