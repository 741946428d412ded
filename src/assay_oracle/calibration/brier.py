"""The Brier score and its parts, with the bins of the calibration error."""

from collections.abc import Sequence
from fractions import Fraction

from assay_oracle.calibration.ece import Bin, bins_of
from assay_oracle.core.decision import probability
from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import per_query, pooled
from assay_oracle.core.outcome import Summary
from assay_oracle.core.parameters import BINS
from assay_oracle.core.query_score import Score
from assay_oracle.core.reduction import Number, add
from assay_oracle.core.rows import Row
from assay_oracle.core.sums import Sums, sums_of


@per_query("brier", needs="prob", ranks=False)
def brier(row: Row, definition: Definition) -> Score:
    """(p − y)²."""
    return Score((Fraction(probability(row, definition)) - row.has_evidence) ** 2)


@pooled("brier_reliability", BINS, via=bins_of())
def reliability(bins: Sequence[Bin], n: Number) -> Number:
    """Sum over bins of n_m/N · (mean p − mean y)²."""
    return add((p - y) ** 2 / m for m, p, y in bins) / n


@pooled("brier_resolution", BINS, via=bins_of())
def resolution(bins: Sequence[Bin], n: Number) -> Number:
    """Sum over bins of n_m/N · (mean y of the bin − mean y)²."""
    overall = add(y for _, _, y in bins) / n
    return add(m * (y / m - overall) ** 2 for m, _, y in bins) / n


@pooled("brier_uncertainty", via=sums_of(lambda row, definition: (row.has_evidence,)))
def uncertainty(sums: Sums, definition: Definition) -> Summary:
    """Mean y · (1 − mean y)."""
    rate = sums[1] / sums[0]
    return Summary(float(rate * (1 - rate)))
