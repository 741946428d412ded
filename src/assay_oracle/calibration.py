"""How far probabilities are from frequencies, in bins of equal width, and the Brier score."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from assay_oracle.decision import probability, twelve_digits
from assay_oracle.definition import Definition
from assay_oracle.outcome import Summary, mean
from assay_oracle.rows import Row
from assay_oracle.score import Score


@dataclass(frozen=True)
class Bin:
    """The probabilities and labels in one bin, which is never empty."""

    probs: list[Fraction]
    labels: list[Fraction]

    @property
    def gap(self) -> Fraction:
        """Mean probability − mean label."""
        return mean(self.probs) - mean(self.labels)


def _labels(rows: Sequence[Row]) -> list[Fraction]:
    return [Fraction(row.has_evidence) for row in rows]


def bin_index(prob: float, count: int) -> int:
    """The i for which edge i − 1 < p <= edge i; p and the edges i/B have 12 decimal digits."""
    decimal = twelve_digits(Fraction(prob))
    index = max(math.ceil(decimal * count), 1)
    if index > 1 and decimal <= twelve_digits(Fraction(index - 1, count)):
        return index - 1  # the edge was rounded up, onto the probability
    if index < count and decimal > twelve_digits(Fraction(index, count)):
        return index + 1  # the edge was rounded down, below it
    return index


def _bins(rows: Sequence[Row], definition: Definition) -> list[tuple[Fraction, Bin]]:
    """The non-empty of B bins (lo, hi] with edges i/B, 0 in the first, each with its n_m/N."""
    count = int(definition.choice("bins"))
    members: dict[int, list[tuple[Fraction, Fraction]]] = {}
    for row, label in zip(rows, _labels(rows), strict=True):
        prob = probability(row, definition)
        members.setdefault(bin_index(prob, count), []).append((Fraction(prob), label))
    return [
        (Fraction(len(pairs), len(rows)), Bin([p for p, _ in pairs], [y for _, y in pairs]))
        for pairs in members.values()
    ]


def ece(rows: Sequence[Row], definition: Definition) -> Summary:
    """Sum over bins of n_m/N · |mean p − mean y|."""
    terms = (share * abs(part.gap) for share, part in _bins(rows, definition))
    return Summary(float(sum(terms, Fraction(0))))


def ece_floor(rows: Sequence[Row], definition: Definition) -> Summary:
    """Sum over bins of 1/N · sqrt(2/π · sum of p(1 − p)): about the ECE of perfect calibration."""
    variances = (
        sum((p * (1 - p) for p in part.probs), Fraction(0)) for _, part in _bins(rows, definition)
    )
    return Summary(math.fsum(math.sqrt(2 / math.pi * v) for v in variances) / len(rows))


def ece_debiased(rows: Sequence[Row], definition: Definition) -> Summary:
    """sqrt(max(0, sum over bins of n_m/N · [(mean p − mean y)² − mean y(1 − mean y)/(n_m − 1)])).

    The subtrahend is 0 where n_m = 1 (Kumar et al. 2019, L2).
    """
    total = Fraction(0)
    for share, part in _bins(rows, definition):
        rate, size = mean(part.labels), len(part.labels)
        noise = rate * (1 - rate) / (size - 1) if size > 1 else Fraction(0)
        total += share * (part.gap**2 - noise)
    return Summary(math.sqrt(max(total, Fraction(0))))


def reliability(rows: Sequence[Row], definition: Definition) -> Summary:
    """Sum over bins of n_m/N · (mean p − mean y)²."""
    terms = (share * part.gap**2 for share, part in _bins(rows, definition))
    return Summary(float(sum(terms, Fraction(0))))


def resolution(rows: Sequence[Row], definition: Definition) -> Summary:
    """Sum over bins of n_m/N · (mean y of the bin − mean y)²."""
    overall = mean(_labels(rows))
    terms = (share * (mean(part.labels) - overall) ** 2 for share, part in _bins(rows, definition))
    return Summary(float(sum(terms, Fraction(0))))


def uncertainty(rows: Sequence[Row], definition: Definition) -> Summary:
    """Mean y · (1 − mean y)."""
    rate = mean(_labels(rows))
    return Summary(float(rate * (1 - rate)))


def brier(row: Row, definition: Definition) -> Score:
    """(p − y)²."""
    return Score((Fraction(probability(row, definition)) - row.has_evidence) ** 2)
