"""Names that the table of queries uses for its own columns: no measure may be called like one of them."""

from __future__ import annotations

from assay.data.cases import FACTS, QUERY_ID

DECIDED = ("answered", "n", "gold", "has_evidence", "prob", "selected_k", "state", "tau_neg", "tau_pos")
"""What the table says of each query, whatever columns the input has."""
IDS = ("post_id", "criterion_id", QUERY_ID, "fold")
THRESHOLD = "threshold_"
"""Before the name of a rule: the column with the threshold that it chose."""


def is_own_column(name: str) -> bool:
    """Return whether the table of queries needs a name for itself."""
    return name in DECIDED or name in IDS or name in FACTS or name.startswith(THRESHOLD)
