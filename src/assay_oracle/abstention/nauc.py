"""Whether a query's confidence predicts how well it was ranked: MTEB's area under abstention."""

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import accumulate, pairwise
from operator import mul

from assay_oracle.core.decision import prob
from assay_oracle.core.definition import Definition
from assay_oracle.core.grammar import parse
from assay_oracle.core.measure import pooled, score
from assay_oracle.core.outcome import Summary, mean
from assay_oracle.core.parameters import CUT, choice
from assay_oracle.core.reduction import NOTHING_DRAWN, Resampled, each, resampled_by
from assay_oracle.core.resamples import Counts
from assay_oracle.core.rows import Row

HIGHEST_RATE = Fraction(9, 10)
RATES = [i * 0.1 for i in range(10)]  # as MTEB has them: 0.30000000000000004 · 15 is above 4.5
TOLERANCE = Fraction(1, 10**12)  # of areas of nDCG, whose discounts are irrational
FLAT = 1e-12  # what floats leave of a difference that is 0

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


def _values(rows: Sequence[Row], definition: Definition) -> tuple[list[Fraction], list[float]]:
    """Return the value and the confidence of each query."""
    value_of = parse(VALUES[definition.choice("of")].format(definition.cut))
    confidence = CONFIDENCES[definition.choice("by")]
    values = [score(row, value_of).value for row in rows]
    return values, [confidence(row, definition) for row in rows]


def _resample(rows: Sequence[Row], units: Sequence[int], definition: Definition) -> Resampled:
    """Sort once; a query that was drawn c times occupies c places in a row."""
    exact, confidences = _values(rows, definition)
    values = [float(value) for value in exact]
    orders = [sorted(range(len(rows)), key=key.__getitem__) for key in (confidences, values)]
    sorted_values = [[values[place] for place in order] for order in orders]
    sorted_units = [[units[place] for place in order] for order in orders]

    def resampled(counts: Counts) -> Summary:
        areas = []
        flat = 0.0
        for found, drawn in zip(sorted_values, sorted_units, strict=True):
            weights = [counts[unit] for unit in drawn]
            total = math.fsum(map(mul, weights, found))
            n = sum(weights)
            if not n:
                return NOTHING_DRAWN
            flat = total / n * 0.9
            areas.append(_weighted_area(found, weights, total, n))
        best = areas[1] - flat
        return Summary(0.0 if abs(best) <= FLAT else (areas[0] - flat) / best)

    return each(resampled)


def _weighted_area(values: Sequence[float], weights: Sequence[int], total: float, n: int) -> float:
    """Return the trapezoids under the mean of what is kept, least confident first."""
    upto = list(accumulate(weights))
    sums = [0.0, *accumulate(map(mul, weights, values))]
    curve = []
    for rate in RATES:
        left_out = min(round(rate * n), n - 1)
        place = bisect_left(upto, left_out)
        into = left_out - (upto[place] - weights[place])
        curve.append((total - sums[place] - into * values[place]) / (n - left_out))
    return math.fsum((left + right) / 2 for left, right in pairwise(curve)) / 10


@pooled(
    "nauc",
    {"of": choice(*VALUES), "by": choice(*CONFIDENCES)},
    cut=CUT,
    via=resampled_by(_resample),
    averaged=False,
)
def normalised_area(rows: Sequence[Row], definition: Definition) -> Summary:
    """(area − flat) / (area of the best order − flat), with flat = 0.9 · mean.

    An area lies under the mean value of the queries kept, at abstention rates of 0 to 0.9. 0 by
    convention if the best order is no better than flat.
    """
    values, confidences = _values(rows, definition)
    flat = mean(values) * HIGHEST_RATE
    gain = _area(values, confidences) - flat
    best_gain = _area(values, values) - flat
    if abs(best_gain) <= (TOLERANCE if definition.choice("of") == "ndcg" else 0):
        return Summary(0.0, "zero_denominator")
    return Summary(float(gain / best_gain))


def _area(values: Sequence[Fraction], confidences: Sequence[float | Fraction]) -> Fraction:
    """Return the area, by trapezoids, under the mean of what is kept at each rate.

    At rate r, the round(r·N) queries of the lowest confidence are left out (r·N in floats, half to
    even), at most N − 1; of equal confidence, the first in the input are left out first.
    """
    n = len(values)
    order = sorted(range(n), key=lambda index: confidences[index])
    kept = (order[min(round(rate * n), n - 1) :] for rate in RATES)
    curve = [mean([values[index] for index in part]) for part in kept]
    return sum(((left + right) / 2 for left, right in pairwise(curve)), Fraction(0)) / 10
