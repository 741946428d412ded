"""Measures of what was judged, and of the retrieved list as a set."""

from fractions import Fraction

from assay_oracle.definition import Definition
from assay_oracle.rows import Row
from assay_oracle.score import Score, at_most, cut_size, weighted_f


def judged(row: Row, definition: Definition) -> Score:
    """Judged items in the top k / k or min(k, n)."""
    return Score(Fraction(sum(row.judged(definition.k)), _denominator(row, definition)))


def unjudged(row: Row, definition: Definition) -> Score:
    """Items in the top k that nobody judged / k or min(k, n)."""
    items = row.judged(definition.k)
    return Score(Fraction(len(items) - sum(items), _denominator(row, definition)))


def _denominator(row: Row, definition: Definition) -> int:
    if definition.choice("denominator") == "k":
        return cut_size(definition.k, row.n)
    return at_most(row.n, definition.k)


def judged_nonrelevant(row: Row, rel: int) -> list[bool]:
    """For each rank, whether the item was judged and found not relevant: 0 <= grade < rel."""
    return [
        judged and not relevant
        for judged, relevant in zip(row.judged(), row.relevance(rel), strict=True)
    ]


def binary_preference(row: Row, definition: Definition) -> Score:
    """Bpref = 1/R · sum over retrieved relevant r of 1 − min(above r, R) / min(N, R).

    `above r` counts the judged non-relevant items above r, N those of the judgements; the term is
    1 where none stands above.
    """
    gold_count = row.gold_count(definition.rel)
    nonrelevant = sum(0 <= grade < definition.rel for grade in row.judgements)
    total, above = Fraction(0), 0
    flags = zip(row.relevance(definition.rel), judged_nonrelevant(row, definition.rel), strict=True)
    for is_relevant, is_nonrelevant in flags:
        above += is_nonrelevant
        if is_relevant and above == 0:
            total += 1
        elif is_relevant:
            total += 1 - Fraction(min(above, gold_count), min(nonrelevant, gold_count))
    return Score(total / gold_count)


def set_precision(row: Row, definition: Definition) -> Score:
    """Retrieved relevant items / n."""
    return Score(Fraction(sum(row.relevance(definition.rel)), row.n))


def set_recall(row: Row, definition: Definition) -> Score:
    """Retrieved relevant items / R."""
    return Score(Fraction(sum(row.relevance(definition.rel)), row.gold_count(definition.rel)))


def set_f(row: Row, definition: Definition) -> Score:
    """(1 + b²)·P·R / (b²·P + R) of set precision and set recall; 0 where both are 0."""
    precision = set_precision(row, definition).value
    recall = set_recall(row, definition).value
    return Score(weighted_f(precision, recall, definition.number("beta")))
