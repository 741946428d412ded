"""Precision, recall and F of everything that was retrieved."""

from fractions import Fraction

from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import has_relevant, per_query
from assay_oracle.core.parameters import POSITIVE, REL
from assay_oracle.core.query_score import Score, weighted_f
from assay_oracle.core.rows import Row


@per_query("set_precision", REL, averaged=True)
def set_precision(row: Row, definition: Definition) -> Score:
    """Retrieved relevant items / n."""
    return Score(Fraction(sum(row.relevance(definition.rel)), row.n))


@per_query("set_recall", REL, has_gold=has_relevant, averaged=True)
def set_recall(row: Row, definition: Definition) -> Score:
    """Retrieved relevant items / R."""
    return Score(Fraction(sum(row.relevance(definition.rel)), row.gold_count(definition.rel)))


@per_query("set_f", {"beta": POSITIVE, **REL}, has_gold=has_relevant, averaged=True)
def set_f(row: Row, definition: Definition) -> Score:
    """(1 + b²)·P·R / (b²·P + R) of set precision and set recall; 0 if both are 0."""
    precision = set_precision(row, definition).value
    recall = set_recall(row, definition).value
    return Score(weighted_f(precision, recall, definition.number("beta")))
