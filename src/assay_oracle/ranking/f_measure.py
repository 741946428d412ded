"""The F measure of precision and recall at a cut-off."""

from fractions import Fraction

from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import has_relevant, per_query
from assay_oracle.core.parameters import CUT, POSITIVE, REL
from assay_oracle.core.query_score import Score, cut_size, weighted_f
from assay_oracle.core.rows import Row


@per_query("f", {"beta": POSITIVE, **REL}, cut=CUT, has_gold=has_relevant, averaged=True)
def f_measure(row: Row, definition: Definition) -> Score:
    """(1 + b²)·P·Rc / (b²·P + Rc) with P = hits / k and Rc = hits / R; 0 if both are 0."""
    hits = sum(row.chances(definition.rel, definition.k))
    precision = Fraction(hits, cut_size(definition.k, row.n))
    recall = Fraction(hits, row.gold_count(definition.rel))
    return Score(weighted_f(precision, recall, definition.number("beta")))
