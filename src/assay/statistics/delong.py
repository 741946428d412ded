"""The difference of two correlated AUROCs: DeLong's test, with clusters (Obuchowski 1997)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.array_types import Floats, Ints


@dataclass(frozen=True, slots=True)
class Areas:
    """Two areas on the same labels, and the variance of their difference.

    The variance is nan where fewer than two clusters have positives, or negatives.
    """

    first: float
    second: float
    variance: float

    @property
    def difference(self) -> float:
        """Second minus first."""
        return self.second - self.first


def placements(score: Floats, positive: Floats) -> Floats:
    """Of a positive: the share of negatives below it. Of a negative: of positives above. Ties half.

    The mean over the positives is the AUROC, and so is the mean over the negatives.
    """
    is_positive = positive > 0
    pos, neg = np.sort(score[is_positive]), np.sort(score[~is_positive])
    values = np.empty(len(score))
    values[is_positive] = _below(neg, score[is_positive])
    values[~is_positive] = 1.0 - _below(pos, score[~is_positive])
    return values


def _below(ordered: Floats, values: Floats) -> Floats:
    """Share of the ordered values that lie below each value, ties half."""
    left = np.searchsorted(ordered, values, side="left")
    right = np.searchsorted(ordered, values, side="right")
    return np.asarray((left + right) / (2.0 * len(ordered)), dtype=np.float64)


def clustered_areas(first: Floats, second: Floats, positive: Floats, cluster: Ints) -> Areas:
    """Return both areas, and the variance of their difference with the rows of a cluster kept together.

    With d = second − first of the placements, D10 and D01 the sums of (d − mean d) over a
    cluster's M positives and N negatives in all, and I10, I01, I the clusters that have positives,
    that have negatives, and all:

        var = I10/(I10−1) Σ D10²/M² + I01/(I01−1) Σ D01²/N² + 2 I/(I−1) Σ D10·D01/(M·N)

    Where each row is its own cluster the last sum is 0 and this is DeLong's variance. Both classes
    must be there.
    """
    is_positive = positive > 0
    a, b = placements(first, positive), placements(second, positive)
    area_a, area_b = float(a[is_positive].mean()), float(b[is_positive].mean())
    _, code = np.unique(cluster, return_inverse=True)
    total = int(code.max()) + 1
    sides = []
    for side in (is_positive, ~is_positive):
        difference = (b - a)[side]
        centred = difference - difference.mean()
        sums = np.bincount(code[side], weights=centred, minlength=total) / len(difference)
        holders = int(np.count_nonzero(np.bincount(code[side], minlength=total)))
        sides.append((sums, holders))
    (pos, i10), (neg, i01) = sides
    if i10 < 2 or i01 < 2:
        return Areas(area_a, area_b, float("nan"))
    variance = i10 / (i10 - 1) * (pos @ pos) + i01 / (i01 - 1) * (neg @ neg)
    variance += 2.0 * total / (total - 1) * (pos @ neg)
    return Areas(area_a, area_b, float(variance))
