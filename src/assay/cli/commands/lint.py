"""`assay lint`: check published results for mutual inconsistency."""

from __future__ import annotations

import argparse
import sys

from assay.cli import shared_options as shared
from assay.cli.options import DEFINITIONS, INPUT, OUTPUT, REPEATED, define_command, option
from assay.cli.render.output import print_json, show
from assay.cli.unused_options import refuse_beside
from assay.errors import InputError

FORMATS = ("csv", "tsv", "markdown", "json", "latex", "html", "sklearn", "text", "trec_eval")
OPTIONS = {
    INPUT: (
        option(
            "figures FILE",
            "results as CSV, Markdown, LaTeX, JSON, scikit-learn classification_report or "
            "trec_eval output; - reads standard input",
            nargs="?",
        ),
        option(
            "--format FORMAT",
            f"format of the file: {', '.join(FORMATS)} (default: detected)",
            choices=FORMATS,
        ),
        option("--ignore NAME", "skip a row or column without listing it; repeatable", **REPEATED),
        option("--strict", "fail on unknown rows and columns instead of skipping them"),
    ),
    "facts about the data\nMore facts allow more checks.": (
        option("--n N", "number of queries"),
        option("--positives N", "number of queries with evidence"),
        option(
            "--folds FOLDS",
            "values are means over folds: 5, equal:5, stratified:5, or the positives/negatives of "
            "each fold: 26/264,27/263",
        ),
        option("--mean-gold R", "mean number of gold items per query with evidence"),
        option("--graded", "judgements have grades; skip rules for binary gold"),
    ),
    DEFINITIONS: (
        option("--contract ID|FILE.toml", "use the definitions of this contract"),
        option("--rules", "list all rules and exit"),
    ),
    OUTPUT: (shared.JSON,),
}
EXAMPLES = ("assay lint results.csv --n 14770 --positives 1379", "assay lint paper.tex --folds 5 --strict")


def define(command: argparse.ArgumentParser) -> None:
    """Describe the command."""
    usage = ("FILE [options]", "--rules")
    define_command(command, run, OPTIONS, usage=usage, examples=EXAMPLES)


def run(options: argparse.Namespace) -> None:
    """Read, check and print; exit with 1 if something is impossible."""
    from assay.verification.display.lint_tables import lint_parts, rules_document, rules_parts
    from assay.verification.lint.lint import lint

    if options.rules:
        refuse_beside(options, "rules", ("as_json",))
        if options.as_json:
            print_json(rules_document())
        else:
            show(*rules_parts())
        return
    if options.figures is None:
        expected = "expected FILE, - for standard input, or --rules"
        raise InputError.of("lint", "no file given", expected)
    report = lint(
        sys.stdin.buffer if str(options.figures) == "-" else options.figures,
        n=options.n,
        positives=options.positives,
        folds=options.folds,
        mean_gold=options.mean_gold,
        graded=options.graded,
        contract=options.contract,
        ignore=tuple(options.ignore),
        strict=options.strict,
        format=options.format,
    )
    if options.as_json:
        print_json(report.to_dict())
    else:
        show(*lint_parts(report))
    if report.exit_code:
        sys.exit(report.exit_code)
