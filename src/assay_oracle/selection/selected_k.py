"""Statistics of how many candidates are returned."""

import math
from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate

from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import pooled
from assay_oracle.core.outcome import Summary
from assay_oracle.core.parameters import choice
from assay_oracle.core.reduction import NOTHING_DRAWN, Reduction, Resampled, chosen, same_under_counts
from assay_oracle.core.resamples import Resamples
from assay_oracle.core.rows import Row
from assay_oracle.core.sums import Sums, sums_of

SHARES = {
    "median": Fraction(1, 2),
    "p25": Fraction(1, 4),
    "p75": Fraction(3, 4),
    "p90": Fraction(9, 10),
    "min": Fraction(0),
    "max": Fraction(1),
}
NO_K = Summary(None, "no_selected_k")


def _size_parts(row: Row, definition: Definition) -> tuple[int, int, bool]:
    """Return the size, its square, and whether the query has a K; one without a K returns nothing."""
    size = row.query.selected_k or 0
    return size, size * size, row.query.selected_k is not None


@sums_of(_size_parts)
def _moment(sums: Sums, definition: Definition) -> Summary:
    """Mean, total, or std with n − 1, which is 0 by convention for one query."""
    n, total, squares, known = sums
    if not known:
        return NO_K
    if definition.choice("stat") == "mean":
        return Summary(float(total / n))
    if definition.choice("stat") == "total":
        return Summary(float(total))
    if n < 2:
        return Summary(0.0, "zero_denominator")
    n, total, squares = int(n), int(total), int(squares)  # so that the difference is exact
    return Summary(math.sqrt(Fraction(squares * n - total * total, n * (n - 1))))


@same_under_counts
def _quantile(rows: Sequence[Row], units: Sequence[int], definition: Definition) -> Resampled:
    """Return a quantile by linear interpolation."""
    share = SHARES[definition.choice("stat")]
    selected = [row.query.selected_k or 0 for row in rows]
    sizes = sorted(set(selected))
    known = tuple({u for row, u in zip(rows, units, strict=True) if row.query.selected_k is not None})

    def resampled(resamples: Resamples) -> list[Summary]:
        times = resamples.times(units, selected)
        drawn = zip(*(times[size] for size in sizes), strict=True) if sizes else [()] * len(resamples.counts)
        return [
            quantile(counts, any(weights))
            for counts, weights in zip(drawn, resamples.weights(known), strict=True)
        ]

    def quantile(counts: Sequence[int], some_known: bool) -> Summary:
        upto = list(accumulate(counts))
        if not upto or not upto[-1]:
            return NOTHING_DRAWN
        if not some_known:
            return NO_K
        position = share * (upto[-1] - 1)
        below, above = (
            sizes[bisect_left(upto, rounded + 1)] for rounded in (math.floor(position), math.ceil(position))
        )
        return Summary(float(below + (position - math.floor(position)) * (above - below)))

    return resampled


@pooled("selected_k", {"stat": choice("mean", *SHARES, "std", "total")}, via=chosen)
def selected_k(definition: Definition) -> Reduction:
    """A statistic of selected_k; a query without a K returns nothing; no value without any K."""
    return _quantile if definition.choice("stat") in SHARES else _moment
