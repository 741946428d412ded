"""Calibration in bins of equal width, from the sums of each bin."""

import math
from collections.abc import Callable, Sequence

from assay_oracle.calibration import bin_index
from assay_oracle.decision import probability
from assay_oracle.definition import Definition
from assay_oracle.draws.sums import Reduce, grouped
from assay_oracle.rows import Row

Bin = tuple[float, float, float, float]  # queries, and the sums of p, y and p(1 − p)


def _ece(bins: Sequence[Bin], n: float) -> float:
    return math.fsum(abs(p - y) for _, p, y, _ in bins) / n


def _floor(bins: Sequence[Bin], n: float) -> float:
    return math.fsum(math.sqrt(2 / math.pi * variance) for _, _, _, variance in bins) / n


def _debiased(bins: Sequence[Bin], n: float) -> float:
    terms = (
        ((p - y) / m) ** 2 * m - (y / m * (1 - y / m) * m / (m - 1) if m > 1 else 0.0)
        for m, p, y, _ in bins
    )
    return math.sqrt(max(0.0, math.fsum(terms) / n))


def _reliability(bins: Sequence[Bin], n: float) -> float:
    return math.fsum((p - y) ** 2 / m for m, p, y, _ in bins) / n


def _resolution(bins: Sequence[Bin], n: float) -> float:
    overall = math.fsum(y for _, _, y, _ in bins) / n
    return math.fsum(m * (y / m - overall) ** 2 for m, _, y, _ in bins) / n


def _uncertainty(bins: Sequence[Bin], n: float) -> float:
    overall = math.fsum(y for _, _, y, _ in bins) / n
    return overall * (1 - overall)


OF_BINS: dict[str, Callable[[Sequence[Bin], float], float]] = {
    "ece": _ece,
    "ece_floor": _floor,
    "ece_debiased": _debiased,
    "brier_reliability": _reliability,
    "brier_resolution": _resolution,
    "brier_uncertainty": _uncertainty,
}


def of_bins(rows: Sequence[Row], units: Sequence[int], definition: Definition) -> Reduce:
    """The measure of OF_BINS that bears the definition's name; 0 where no query counts."""
    formula = OF_BINS[definition.name]
    count = int(definition.parameters.get("bins", "1"))  # the uncertainty needs none
    vectors, keys = [], []
    for row in rows:
        y = row.has_evidence
        p = probability(row, definition) if "bins" in definition.parameters else 0.0
        vectors.append((p, y, p * (1 - p)))
        keys.append(bin_index(p, count))
    totals = grouped(units, vectors, keys)

    def reduce(counts: Sequence[int]) -> float:
        bins = [(sums[0], sums[1], sums[2], sums[3]) for sums in totals(counts)]
        n = math.fsum(m for m, _, _, _ in bins)
        return formula(bins, n) if n else 0.0

    return reduce
