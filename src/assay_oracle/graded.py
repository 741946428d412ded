"""Measures that use how relevant an item is: nDCG and the expected reciprocal rank."""

import math
from fractions import Fraction

from assay_oracle.definition import Definition
from assay_oracle.rows import Row
from assay_oracle.score import Score, at_most, by_convention


def normalised_gain(row: Row, definition: Definition) -> Score:
    """DCG / IDCG, where DCG = sum over the top k of g(grade) / log2(rank + 1).

    IDCG is the DCG of the positive grades, of all judgements or of the retrieved items, sorted
    descending and cut at k or at min(k, n).
    """
    k_eff = at_most(row.n, definition.k)
    ideal_length = definition.k if definition.choice("cut") == "k" else k_eff
    gold = row.judgements if definition.choice("gold") == "all" else row.gains()
    positive = [grade for grade in gold if grade > 0]
    ideal = _dcg(sorted(positive, reverse=True)[:ideal_length], definition)
    if ideal == 0:
        return by_convention("no_retrieved_gold")
    return Score(Fraction(_dcg(row.gains(definition.k), definition) / ideal))


def _dcg(grades: list[Fraction], definition: Definition) -> float:
    exponential = definition.choice("gain") == "exponential"
    gains = [_two_to_the(grade) - 1 if exponential else grade for grade in grades]
    return math.fsum(
        float(gain) / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1) if gain > 0
    )


def _two_to_the(grade: Fraction) -> Fraction:
    """2^grade: exact for a whole grade, else the nearest float."""
    return Fraction(Fraction(2) ** grade)


def check_grades(row: Row, definition: Definition) -> None:
    """Refuse any judgement above gmax: its probability of satisfaction would pass 1."""
    gmax = definition.number("gmax")
    for grade in row.judgements:
        if grade > gmax:
            raise ValueError(
                f"{definition.text}: query {row.query.id!r} has a grade of {grade}; "
                f"expected at most gmax = {gmax}"
            )


def expected_reciprocal_rank(row: Row, definition: Definition) -> Score:
    """Sum over r <= k of 1/r · S_r · product over i < r of (1 − S_i).

    S_i = (2^grade_i − 1) / 2^gmax is the chance that item i satisfies (Chapelle et al. 2009).
    """
    scale = _two_to_the(definition.number("gmax"))
    total, still_looking = Fraction(0), Fraction(1)
    for rank, grade in enumerate(row.gains(definition.k), start=1):
        satisfied = (_two_to_the(grade) - 1) / scale
        total += still_looking * satisfied / rank
        still_looking *= 1 - satisfied
    return Score(total)
