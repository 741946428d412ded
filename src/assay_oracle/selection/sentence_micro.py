"""Precision, recall and F1 of the sentences returned for all queries together."""

from fractions import Fraction

from assay_oracle.core.decision import selected_k
from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import pooled
from assay_oracle.core.outcome import Summary
from assay_oracle.core.parameters import REL, choice
from assay_oracle.core.rows import Row
from assay_oracle.core.sums import Sums, ratio, sums_of


def _parts(row: Row, definition: Definition) -> tuple[Fraction | int, int, int]:
    """Return the hits, how many sentences were returned, and how many are gold."""
    returned = selected_k(row, definition)
    return row.returned_hits(definition.rel), returned, row.gold_count(definition.rel)


@pooled("sentence_micro", {"of": choice("precision", "recall", "f1"), **REL}, via=sums_of(_parts))
def sentence_micro(sums: Sums, definition: Definition) -> Summary:
    """Hits / returned, hits / gold, or 2·hits / (returned + gold), of sums over the queries."""
    _, hits, returned, gold = sums
    below = {"precision": returned, "recall": gold, "f1": returned + gold}
    of = definition.choice("of")
    return ratio(2 * hits if of == "f1" else hits, below[of])
