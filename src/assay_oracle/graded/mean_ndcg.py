"""nDCG averaged over the relevant items, or over the levels of gain in the judgements."""

import math
from collections.abc import Sequence
from fractions import Fraction

from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import has_positive_grade, has_relevant, per_query
from assay_oracle.core.parameters import REL
from assay_oracle.core.query_score import Score
from assay_oracle.core.rows import Row


@per_query("ndcg_rel", has_gold=has_positive_grade)
def ndcg_over_gold(row: Row, definition: Definition) -> Score:
    """Mean of nDCG at the rank of each item with a positive grade.

    An item that was not retrieved has the DCG of the list over the DCG of all positive grades.
    """
    ideal = _ideal(row)
    gains = row.gains()
    values = [_ndcg(gains, ideal, rank) for rank, gain in enumerate(gains, start=1) if gain > 0]
    at_the_end = _dcg(gains) / _dcg(ideal)
    return _mean(values + [at_the_end] * (len(ideal) - len(values)))


@per_query("rndcg", REL, has_gold=has_relevant)
def ndcg_over_levels(row: Row, definition: Definition) -> Score:
    """Mean of nDCG at each R level, and at the end of the list if it goes on after one more item.

    The R levels: how many items have at least the highest positive grade, the second highest, …
    """
    ideal = _ideal(row)
    cuts = [sum(grade >= level for grade in ideal) for level in set(ideal)]
    if row.n > len(ideal) + 1:
        cuts.append(row.n)
    return _mean([_ndcg(row.gains(), ideal, cut) for cut in cuts])


def _ideal(row: Row) -> list[Fraction]:
    return sorted((grade for grade in row.judgements if grade > 0), reverse=True)


def _ndcg(gains: Sequence[Fraction], ideal: Sequence[Fraction], cut: int) -> float:
    return _dcg(gains[:cut]) / _dcg(ideal[:cut])


def _dcg(gains: Sequence[Fraction]) -> float:
    return math.fsum(float(gain) / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def _mean(values: Sequence[float]) -> Score:
    return Score(Fraction(math.fsum(values)) / len(values))
