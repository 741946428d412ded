"""Expected calibration error in bins of equal width, its floor, and without its bias."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache, lru_cache

from assay_oracle.core.decision import probability, trillionths
from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import pooled
from assay_oracle.core.outcome import Summary
from assay_oracle.core.parameters import BINS
from assay_oracle.core.reduction import NOTHING_DRAWN, Number, Reduction, Resampled, add
from assay_oracle.core.resamples import Resamples
from assay_oracle.core.rows import Row
from assay_oracle.core.sums import exact_sums, sums_by_key

Bin = Sequence[Number]  # the number of queries in it, then the sum of each part
Formula = Callable[[Sequence[Bin], Number], Number]  # of the bins that are not empty, and of n
Binned = tuple[int, float, bool, Sequence[Number]]  # the bin of a query, its prob, its label, exact parts
Part = Callable[[Number, bool], Sequence[Number]]


@lru_cache(maxsize=1 << 16)  # every measure with bins asks for the same, in every group
def bin_index(prob: float, count: int) -> int:
    """Return the i with edge i − 1 < p <= edge i; p and the edges i/B have 12 decimal digits."""
    decimal = trillionths(Fraction(prob))
    index = max(math.ceil(Fraction(decimal * count, 10**12)), 1)
    if index > 1 and decimal <= trillionths(Fraction(index - 1, count)):
        return index - 1  # the edge was rounded up, onto the probability
    if index < count and decimal > trillionths(Fraction(index, count)):
        return index + 1  # the edge was rounded down, below it
    return index


def _prob_and_label(prob: Number, label: bool) -> Sequence[Number]:
    return (prob, label)


def _variance(prob: Number, label: bool) -> Sequence[Number]:
    return (prob * (1 - prob),)


def bins_of(parts: Part = _prob_and_label) -> Callable[[Formula], Reduction]:
    """Return the maker of a reduction: a formula of the sums of `parts` in B bins, and of n.

    Bins are (lo, hi] with edges i/B, and 0 is in the first. Probabilities and sums are fractions
    for the value and floats for resamples.
    """

    def via(formula: Formula) -> Reduction:
        def value(binned: Sequence[Binned], definition: Definition) -> Summary:
            members: dict[int, list[Sequence[Number]]] = {}
            for index, _, _, exact in binned:
                members.setdefault(index, []).append(exact)
            bins = [exact_sums(vectors) for vectors in members.values()]
            return Summary(float(formula(bins, Fraction(len(binned)))))

        def resample(binned: Sequence[Binned], units: Sequence[int], definition: Definition) -> Resampled:
            vectors = [parts(prob, label) for _, prob, label, _ in binned]
            totals = sums_by_key(units, vectors, [index for index, *_ in binned])

            def reduced(bins: Sequence[Bin]) -> Summary:
                n = math.fsum(sums[0] for sums in bins)
                return Summary(float(formula(bins, n))) if n else NOTHING_DRAWN

            def resampled(resamples: Resamples) -> list[Summary]:
                return [reduced(bins) for bins in totals(resamples)]

            return resampled

        return Reduction(value, resample, _binned(parts))

    return via


@cache
def _binned(parts: Part) -> Callable[[Row, Definition], Binned]:
    """Return the contribution of a row: one function for all measures with the same parts."""

    def binned(row: Row, definition: Definition) -> Binned:
        prob, label = probability(row, definition), row.has_evidence
        return bin_index(prob, int(definition.choice("bins"))), prob, label, parts(Fraction(prob), label)

    return binned


@pooled("ece", BINS, via=bins_of())
def ece(bins: Sequence[Bin], n: Number) -> Number:
    """Sum over bins of n_m/N · |mean p − mean y|."""
    return add(max(p - y, y - p) for _, p, y in bins) / n


@pooled("ece_floor", BINS, via=bins_of(_variance))
def ece_floor(bins: Sequence[Bin], n: Number) -> Number:
    """Sum over bins of 1/N · sqrt(2/π · sum of p(1 − p)): about the ECE of perfect calibration."""
    return add(math.sqrt(2 / math.pi * variance) for _, variance in bins) / n


@pooled("ece_debiased", BINS, via=bins_of())
def ece_debiased(bins: Sequence[Bin], n: Number) -> Number:
    """sqrt(max(0, sum over bins of n_m/N · [(mean p − mean y)² − mean y(1 − mean y)/(n_m − 1)])).

    The subtrahend is 0 if n_m = 1 (Kumar et al. 2019, L2).
    """
    terms = (((p - y) / m) ** 2 * m - (y / m * (1 - y / m) * m / (m - 1) if m > 1 else 0) for m, p, y in bins)
    return math.sqrt(max(0, add(terms) / n))
