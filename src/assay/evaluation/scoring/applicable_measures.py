"""Which measures the data support, and under which decision labels are compared."""

from __future__ import annotations

from collections.abc import Mapping

from assay.data.cases import Cases
from assay.metrics.core.entry import Metric
from assay.metrics.core.family import TUNED
from assay.metrics.core.registry import metric

MICRO = "micro_f1"
RETURNED, TUNED_DECISION, HALF = "at=returned", "at=tune", "at=0.5"
NO_RANKINGS = "the input has labels and probabilities but no rankings"


def by_decision(chosen: Mapping[str, Metric], cases: Cases) -> dict[str, Metric]:
    """Return the measures, those of labels under the decision that the data have.

    A contract spells `at=returned`. A system that selects no K is judged by its TUNE threshold,
    and without one by 0.5; the definition ids spell which one.
    """
    if cases.selected_k is not None or cases.prob is None:
        return dict(chosen)
    at = TUNED_DECISION if "tune" in cases.thresholds else HALF
    return {
        name: metric(each.id.replace(RETURNED, at)) if _of_labels(name, each) else each
        for name, each in chosen.items()
    }


def permitted(name: str, each: Metric) -> tuple[str, ...]:
    """Return the definition ids that a measure of a contract can have, one per decision."""
    if not _of_labels(name, each):
        return (each.id,)
    return (each.id, *(each.id.replace(RETURNED, at) for at in (TUNED_DECISION, HALF)))


def _of_labels(name: str, each: Metric) -> bool:
    return RETURNED in each.id and (each.reduce.kind == "groups" or name == MICRO)


def absence(cases: Cases, metric: Metric) -> str | None:
    """Return why the data do not support a measure; None where they do."""
    if not cases.ranked and not metric.needs:
        return NO_RANKINGS
    return next(filter(None, (_lacks(cases, need) for need in metric.needs)), None)


def _lacks(cases: Cases, need: str) -> str | None:
    is_threshold = need == "tune" or need.startswith(TUNED)
    if need in ("post_id", "criterion_id"):
        reason, lacks = "there are no posts with several criteria", need not in cases.groupings
    elif need == "ranked":
        reason, lacks = NO_RANKINGS, not cases.ranked
    elif need == "confidence":
        reason, lacks = "the scores of the candidates were not kept", not cases.confidence
    elif need == "pairs":
        reason = "pair-level measures need a corpus and all of its candidates"
        lacks = cases.pairs is None
    elif cases.prob is None and cases.selected_k is None and cases.state is None:
        reason, lacks = _without_decisions(cases), True
    elif is_threshold:
        reason = "no threshold was chosen on TUNE"
        lacks = need.removeprefix(TUNED) not in cases.thresholds
    else:
        reason, lacks = f"the decisions have no column {need}", getattr(cases, need) is None
    return reason if lacks else None


def _without_decisions(cases: Cases) -> str:
    """Say which input would have to contain the decisions."""
    if "query_id" in cases.keys.columns:
        return "the input has rankings but no probabilities or decisions"
    return "the predictions have no decisions table"
