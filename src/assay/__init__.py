"""assay evaluates systems that retrieve evidence or abstain.

>>> import assay
>>> result = assay.evaluate("predictions", "corpus")            # doctest: +SKIP
>>> print(f"{result['ndcg@10']:.3f}")                           # doctest: +SKIP

Names are loaded when they are first used, so that `import assay` costs next to nothing.
"""

from __future__ import annotations

import gc
from importlib import import_module
from typing import TYPE_CHECKING

from assay import forked as forked  # it must be here before the process forks
from assay.version import VERSION

if TYPE_CHECKING:
    from assay import compat as compat
    from assay.contracts.contract import Contract
    from assay.contracts.contract_toml import contract
    from assay.data.arrays import Arrays
    from assay.data.corpus import Corpus, read_corpus
    from assay.data.label_table import LabelTable, read_decisions
    from assay.data.logs.log import Log, read_log
    from assay.data.predictions import Predictions, read_predictions
    from assay.data.readers.qrels_and_runs import read_trec
    from assay.data.runs import JudgedRun
    from assay.data.splits import folds, split
    from assay.data.tasks.read_task import read_task
    from assay.data.tasks.task_input import TaskInput
    from assay.errors import AssayError, ContractError, Fault, InputError, MeasureError
    from assay.evaluation.bundle.load import load
    from assay.evaluation.comparison.compare import compare
    from assay.evaluation.comparison.comparison_result import Comparison, Difference
    from assay.evaluation.evaluate import evaluate
    from assay.evaluation.intervals.bootstrap_plan import Bootstrap
    from assay.evaluation.intervals.curve_bands import Curves, curves
    from assay.evaluation.result import Result, Value
    from assay.evaluation.thresholds.tune_thresholds import Threshold, choose_threshold
    from assay.example import example_path
    from assay.experiment.ablation.ablate import Ablation, ablate
    from assay.experiment.ablation.criterion_effect import CriterionEffect, criterion_effect
    from assay.experiment.ablation.learning_curve import LearningCurve, learning_curve
    from assay.experiment.ablation.seed_spread import SeedSpread, seed_spread
    from assay.experiment.run import Outcome, run
    from assay.metrics.core.define import define_measure
    from assay.metrics.core.entry import Metric
    from assay.metrics.core.registry import metric
    from assay.pipeline.explanations.explanation import Explanation
    from assay.pipeline.run_config import Plan, read_plan
    from assay.pipeline.settings import Settings, setting
    from assay.pipeline.stage import Pipeline, Stage
    from assay.pipeline.stage_declaration import Learns
    from assay.pipeline.views import Labelled, Unlabelled
    from assay.report.figures.ablation_figure import WaterfallDisplay
    from assay.report.figures.difference_figure import DifferencesDisplay
    from assay.report.figures.measure_figures import (
        CriteriaDisplay,
        CutoffDisplay,
        InterpolatedPrecisionDisplay,
    )
    from assay.report.figures.reliability import ReliabilityDisplay
    from assay.report.figures.roc_and_pr import PrDisplay, RocDisplay
    from assay.report.figures.score_histogram import ScoresDisplay
    from assay.report.figures.selection_and_risk import BenefitDisplay, RiskCoverageDisplay, SelectedKDisplay
    from assay.report.report_folder import write_page, write_report
    from assay.verification.audit.audit import audit
    from assay.verification.audit.audit_report import AuditReport
    from assay.verification.audit.system.audit_system import audit_system
    from assay.verification.claims.claim_report import Claim, ClaimReport
    from assay.verification.claims.verify_claims import verify_claims
    from assay.verification.lint.lint import lint
    from assay.verification.lint.lint_report import LintReport
    from assay.verification.lint.rule import LintFinding
    from assay.verification.publication_gate import publication_gate
    from assay.verification.publication_verdict import PublicationVerdict
    from assay.verification.recompute.number_findings import Verification
    from assay.verification.recompute.original_inputs import Originals
    from assay.verification.recompute.verify import verify
    from assay.verification.regression.regression_gate import regression_gate
    from assay.verification.regression.regression_verdict import RegressionVerdict

__version__ = VERSION

_HOMES = {
    "assay.contracts.contract": ("Contract",),
    "assay.contracts.contract_toml": ("contract",),
    "assay.data.arrays": ("Arrays",),
    "assay.data.corpus": ("Corpus", "read_corpus"),
    "assay.data.label_table": ("LabelTable", "read_decisions"),
    "assay.data.logs.log": ("Log", "read_log"),
    "assay.data.predictions": ("Predictions", "read_predictions"),
    "assay.data.readers.qrels_and_runs": ("read_trec",),
    "assay.data.runs": ("JudgedRun",),
    "assay.data.splits": ("folds", "split"),
    "assay.data.tasks.read_task": ("read_task",),
    "assay.data.tasks.task_input": ("TaskInput",),
    "assay.errors": ("AssayError", "ContractError", "Fault", "InputError", "MeasureError"),
    "assay.evaluation.bundle.load": ("load",),
    "assay.evaluation.comparison.compare": ("compare",),
    "assay.evaluation.comparison.comparison_result": ("Comparison", "Difference"),
    "assay.evaluation.evaluate": ("evaluate",),
    "assay.evaluation.intervals.bootstrap_plan": ("Bootstrap",),
    "assay.evaluation.intervals.curve_bands": ("Curves", "curves"),
    "assay.evaluation.result": ("Result", "Value"),
    "assay.evaluation.thresholds.tune_thresholds": ("Threshold", "choose_threshold"),
    "assay.example": ("example_path",),
    "assay.experiment.ablation.ablate": ("Ablation", "ablate"),
    "assay.experiment.ablation.criterion_effect": ("CriterionEffect", "criterion_effect"),
    "assay.experiment.ablation.learning_curve": ("LearningCurve", "learning_curve"),
    "assay.experiment.ablation.seed_spread": ("SeedSpread", "seed_spread"),
    "assay.experiment.run": ("Outcome", "run"),
    "assay.metrics.core.define": ("define_measure",),
    "assay.metrics.core.entry": ("Metric",),
    "assay.metrics.core.registry": ("metric",),
    "assay.pipeline.explanations.explanation": ("Explanation",),
    "assay.pipeline.run_config": ("Plan", "read_plan"),
    "assay.pipeline.settings": ("Settings", "setting"),
    "assay.pipeline.stage": ("Pipeline", "Stage"),
    "assay.pipeline.stage_declaration": ("Learns",),
    "assay.pipeline.views": ("Labelled", "Unlabelled"),
    "assay.report.figures.ablation_figure": ("WaterfallDisplay",),
    "assay.report.figures.difference_figure": ("DifferencesDisplay",),
    "assay.report.figures.measure_figures": (
        "CriteriaDisplay",
        "CutoffDisplay",
        "InterpolatedPrecisionDisplay",
    ),
    "assay.report.figures.reliability": ("ReliabilityDisplay",),
    "assay.report.figures.score_histogram": ("ScoresDisplay",),
    "assay.report.figures.roc_and_pr": ("PrDisplay", "RocDisplay"),
    "assay.report.figures.selection_and_risk": ("BenefitDisplay", "RiskCoverageDisplay", "SelectedKDisplay"),
    "assay.report.report_folder": ("write_page", "write_report"),
    "assay.verification.audit.audit": ("audit",),
    "assay.verification.audit.audit_report": ("AuditReport",),
    "assay.verification.audit.system.audit_system": ("audit_system",),
    "assay.verification.claims.claim_report": ("Claim", "ClaimReport"),
    "assay.verification.claims.verify_claims": ("verify_claims",),
    "assay.verification.lint.lint": ("lint",),
    "assay.verification.lint.lint_report": ("LintReport",),
    "assay.verification.lint.rule": ("LintFinding",),
    "assay.verification.publication_gate": ("publication_gate",),
    "assay.verification.publication_verdict": ("PublicationVerdict",),
    "assay.verification.recompute.number_findings": ("Verification",),
    "assay.verification.recompute.original_inputs": ("Originals",),
    "assay.verification.recompute.verify": ("verify",),
    "assay.verification.regression.regression_gate": ("regression_gate",),
    "assay.verification.regression.regression_verdict": ("RegressionVerdict",),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "Ablation",
    "Arrays",
    "AssayError",
    "AuditReport",
    "BenefitDisplay",
    "Bootstrap",
    "Claim",
    "ClaimReport",
    "Comparison",
    "Contract",
    "ContractError",
    "Corpus",
    "CriteriaDisplay",
    "CriterionEffect",
    "Curves",
    "CutoffDisplay",
    "Difference",
    "DifferencesDisplay",
    "Explanation",
    "Fault",
    "InputError",
    "InterpolatedPrecisionDisplay",
    "JudgedRun",
    "LabelTable",
    "Labelled",
    "LearningCurve",
    "Learns",
    "LintFinding",
    "LintReport",
    "Log",
    "MeasureError",
    "Metric",
    "Originals",
    "Outcome",
    "Pipeline",
    "Plan",
    "PrDisplay",
    "Predictions",
    "PublicationVerdict",
    "RegressionVerdict",
    "ReliabilityDisplay",
    "Result",
    "RiskCoverageDisplay",
    "RocDisplay",
    "ScoresDisplay",
    "SeedSpread",
    "SelectedKDisplay",
    "Settings",
    "Stage",
    "TaskInput",
    "Threshold",
    "Unlabelled",
    "Value",
    "Verification",
    "WaterfallDisplay",
    "__version__",
    "ablate",
    "audit",
    "audit_system",
    "choose_threshold",
    "compare",
    "contract",
    "criterion_effect",
    "curves",
    "define_measure",
    "evaluate",
    "example_path",
    "folds",
    "learning_curve",
    "lint",
    "load",
    "metric",
    "publication_gate",
    "read_corpus",
    "read_decisions",
    "read_log",
    "read_plan",
    "read_predictions",
    "read_task",
    "read_trec",
    "regression_gate",
    "run",
    "seed_spread",
    "setting",
    "split",
    "verify",
    "verify_claims",
    "write_page",
    "write_report",
]


def __getattr__(name: str) -> object:
    """Load a public name from its module."""
    if name == "compat":
        return import_module("assay.compat")
    if name not in _HOME:
        raise AttributeError(f"module 'assay' has no attribute {name!r}")
    collects = gc.isenabled()
    gc.disable()  # what is imported stays: looking for garbage among it takes longer than some imports
    try:
        value = getattr(import_module(_HOME[name]), name)
    finally:
        if collects:
            gc.enable()
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, "compat", *(name for name in globals() if name.startswith("__"))})
