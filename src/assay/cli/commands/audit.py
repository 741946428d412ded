"""`assay audit`: look for leaks, print what was found, fill in the contract's checklist."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli import shared_options as shared
from assay.cli.options import INPUT, OUTPUT, define_command, option
from assay.cli.render.output import print_json, show
from assay.cli.unused_options import refuse_beside
from assay.errors import InputError

if TYPE_CHECKING:
    from assay.verification.audit.audit_report import AuditReport

OPTIONS = {
    INPUT: (
        option(
            "path CORPUS|BUNDLE|CONFIG.toml",
            "a corpus folder, a bundle, or a pipeline configuration to re-run with altered labels",
            nargs="?",
            type=Path,
        ),
        option("--predictions DIR", "predictions for the corpus, to be audited with it"),
    ),
    "checks": (
        option("--threshold J", "Jaccard similarity from which two posts are near-duplicates", default=0.8),
        option("--shuffles N", "times to re-run a pipeline with shuffled training labels", default=3),
        option("--checks", "list all checks and exit"),
    ),
    OUTPUT: (shared.JSON,),
}
EXAMPLES = ("assay audit corpus/ --predictions predictions/", "assay audit pipeline.toml --shuffles 5")


def define(command: argparse.ArgumentParser) -> None:
    """Describe the command."""
    usage = ("CORPUS|BUNDLE|CONFIG.toml [options]", "--checks")
    define_command(command, run, OPTIONS, usage=usage, examples=EXAMPLES)


def run(options: argparse.Namespace) -> None:
    """Exit with 1 where a leak was found; what is only flagged leaves it at 0."""
    from assay.verification.display.audit_tables import audit_parts, checks_document, checks_table

    if options.checks:
        refuse_beside(options, "checks", ("as_json",))
        if options.as_json:
            print_json(checks_document())
        else:
            show(checks_table())
        return
    _refuse_unused(options)
    report = _report(options)
    if options.as_json:
        print_json(report.to_dict())
    else:
        show(*audit_parts(report))
    if report.leaks:
        sys.exit(1)


def _refuse_unused(options: argparse.Namespace) -> None:
    """Raise for options that another kind of input needs."""
    if options.path is None:
        expected = "expected a corpus, a bundle or a configuration"
        raise InputError.of("audit", "no path was given", expected)
    if "shuffles" in options.typed and options.path.suffix != ".toml":
        problem = "has no effect without a pipeline"
        raise InputError.of("--shuffles", problem, "expected CONFIG.toml to audit")
    if "threshold" in options.typed:
        from assay.evaluation.bundle.bundle_systems import is_bundle

        if is_bundle(options.path):
            problem = "has no effect on a bundle, which has no texts"
            raise InputError.of("--threshold", problem, "expected a corpus to audit")


def _report(options: argparse.Namespace) -> AuditReport:
    if options.path.suffix != ".toml":
        from assay.verification.audit.audit import audit

        return audit(options.path, options.predictions, threshold=options.threshold)
    if options.predictions is not None:
        problem = "is a configuration, and predictions were given"
        raise InputError.of(options.path.name, problem, "a configuration makes its own")
    from assay.verification.audit.system.audit_config import audit_plan

    return audit_plan(options.path, shuffles=options.shuffles, threshold=options.threshold)
