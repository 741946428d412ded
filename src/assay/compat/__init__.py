"""Drop-in replacements and connections to other tools, and functions that the source contracts name.

`assay.compat.pytrec_eval`, `.ir_measures`, `.sklearn` and `.mlflow` are modules, each for the tool
of that name; `.pytest_plugin` is loaded by pytest. The functions of the source contracts
(`recall_at_k`, `paper_evaluate`, …) are attributes of this package, loaded when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.compat.gate_metrics import NEGateMetrics
    from assay.compat.protocols import dual_evaluate, evaluate_predictions, paper_evaluate
    from assay.compat.single_query import (
        assign_state,
        average_precision_at_k,
        compute_k_eff,
        compute_ndcg_at_k,
        evidence_precision_at_selected_k,
        evidence_recall_at_selected_k,
        hit_rate_at_k,
        map_at_k,
        mrr_at_k,
        mrr_single_query,
        ndcg_at_k,
        precision_at_k,
        recall_at_k,
    )

__all__ = [
    "NEGateMetrics",
    "assign_state",
    "average_precision_at_k",
    "compute_k_eff",
    "compute_ndcg_at_k",
    "dual_evaluate",
    "evaluate_predictions",
    "evidence_precision_at_selected_k",
    "evidence_recall_at_selected_k",
    "hit_rate_at_k",
    "map_at_k",
    "mrr_at_k",
    "mrr_single_query",
    "ndcg_at_k",
    "paper_evaluate",
    "precision_at_k",
    "recall_at_k",
]

_ELSEWHERE = {
    "NEGateMetrics": "gate_metrics",
    "dual_evaluate": "protocols",
    "evaluate_predictions": "protocols",
    "paper_evaluate": "protocols",
}


def __getattr__(name: str) -> object:
    """Load a function of the source contracts from its module."""
    if name not in __all__:
        raise AttributeError(f"module 'assay.compat' has no attribute {name!r}")
    value = getattr(import_module(f"assay.compat.{_ELSEWHERE.get(name, 'single_query')}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
