"""Which measures a comparison is about: the declared family that Holm and BH run over."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assay.contracts.contract import PLACE, Contract
from assay.errors import MeasureError
from assay.evaluation.comparison.matched_systems import System
from assay.evaluation.scoring.score_all import absence
from assay.metrics.core.entry import Kind, Metric

TESTED_BY_DEFAULT = ("map", "mrr", "recip_rank", "auroc", "auprc", "brier", "evidence_recall")
USUAL_CUT = 10


def default_names(contract: Contract) -> list[str]:
    """Ranking measures at the largest primary cut-off, and headlines of ranking and decisions.

    One cut-off, because the same measure at the next one asks nearly the same question and a family
    of them makes every test weaker. A contract without any of these names is taken whole.
    """
    primary = [k for k in contract.k_primary if k in contract.k]
    cut = max(primary) if primary else USUAL_CUT if USUAL_CUT in contract.k else max(contract.k, default=1)
    cuts = [
        pattern.replace(PLACE, str(cut))
        for pattern in contract.measures
        if PLACE in pattern and "/" not in pattern
    ]
    single = [
        name
        for name in TESTED_BY_DEFAULT
        if name in contract.measures and f"{name}@{PLACE}" not in contract.measures
    ]
    return [*cuts, *single] or [
        name
        for name, metric in contract.metrics.items()
        if metric.kind is not Kind.TOTAL and metric.better != "neither"
    ]


def family(
    systems: Sequence[System], names: Iterable[str] | None
) -> tuple[dict[str, Metric], dict[str, str]]:
    """Return the measures that all systems have under one definition; the others with the reason."""
    first = systems[0].contract
    asked = list(dict.fromkeys(names)) if names is not None else default_names(first)
    if not asked:
        raise MeasureError("no measure was named")
    chosen: dict[str, Metric] = {}
    absent: dict[str, str] = {}
    for name in asked:
        metric = first.resolve(name)
        reason = _reason(name, metric, systems)
        if reason is None:
            chosen[name] = metric
        else:
            absent[name] = reason
    if not chosen:
        name, reason = next(iter(absent.items()))
        raise MeasureError(f"no measure can be compared; {name} is absent: {reason}")
    return chosen, absent


def _reason(name: str, metric: Metric, systems: Sequence[System]) -> str | None:
    for system in systems:
        own = _resolved(system.contract, name)
        if own is None:
            return f"{system.contract.id} has no such name"
        if own.id != metric.id:
            return f"{systems[0].contract.id} means {metric.id}, {system.contract.id} {own.id}"
        lacking = absence(system.cases, metric)
        if lacking is not None:
            return f"{lacking} ({system.name})"
    return None


def _resolved(contract: Contract, name: str) -> Metric | None:
    try:
        return contract.resolve(name)
    except MeasureError:
        return None
