"""The commands that check and show what there is: bundles, printed figures, systems."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.options import add_command, add_json, given
from assay.cli.originals import add_originals, read_originals
from assay.cli.unused import refuse_beside
from assay.errors import InputError

if TYPE_CHECKING:
    from assay.cli.options import Commands


def add_checks(commands: Commands) -> None:
    """`verify`, `gate`, `audit`, `lint` and `report`."""
    _verify(commands)
    _gate(commands)
    _audit(commands)
    _lint(commands)
    _report(commands)


def _verify(commands: Commands) -> None:
    about = "Recompute every number of a bundle by the second implementation."
    command = add_command(commands, "verify", about, _serve_verify)
    add = command.add_argument
    add("bundle", type=Path, metavar="DIR", help="a bundle, as `assay evaluate -o DIR` writes it")
    add_originals(command)
    add("--draws", type=int, default=200, metavar="N",
        help="resamples that both implementations compute (default: %(default)s)")  # fmt: skip
    add("--all", action="store_true", dest="everything", help="print every number")
    add_json(command)


def _gate(commands: Commands) -> None:
    about = "Judge whether a bundle may be published."
    command = add_command(commands, "gate", about, _serve_gate)
    add = command.add_argument
    add("bundle", type=Path, metavar="DIR", help="a bundle; the verdict is left in its gate.json")
    add_originals(command)
    add("--junit", type=Path, metavar="FILE", help="the checks as JUnit XML, for CI")
    add_json(command)


def _audit(commands: Commands) -> None:
    about = "Look for leaks in a corpus, in predictions of it, in a bundle, or in a pipeline."
    command = add_command(commands, "audit", about, _serve_audit)
    add = command.add_argument
    add("path", nargs="?", type=Path, metavar="CORPUS|BUNDLE|CONFIG.toml",
        help="a folder to look at, or a pipeline to ask again with other gold")  # fmt: skip
    add("--predictions", type=Path, metavar="DIR", help="predictions of the corpus")
    add("--threshold", type=float, default=0.8, metavar="J",
        help="Jaccard similarity from which posts are near-duplicates "
        "(default: %(default)s)")  # fmt: skip
    add("--shuffles", type=int, default=3, metavar="N",
        help="of a pipeline's TRAIN labels (default: %(default)s)")  # fmt: skip
    add("--checks", action="store_true", help="list all checks")
    add_json(command)


def _lint(commands: Commands) -> None:
    about = "Check published results for mutual inconsistency."
    command = add_command(commands, "lint", about, _serve_lint)
    add = command.add_argument
    add("figures", nargs="?", type=Path, metavar="FILE",
        help="CSV, Markdown, LaTeX, JSON, scikit-learn classification_report or trec_eval output; "
        "- reads standard input")  # fmt: skip
    add("--format", choices=("csv", "tsv", "markdown", "json", "latex", "sklearn", "trec_eval"),
        help="format of the file (default: detected)")  # fmt: skip
    add("--n", type=int, help="number of queries")
    add("--positives", type=int, help="number of queries with evidence")
    add("--folds", help="values are means over folds: 5, equal:5, stratified:5, or the "
        "positives/negatives of each fold: 26/264,27/263")  # fmt: skip
    add("--mean-gold", metavar="R", help="mean number of gold items per query with evidence")
    add("--graded", action="store_true", help="judgements have grades; skip rules for binary gold")
    add("--contract", metavar="ID|FILE.toml", help="use the definitions of this contract")
    add("--ignore", metavar="NAME", action="append", default=[],
        help="skip a row or column without listing it; may be repeated")  # fmt: skip
    add("--strict", action="store_true",
        help="fail on unknown rows and columns instead of skipping them")  # fmt: skip
    add("--rules", action="store_true", help="list all rules")
    add_json(command)


def _report(commands: Commands) -> None:
    about = "Write figures, tables and a page from bundles, which are only read."
    command = add_command(
        commands, "report", about, _serve_report, "figures, tables and a page from bundles"
    )
    add = command.add_argument
    add("bundles", nargs="+", type=Path, metavar="DIR",
        help="bundles of `assay evaluate -o`; several make one page")  # fmt: skip
    add("--with-text", type=Path, metavar="CORPUS",
        help="put the texts of this corpus into the page; without it there are none")  # fmt: skip
    add("-o", "--output", type=Path, metavar="FILE",
        help="the page alone, as this file (default: everything, inside the bundle)")  # fmt: skip
    add("--open", action="store_true", dest="open_page", help="show the page in a browser")


def _serve_verify(options: argparse.Namespace) -> None:
    from assay.cli.verify import Request, verify_command  # noqa: PLC0415

    verify_command(
        Request(
            bundle=options.bundle,
            originals=read_originals(options),
            draws=options.draws,
            everything=options.everything,
            as_json=options.as_json,
        )
    )


def _serve_gate(options: argparse.Namespace) -> None:
    from assay.cli.gate import Request, gate_command  # noqa: PLC0415

    gate_command(
        Request(
            bundle=options.bundle,
            originals=read_originals(options),
            junit=options.junit,
            as_json=options.as_json,
        )
    )


def _serve_audit(options: argparse.Namespace) -> None:
    from assay.cli.audit import audit_command, checks_command  # noqa: PLC0415

    if options.checks:
        refuse_beside(options, "checks", ("as_json",))
        checks_command(as_json=options.as_json)
        return
    _refuse_unused_audit(options)
    given = (options.path, options.predictions, options.threshold, options.shuffles)
    audit_command(*given, as_json=options.as_json)


def _refuse_unused_audit(options: argparse.Namespace) -> None:
    """Raise for options that another kind of subject needs."""
    if "shuffles" in options.typed and options.path is not None and options.path.suffix != ".toml":
        problem = "has no effect without a pipeline"
        raise InputError.of("--shuffles", problem, "expected CONFIG.toml to audit")
    if "threshold" in options.typed and options.path is not None:
        from assay.evaluation.bundle.systems import is_bundle  # noqa: PLC0415

        if is_bundle(options.path):
            problem = "has no effect on a bundle, which has no texts"
            raise InputError.of("--threshold", problem, "expected a corpus to audit")


def _serve_lint(options: argparse.Namespace) -> None:
    from assay.cli.lint import Request, lint_command  # noqa: PLC0415

    if options.rules:
        refuse_beside(options, "rules", ("as_json",))
    lint_command(Request(**given(options)))


def _serve_report(options: argparse.Namespace) -> None:
    from assay.cli.report import Request, report_command  # noqa: PLC0415

    bundles = tuple(options.bundles)
    report_command(Request(bundles, options.with_text, options.output, options.open_page))
