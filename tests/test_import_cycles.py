"""Modules import each other one way, also inside functions and under TYPE_CHECKING."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter

import grimp

SUMMARIES, CHECKS = "assay.evaluation.display.summaries", "assay.verification.display.check_summaries"
ALLOWED = {
    ("assay.evaluation.result", "assay.evaluation.bundle.save"),  # the method Result.save
    # what an object shows of itself is drawn by a module that knows the object
    ("assay.evaluation.result", SUMMARIES),
    ("assay.evaluation.result", "assay.evaluation.display.result_document"),
    ("assay.evaluation.comparison.comparison_result", SUMMARIES),
    ("assay.verification.audit.audit_report", CHECKS),
    ("assay.verification.claims.claim_report", CHECKS),
    ("assay.verification.lint.lint_report", CHECKS),
    ("assay.verification.publication_verdict", CHECKS),
    ("assay.verification.recompute.number_findings", CHECKS),
    ("assay.verification.regression.regression_verdict", CHECKS),
}


def test_no_module_imports_itself_through_others() -> None:
    graph = grimp.build_graph("assay", cache_dir=None)
    imports = {
        module: {
            other
            for other in graph.find_modules_directly_imported_by(module)
            if (module, other) not in ALLOWED
        }
        for module in graph.modules
        if module != "assay"  # it loads public names when they are first used
    }
    for module, other in ALLOWED:
        assert other in graph.find_modules_directly_imported_by(module), "an exception not needed"
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        raise AssertionError(" imports ".join(reversed(error.args[1]))) from None
