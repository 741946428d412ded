"""AUROC with the contribution of each post, so that two of them can be compared by post.

The variance is that of Obuchowski (1997, Biometrics 53:567–578): the components of DeLong et al.
(1988) summed by cluster. For a perfect AUROC the components vanish; a minimum variance replaces
them, so that a perfect value on few queries does not count as certain.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import sqrt

import numpy as np

from assay.array_types import Bools, Floats
from assay.statistics.student_t import two_sided_p
from assay.verification.audit.chance_bounds import least_variance


@dataclass(frozen=True, slots=True)
class Area:
    """An AUROC, its positives and negatives, and its influence by post."""

    value: float
    positives: int
    negatives: int
    influence: Mapping[str, float]

    @property
    def doubt(self) -> float:
        """Return the minimum variance."""
        return least_variance(min(self.positives, self.negatives))


def area_of(value: Floats, label: Bools, post: Iterable[str]) -> Area | None:
    """Return AUROC with ties counted half; None if a class is missing."""
    yes, no = np.sort(value[label]), np.sort(value[~label])
    if not len(yes) or not len(no):
        return None
    below = (np.searchsorted(no, value[label]) + np.searchsorted(no, value[label], "right")) / 2
    above = len(yes) - (
        (np.searchsorted(yes, value[~label]) + np.searchsorted(yes, value[~label], "right")) / 2
    )
    area = float(below.mean() / len(no))
    part = np.empty(len(value))
    part[label] = (below / len(no) - area) / len(yes)
    part[~label] = (above / len(yes) - area) / len(no)
    sums: dict[str, float] = {}
    for name, each in zip(post, part.tolist(), strict=True):
        sums[name] = sums.get(name, 0.0) + each
    return Area(area, len(yes), len(no), sums)


def mean_area(areas: list[Area]) -> Area:
    """Return the mean of several, weighted by their positives."""
    positives = sum(area.positives for area in areas)
    influence: dict[str, float] = {}
    for area in areas:
        for post, part in area.influence.items():
            influence[post] = influence.get(post, 0.0) + part * area.positives / positives
    value = sum(area.value * area.positives for area in areas) / positives
    return Area(value, positives, sum(area.negatives for area in areas), influence)


def difference(one: Area, other: Area | None) -> tuple[float, float]:
    """Return one minus the other (or minus 0.5), and its two-sided p by post.

    Posts in both count once, with the difference of their contributions. The degrees of freedom
    follow from the smaller number of positives.
    """
    posts = set(one.influence) | (set() if other is None else set(other.influence))
    against = {} if other is None else other.influence
    parts = [one.influence.get(post, 0.0) - against.get(post, 0.0) for post in posts]
    variance = sum(part * part for part in parts) * len(posts) / max(len(posts) - 1, 1)
    variance = max(variance, one.doubt + (0.0 if other is None else other.doubt))
    gap = one.value - (0.5 if other is None else other.value)
    few = min(
        area_size
        for area in (one, other)
        if area is not None
        for area_size in (area.positives, area.negatives)
    )
    if few < 2:
        return gap, 1.0
    return gap, two_sided_p(gap / sqrt(variance), few - 1)
