"""How many queries are in a state."""

from assay_oracle.core.decision import state
from assay_oracle.core.definition import Definition
from assay_oracle.core.parameters import choice
from assay_oracle.core.rows import Row
from assay_oracle.core.sums import share


@share("rate", {"state": choice("neg", "uncertain", "pos")})
def rate(row: Row, definition: Definition) -> bool:
    """Queries in the state / n."""
    return state(row, definition) == definition.choice("state").upper()


@share("alert_rate_per_1000", scale=1000)
def alert_rate(row: Row, definition: Definition) -> bool:
    """1000 · queries in state POS / n."""
    return state(row, definition) == "POS"


@share("screening_fn_per_1000", scale=1000)
def screening_misses(row: Row, definition: Definition) -> bool:
    """1000 · queries with evidence in state NEG / n."""
    return state(row, definition) == "NEG" and row.has_evidence
