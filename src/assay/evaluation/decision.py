"""Which decision makes the labels of posts and criteria: what was returned, else TUNE, else 0.5."""

from __future__ import annotations

from collections.abc import Mapping

from assay.data.model import Cases
from assay.metrics.catalogue import metric
from assay.metrics.entry import Metric

LABELLED = ("exact_match", "hamming_score", "hamming_loss", "macro_f1", "weighted_f1")
"""Families that compare labels post by post or criterion by criterion."""
MICRO = "micro_f1"
RETURNED, TUNED_DECISION, HALF = "at=returned", "at=tune", "at=0.5"


def by_decision(chosen: Mapping[str, Metric], cases: Cases) -> dict[str, Metric]:
    """The measures, those of labels under the decision that these data have; their ids say which.

    A contract spells `at=returned`; a system that selects no K is judged by its threshold of TUNE,
    and without one by 0.5.
    """
    if cases.selected_k is not None or cases.prob is None:
        return dict(chosen)
    at = TUNED_DECISION if "tune" in cases.thresholds else HALF
    return {
        name: metric(each.id.replace(RETURNED, at)) if _of_labels(name, each) else each
        for name, each in chosen.items()
    }


def permitted(name: str, each: Metric) -> tuple[str, ...]:
    """The definition ids that a contract's measure may have, by the decision that data have."""
    if not _of_labels(name, each):
        return (each.id,)
    return (each.id, *(each.id.replace(RETURNED, at) for at in (TUNED_DECISION, HALF)))


def _of_labels(name: str, each: Metric) -> bool:
    return RETURNED in each.id and (each.name in LABELLED or name == MICRO)
