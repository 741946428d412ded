"""Quantiles of the selected K, and the areas of selective answering: sorted once, then counted."""

import math
from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, pairwise
from operator import mul

from assay_oracle.abstention import CONFIDENCES, FLOAT_RATES, VALUES
from assay_oracle.decision import confidence, decided
from assay_oracle.definition import Definition, parse
from assay_oracle.draws.sums import Counts, Reduce
from assay_oracle.formulas import score
from assay_oracle.rows import Row

SHARES = {
    "min": Fraction(0),
    "p25": Fraction(1, 4),
    "median": Fraction(1, 2),
    "p75": Fraction(3, 4),
    "p90": Fraction(9, 10),
    "max": Fraction(1),
}
FLAT = 1e-12  # what floats leave of a difference that is 0


def size_quantile(rows: Sequence[Row], units: Sequence[int], definition: Definition) -> Reduce:
    """A quantile of selected_k by linear interpolation; None where no counted query has one."""
    share = SHARES[definition.choice("stat")]
    by_size: dict[int, list[int]] = {}
    for row, unit in zip(rows, units, strict=True):
        by_size.setdefault(row.query.selected_k or 0, []).append(unit)
    sizes = sorted(by_size)
    known = [u for row, u in zip(rows, units, strict=True) if row.query.selected_k is not None]

    def reduce(counts: Counts) -> float | None:
        upto = list(accumulate(sum(map(counts.__getitem__, by_size[size])) for size in sizes))
        if not upto or not upto[-1]:
            return 0.0
        if not any(counts[unit] for unit in known):
            return None
        position = share * (upto[-1] - 1)
        below, above = (
            sizes[bisect_left(upto, rounded + 1)]
            for rounded in (math.floor(position), math.ceil(position))
        )
        return float(below + (position - math.floor(position)) * (above - below))

    return reduce


@lru_cache(maxsize=4)
def _harmonic(n: int) -> list[float]:
    """H_0, H_1, …, H_n."""
    return [0.0, *accumulate(1 / i for i in range(1, n + 1))]


def risk_area(rows: Sequence[Row], units: Sequence[int], definition: Definition) -> Reduce:
    """AURC, and E-AURC with the best area of as many errors taken off.

    A group of m queries of equal confidence with e errors, after b queries with E errors, adds the
    sum over j = 1..m of (E + e·j/m)/(b + j) = e + (E − b·e/m)·(H_(b+m) − H_b).
    """
    groups: dict[Fraction, tuple[list[int], list[int]]] = {}
    for row, unit in zip(rows, units, strict=True):
        wrong = decided(row, definition) != row.has_evidence
        groups.setdefault(confidence(row, definition), ([], []))[wrong].append(unit)
    falling = [groups[each] for each in sorted(groups, reverse=True)]

    def reduce(counts: Counts) -> float:
        count = counts.__getitem__
        n = sum(map(count, units))
        if not n:
            return 0.0
        harmonic = _harmonic(1 << n.bit_length())
        terms: list[float] = []
        before = errors = 0
        for right, wrong in falling:
            missed = sum(map(count, wrong))
            size = missed + sum(map(count, right))
            if size:
                step = harmonic[before + size] - harmonic[before]
                terms.append(missed + (errors - before * missed / size) * step)
                before, errors = before + size, errors + missed
        if definition.name == "eaurc":
            good = n - errors
            terms.append(-errors + good * (harmonic[n] - harmonic[good]))
        return math.fsum(terms) / n

    return reduce


def abstention_area(rows: Sequence[Row], units: Sequence[int], definition: Definition) -> Reduce:
    """The normalised area under abstention; a query that counts c times stands c times in a row."""
    value_of = parse(VALUES[definition.choice("of")].format(definition.cut))
    sure = CONFIDENCES[definition.choice("by")]
    values = [float(score(row, value_of).value) for row in rows]
    given = [sure(row, definition) for row in rows]
    orders = [sorted(range(len(rows)), key=key.__getitem__) for key in (given, values)]
    sorted_values = [[values[place] for place in order] for order in orders]
    sorted_units = [[units[place] for place in order] for order in orders]

    def reduce(counts: Counts) -> float:
        areas = []
        flat = 0.0
        for found, drawn in zip(sorted_values, sorted_units, strict=True):
            weights = [counts[unit] for unit in drawn]
            total = math.fsum(map(mul, weights, found))
            n = sum(weights)
            if not n:
                return 0.0
            flat = total / n * 0.9
            areas.append(_area(found, weights, total, n))
        best = areas[1] - flat
        return 0.0 if abs(best) <= FLAT else (areas[0] - flat) / best

    return reduce


def _area(values: Sequence[float], weights: Sequence[int], total: float, n: int) -> float:
    """The trapezoids under the mean of what is kept, least confident first."""
    upto = list(accumulate(weights))
    sums = [0.0, *accumulate(map(mul, weights, values))]
    curve = []
    for rate in FLOAT_RATES:
        left_out = min(round(rate * n), n - 1)
        place = bisect_left(upto, left_out)
        into = left_out - (upto[place] - weights[place])
        curve.append((total - sums[place] - into * values[place]) / (n - left_out))
    return math.fsum((left + right) / 2 for left, right in pairwise(curve)) / 10
