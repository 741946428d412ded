"""Rank-biased overlap with an ideal ranking."""

from fractions import Fraction

from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import has_positive_grade, per_query
from assay_oracle.core.parameters import SHARE, choice
from assay_oracle.core.query_score import Score
from assay_oracle.core.rows import Row


@per_query("compatibility", {"p": SHARE, "normalized": choice("yes", "no")}, has_gold=has_positive_grade)
def compatibility(row: Row, definition: Definition) -> Score:
    """Mean overlap of the list with its ideal at each depth d, weighted by p^(d − 1).

    The ideal has the retrieved and then the missed items of each grade, highest grade first.
    """
    p = float(definition.number("p"))
    gains = row.gains()
    retrieved = [(grade, rank) for rank, grade in enumerate(gains) if grade > 0]
    missed = sorted(grade for grade in row.judgements if grade > 0)
    for grade, _ in retrieved:
        missed.remove(grade)
    listed = [(grade, 0, rank) for grade, rank in retrieved]
    absent = [(grade, 1, row.n + place) for place, grade in enumerate(missed)]
    ideal = [rank for _, _, rank in sorted(listed + absent, key=lambda item: (-item[0], *item[1:]))]
    depth = max(row.n, len(ideal))
    best = _overlap(ideal, ideal, p, depth) if definition.choice("normalized") == "yes" else 1.0
    return Score(Fraction(_overlap(list(range(row.n)), ideal, p, depth) / best))


def _overlap(first: list[int], second: list[int], p: float, depth: int) -> float:
    """Return the sum of p^(d − 1) · |first d ∩ second d| / d over the sum of p^(d − 1)."""
    one: set[int] = set()
    two: set[int] = set()
    score = weights = 0.0
    weight, common = 1.0, 0
    for d in range(1, depth + 1):
        for mine, other, ranking in ((one, two, first), (two, one, second)):
            if d <= len(ranking):
                mine.add(ranking[d - 1])
                common += ranking[d - 1] in other
        score += weight * common / d
        weights += weight
        weight *= p
    return score / weights
