"""Which decision makes the labels of posts and criteria: what was returned, else TUNE, else 0.5."""

from __future__ import annotations

from collections.abc import Mapping

from assay.data.model import Cases
from assay.metrics.catalogue import metric
from assay.metrics.entry import Metric

LABELLED = ("exact_match", "hamming_score", "hamming_loss", "macro_f1", "weighted_f1")
"""Families that compare labels post by post or criterion by criterion."""
MICRO = "micro_f1"
RETURNED = "at=returned"


def by_decision(chosen: Mapping[str, Metric], cases: Cases) -> dict[str, Metric]:
    """The measures, those of labels under the decision that these data have; their ids say which.

    A contract spells `at=returned`; a system that selects no K is judged by its threshold of TUNE,
    and without one by 0.5.
    """
    if cases.selected_k is not None or cases.prob is None:
        return dict(chosen)
    at = "at=tune" if "tune" in cases.thresholds else "at=0.5"
    return {
        name: metric(each.id.replace(RETURNED, at))
        if RETURNED in each.id and (each.name in LABELLED or name == MICRO)
        else each
        for name, each in chosen.items()
    }
