"""Normalised discounted cumulative gain."""

import math
from fractions import Fraction

from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import has_positive_grade, per_query
from assay_oracle.core.parameters import CUT, GOLD, K_OR_K_EFF, choice
from assay_oracle.core.query_score import Score, at_most, by_convention, two_to_the
from assay_oracle.core.rows import Row


@per_query(
    "ndcg",
    {"gain": choice("linear", "exponential"), "gold": GOLD, "cut": K_OR_K_EFF},
    cut=CUT,
    has_gold=has_positive_grade,
    averaged=True,
)
def ndcg(row: Row, definition: Definition) -> Score:
    """DCG / IDCG, where DCG = sum over the top k of g(grade) / log2(rank + 1).

    IDCG is the DCG of the positive grades, of all judgements or of the retrieved items, sorted
    descending and cut at k or at min(k, n).
    """
    k_eff = at_most(row.n, definition.k)
    ideal_length = definition.k if definition.choice("cut") == "k" else k_eff
    gold = row.judgements if definition.choice("gold") == "all" else row.gains()
    exponential = definition.choice("gain") == "exponential"

    def gain(grade: Fraction) -> Fraction:
        return two_to_the(grade) - 1 if exponential else grade

    best = [gain(grade) for grade in sorted(gold, reverse=True) if grade > 0]
    ideal = _dcg(best[:ideal_length])
    if ideal == 0:
        return by_convention("no_retrieved_gold")
    return Score(Fraction(_dcg(row.mean_gains(gain, definition.k)) / ideal))


def _dcg(gains: list[Fraction]) -> float:
    return math.fsum(
        float(gain) / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1) if gain > 0
    )
