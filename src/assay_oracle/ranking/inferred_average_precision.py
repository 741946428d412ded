"""Inferred average precision of Yilmaz and Aslam: average precision from a judged sample of the pool."""

from fractions import Fraction

from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import has_relevant, per_query
from assay_oracle.core.parameters import REL, SHARE
from assay_oracle.core.query_score import Score
from assay_oracle.core.rows import Row


@per_query("inf_ap", {"epsilon": SHARE, **REL}, has_gold=has_relevant)
def inferred_average_precision(row: Row, definition: Definition) -> Score:
    """1/R · sum over retrieved relevant of the expected precision at its rank k.

    That is 1/k + (k − 1)/k · |pool| / (k − 1) · (rel + ε) / (rel + nonrel + 2ε), where pool, rel and
    nonrel count the items above; a grade below 0 is in the pool and not judged.
    """
    epsilon = definition.number("epsilon")
    total, pool, relevant, nonrelevant = Fraction(0), 0, 0, 0
    for k, grade in enumerate(row.ranked, start=1):
        if grade is None:
            continue
        if grade >= definition.rel:
            total += Fraction(1, k)
            if k > 1:
                precision = (relevant + epsilon) / (relevant + nonrelevant + 2 * epsilon)
                total += Fraction(k - 1, k) * Fraction(pool, k - 1) * precision
            relevant += 1
        elif grade >= 0:
            nonrelevant += 1
        pool += 1
    return Score(total / row.gold_count(definition.rel))
