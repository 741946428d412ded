"""Rules that choose a threshold on TUNE, as they are spelled in ids and contracts."""

from __future__ import annotations

import re

from assay.errors import MeasureError

KINDS = {
    "fpr": "highest TPR with FPR at most the budget",
    "sensitivity": "sensitivity at least the target, with confidence (order statistic, by post)",
    "precision": "precision at least the target, with confidence (lower bound, by post)",
    "conformal": "share missed at most 1 − target in expectation (conformal risk control, by post)",
    "f1": "highest F1",
}
SPELLED = r"(fpr|sensitivity|precision|conformal)_0?\.[0-9]*[1-9][0-9]*|f1"
EXPECTED = "fpr_X, sensitivity_X, precision_X or conformal_X with X between 0 and 1, or f1"


def check_rule(text: str) -> None:
    """Raise for a text that spells no rule."""
    if re.fullmatch(SPELLED, text) is None:
        raise MeasureError(f"no threshold rule is called {text!r}; expected {EXPECTED}")
