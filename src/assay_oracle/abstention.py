"""Whether a query's confidence says how well it was ranked: MTEB's area under abstention."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise

from assay_oracle.decision import prob
from assay_oracle.definition import Definition, parse
from assay_oracle.formulas import score
from assay_oracle.outcome import Summary, mean
from assay_oracle.rows import Row

RATES = [Fraction(i, 10) for i in range(10)]
FLOAT_RATES = [
    i * 0.1 for i in range(10)
]  # as MTEB has them: 0.30000000000000004 · 15 is above 4.5
TOLERANCE = Fraction(1, 10**12)  # of areas of nDCG, whose discounts are irrational

# trec_eval's definition of each measure; the population is that of the area.
VALUES = {
    "ndcg": "ndcg@{}:gain=linear,gold=all,cut=k,on=all",
    "map": "map@{}:denominator=R,cut=k,rel=1,on=all",
    "recall": "recall@{}:gold=all,rel=1,on=all",
    "precision": "precision@{}:denominator=k,rel=1,on=all",
    "mrr": "mrr@{}:rel=1,on=all",
    "hit": "hit@{}:rel=1,on=all",
}


def _highest(row: Row, definition: Definition) -> float:
    return row.highest_score


def _spread(row: Row, definition: Definition) -> float:
    """sqrt(mean of (score − mean)²), exact under the root; 0 without candidates."""
    if not row.scores:
        return 0.0
    scores = [Fraction(value) for value in row.scores]
    centre = mean(scores)
    return math.sqrt(mean([(value - centre) ** 2 for value in scores]))


def _lead(row: Row, definition: Definition) -> float:
    """Highest score − second highest, as floats; 0 below two candidates."""
    first, second = sorted(row.scores, reverse=True)[:2] if row.n > 1 else (0.0, 0.0)
    return first - second


CONFIDENCES: dict[str, Callable[[Row, Definition], float]] = {
    "max": _highest,
    "std": _spread,
    "diff1": _lead,
    "prob": prob,
}


def normalised_area(rows: Sequence[Row], definition: Definition) -> Summary:
    """(area − flat) / (area of the best order − flat), with flat = 0.9 · mean.

    An area lies under the mean value of the queries kept, at abstention rates of 0 to 0.9. 0 by
    convention where the best order is no better than flat.
    """
    name = definition.choice("of")
    value_of = parse(VALUES[name].format(definition.cut))
    confidence = CONFIDENCES[definition.choice("by")]
    values = [score(row, value_of).value for row in rows]
    flat = mean(values) * RATES[-1]
    gain = _area(values, [confidence(row, definition) for row in rows]) - flat
    best_gain = _area(values, values) - flat
    if abs(best_gain) <= (TOLERANCE if name == "ndcg" else 0):
        return Summary(0.0, "zero_denominator")
    return Summary(float(gain / best_gain))


def _area(values: Sequence[Fraction], confidences: Sequence[float | Fraction]) -> Fraction:
    """The area, by trapezoids, under the mean of what is kept at each rate.

    At rate r, round(r·N) queries of the lowest confidence are left out (r·N in floats, half to
    even) and at most N − 1; of equal confidence the first in the input go first.
    """
    n = len(values)
    order = sorted(range(n), key=lambda index: confidences[index])
    kept = (order[min(round(rate * n), n - 1) :] for rate in FLOAT_RATES)
    curve = [mean([values[index] for index in part]) for part in kept]
    return sum(((left + right) / 2 for left, right in pairwise(curve)), Fraction(0)) / 10
