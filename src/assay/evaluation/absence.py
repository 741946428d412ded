"""Why some data cannot have a measure."""

from __future__ import annotations

from assay.data.model import Cases
from assay.metrics.entry import Metric
from assay.metrics.family import TUNED


def absence(cases: Cases, metric: Metric) -> str | None:
    """Why the cases cannot have a measure; None where they can."""
    if not cases.ranked and not metric.needs:
        return "there are no rankings"
    return next(filter(None, (_lacks(cases, need) for need in metric.needs)), None)


def _lacks(cases: Cases, need: str) -> str | None:
    is_threshold = need == "tune" or need.startswith(TUNED)
    if need in ("post_id", "criterion_id"):
        reason, lacks = "there are no posts with several criteria", need not in cases.groupings
    elif need == "ranked":
        reason, lacks = "there are no rankings", not cases.ranked
    elif need == "confidence":
        reason, lacks = "the scores of the candidates were not kept", not cases.confidence
    elif need == "pairs":
        reason = "pair-level measures need a corpus and all of its candidates"
        lacks = cases.pairs is None
    elif cases.prob is None:
        reason, lacks = "the system gave no decisions", True
    elif is_threshold:
        reason = "no threshold was chosen on TUNE"
        lacks = need.removeprefix(TUNED) not in cases.thresholds
    else:
        reason, lacks = f"the decisions have no column {need}", getattr(cases, need) is None
    return reason if lacks else None
