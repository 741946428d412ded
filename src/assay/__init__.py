"""assay evaluates systems that retrieve evidence or abstain.

>>> import assay
>>> result = assay.evaluate("predictions", "corpus")            # doctest: +SKIP
>>> result["ndcg@10"].value                                     # doctest: +SKIP

Names are loaded when they are first used, so that `import assay` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from assay import forked as forked  # it must be here before the process forks
from assay.version import VERSION

if TYPE_CHECKING:
    from assay.contracts.load import contract
    from assay.contracts.model import Contract
    from assay.data.arrays import Arrays
    from assay.data.corpus import Corpus, read_corpus
    from assay.data.predictions import Predictions, read_predictions
    from assay.data.splits import folds, split
    from assay.errors import AssayError, ContractError, Fault, InputError, MeasureError
    from assay.evaluation.api import evaluate
    from assay.evaluation.bundle.read import load
    from assay.evaluation.compare import compare
    from assay.evaluation.comparison import Comparison
    from assay.evaluation.curves import curves
    from assay.evaluation.gate import NEGateMetrics
    from assay.evaluation.inputs import read_decisions, read_trec
    from assay.evaluation.intervals import Bootstrap
    from assay.evaluation.protocols import dual_evaluate, evaluate_predictions, paper_evaluate
    from assay.evaluation.result import Result, Value
    from assay.evaluation.single import (
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
    from assay.evaluation.thresholds import Threshold, choose_threshold
    from assay.experiment.run import run
    from assay.metrics.catalogue import metric
    from assay.pipeline.plan import Plan, read_plan
    from assay.report.bundle import open_bundle
    from assay.report.displays.calibration import ReliabilityDisplay, ScoresDisplay
    from assay.report.displays.curves import PrDisplay, RocDisplay
    from assay.report.displays.decisions import (
        BenefitDisplay,
        RiskCoverageDisplay,
        SelectedKDisplay,
    )
    from assay.report.displays.measures import CriteriaDisplay, CutoffDisplay, WaterfallDisplay
    from assay.report.write import write_page, write_report
    from assay.verify.audit.api import audit
    from assay.verify.audit.model import AuditReport
    from assay.verify.audit.system import audit_system
    from assay.verify.inputs import Originals
    from assay.verify.lint.api import lint
    from assay.verify.lint.report import LintReport
    from assay.verify.lint.rule import Finding
    from assay.verify.recompute import verify

__version__ = VERSION

_HOMES = {
    "assay.contracts.load": ("contract",),
    "assay.contracts.model": ("Contract",),
    "assay.data.arrays": ("Arrays",),
    "assay.data.corpus": ("Corpus", "read_corpus"),
    "assay.data.predictions": ("Predictions", "read_predictions"),
    "assay.data.splits": ("folds", "split"),
    "assay.errors": ("AssayError", "ContractError", "Fault", "InputError", "MeasureError"),
    "assay.evaluation.api": ("evaluate",),
    "assay.evaluation.bundle.read": ("load",),
    "assay.evaluation.inputs": ("read_decisions", "read_trec"),
    "assay.evaluation.curves": ("curves",),
    "assay.evaluation.compare": ("compare",),
    "assay.evaluation.comparison": ("Comparison",),
    "assay.evaluation.gate": ("NEGateMetrics",),
    "assay.evaluation.intervals": ("Bootstrap",),
    "assay.evaluation.protocols": ("dual_evaluate", "evaluate_predictions", "paper_evaluate"),
    "assay.evaluation.result": ("Result", "Value"),
    "assay.evaluation.thresholds": ("Threshold", "choose_threshold"),
    "assay.evaluation.single": (
        "assign_state",
        "average_precision_at_k",
        "compute_k_eff",
        "compute_ndcg_at_k",
        "evidence_precision_at_selected_k",
        "evidence_recall_at_selected_k",
        "hit_rate_at_k",
        "map_at_k",
        "mrr_at_k",
        "mrr_single_query",
        "ndcg_at_k",
        "precision_at_k",
        "recall_at_k",
    ),
    "assay.experiment.run": ("run",),
    "assay.metrics.catalogue": ("metric",),
    "assay.pipeline.plan": ("Plan", "read_plan"),
    "assay.verify.inputs": ("Originals",),
    "assay.verify.recompute": ("verify",),
    "assay.verify.lint.api": ("lint",),
    "assay.verify.lint.report": ("LintReport",),
    "assay.verify.lint.rule": ("Finding",),
    "assay.verify.audit.api": ("audit",),
    "assay.verify.audit.model": ("AuditReport",),
    "assay.verify.audit.system": ("audit_system",),
    "assay.report.bundle": ("open_bundle",),
    "assay.report.displays.calibration": ("ReliabilityDisplay", "ScoresDisplay"),
    "assay.report.displays.curves": ("PrDisplay", "RocDisplay"),
    "assay.report.displays.decisions": (
        "BenefitDisplay",
        "RiskCoverageDisplay",
        "SelectedKDisplay",
    ),
    "assay.report.displays.measures": ("CriteriaDisplay", "CutoffDisplay", "WaterfallDisplay"),
    "assay.report.write": ("write_page", "write_report"),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "Arrays",
    "AssayError",
    "AuditReport",
    "BenefitDisplay",
    "Bootstrap",
    "Comparison",
    "Contract",
    "ContractError",
    "Corpus",
    "CriteriaDisplay",
    "CutoffDisplay",
    "Fault",
    "Finding",
    "InputError",
    "LintReport",
    "MeasureError",
    "NEGateMetrics",
    "Originals",
    "Plan",
    "PrDisplay",
    "Predictions",
    "ReliabilityDisplay",
    "Result",
    "RiskCoverageDisplay",
    "RocDisplay",
    "ScoresDisplay",
    "SelectedKDisplay",
    "Threshold",
    "Value",
    "WaterfallDisplay",
    "__version__",
    "assign_state",
    "audit",
    "audit_system",
    "average_precision_at_k",
    "choose_threshold",
    "compare",
    "compute_k_eff",
    "compute_ndcg_at_k",
    "contract",
    "curves",
    "dual_evaluate",
    "evaluate",
    "evaluate_predictions",
    "evidence_precision_at_selected_k",
    "evidence_recall_at_selected_k",
    "folds",
    "hit_rate_at_k",
    "lint",
    "load",
    "map_at_k",
    "metric",
    "mrr_at_k",
    "mrr_single_query",
    "ndcg_at_k",
    "open_bundle",
    "paper_evaluate",
    "precision_at_k",
    "read_corpus",
    "read_decisions",
    "read_plan",
    "read_predictions",
    "read_trec",
    "recall_at_k",
    "run",
    "split",
    "verify",
    "write_page",
    "write_report",
]


def __getattr__(name: str) -> object:
    """Load a public name from its module."""
    if name not in _HOME:
        raise AttributeError(f"module 'assay' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME])
