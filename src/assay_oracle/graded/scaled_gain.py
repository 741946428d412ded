"""Gains over what a list of documents of the highest grade would give: SDCG, and BPM."""

import math
from fractions import Fraction
from functools import lru_cache

from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import per_query
from assay_oracle.core.parameters import CUT, LEVEL, POSITIVE
from assay_oracle.core.query_score import Score
from assay_oracle.core.rows import Row


@per_query("sdcg", {"gmax": LEVEL}, cut=CUT, averaged=True)
def scaled_dcg(row: Row, definition: Definition) -> Score:
    """DCG@k of min(grade, gmax) / gmax over the DCG of k documents (`all`: n) with gain 1."""
    gmax = definition.number("gmax")
    gains = row.mean_gains(lambda grade: min(grade, gmax) / gmax, definition.k)
    dcg = math.fsum(float(gain) / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))
    return Score(Fraction(dcg / _discounts(definition.k or row.n)))


@lru_cache(maxsize=1000)
def _discounts(last: int) -> float:
    """Return the sum of the discounts of the ranks up to `last`, which may be far beyond any list."""
    return math.fsum(1 / math.log2(rank + 1) for rank in range(1, last + 1))


@per_query("bpm", {"target": POSITIVE, "gmax": LEVEL}, cut=CUT)
def bejeweled(row: Row, definition: Definition) -> Score:
    """Gain up to the stop over its rank: the first rank with a gain of the target, k at the latest."""
    target, gmax = definition.number("target"), definition.number("gmax")
    gained = Fraction(0)
    for rank, grade in enumerate(row.gains(definition.k), start=1):
        gained += min(grade, gmax) / gmax
        if gained >= target:
            return Score(gained / rank)
    return Score(gained / (definition.k or row.n))
