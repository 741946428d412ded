"""The commands and their options, and which module serves each."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.checking import add_checks
from assay.cli.making import add_commands
from assay.cli.options import Parser, add_command, add_inputs, add_json, add_rules, given
from assay.cli.unused import (
    BELONGS,
    COMPARE_EXCLUDES,
    EVALUATE,
    EVALUATE_EXCLUDES,
    refuse_unused,
    typed_options,
)
from assay.version import VERSION

if TYPE_CHECKING:
    from assay.cli.options import Commands

ABOUT = "Evaluate systems that retrieve evidence or abstain."


def run(arguments: list[str]) -> None:
    """Parse and call. Modules are loaded by the command that needs them."""
    top = parser()
    options = top.parse_args(arguments)
    options.typed = typed_options(top, options, arguments)
    options.serve(options)


def parser() -> argparse.ArgumentParser:
    """The whole command line."""
    top: argparse.ArgumentParser = Parser("assay", description=ABOUT)
    top.add_argument("--version", action="version", version=f"assay {VERSION}")
    commands = top.add_subparsers(title="commands", required=True, metavar="COMMAND")
    _evaluate(commands)
    _compare(commands)
    add_checks(commands)
    add_commands(commands)
    _contract(commands)
    _metric(commands)
    return top


def _evaluate(commands: Commands) -> None:
    about = "Score predictions against a corpus, or runs against judgements."
    command = add_command(commands, "evaluate", about, _serve_evaluate)
    add = command.add_argument
    add("predictions", nargs="*", type=Path, help="folders of predictions, one a system")
    add_inputs(command)
    add("--decisions", type=Path, metavar="FILE", help="a plain table of labels and probabilities")
    add("--tune", type=Path, metavar="FILE",
        help="queries to choose thresholds on, if the predictions do not bring them")  # fmt: skip
    add("--tune-reused", action="store_false", dest="clean",
        help="TUNE was used for more than thresholds: nothing is called certified")  # fmt: skip
    add("--contract", default="assay/1", metavar="ID|FILE.toml", help="default: %(default)s")
    add("--by", metavar="COLUMN", action="append", default=[],
        help="break down by a column; may be repeated")  # fmt: skip
    add_rules(command, "only these: names of the contract or definition ids; may be repeated")
    add("--ci", metavar="none|fast|N", default="none",
        help="bootstrap intervals: fast is 1000 resamples of posts (default: none)")  # fmt: skip
    add("--seed", type=int, default=0, help="of the resamples (default: %(default)s)")
    add("-o", "--output", type=Path, metavar="DIR",
        help="write a bundle: every number with the tables behind it")  # fmt: skip
    add("--overwrite", action="store_true", help="exchange an existing bundle for the new one")
    add("--no-report", action="store_false", dest="report",
        help="leave out the figures, tables and page that a bundle gets")  # fmt: skip
    add("--per-query", type=Path, metavar="FILE", help="write one row a query (.csv, .parquet)")
    add_json(command)


def _compare(commands: Commands) -> None:
    about = "Compare systems on the same queries: difference, interval and tests by post."
    command = add_command(
        commands,
        "compare",
        about,
        _serve_compare,
        "differences of systems, with intervals and tests",
    )
    add = command.add_argument
    add("predictions", nargs="*", type=Path, help="folders of predictions, two or more")
    add_inputs(command)
    add("--decisions", type=Path, metavar="FILE", nargs="+", action="extend", default=[],
        help="plain tables of labels and probabilities, two or more")  # fmt: skip
    add("--key", metavar="COLUMN",
        help="their column of ids; without it rows are matched by order, and labels and groups "
        "must be the same")  # fmt: skip
    add("--contract", metavar="ID|FILE.toml", action="append", default=[], dest="contracts",
        help="one for all systems, or repeated, one for each (default: assay/1)")  # fmt: skip
    add_rules(command, "the family of measures; by default those that the output names")
    add("--baseline", metavar="NAME", default="first",
        help="system that the others are compared with (default: the first)")  # fmt: skip
    add("--all-pairs", action="store_true", help="each system with each")
    add("--resamples", type=int, default=10_000, metavar="N",
        help="of the interval and of the randomisation test (default: %(default)s)")  # fmt: skip
    add("--seed", type=int, default=0, help="of both (default: %(default)s)")
    add("--correction", default="holm", metavar="holm|bh",
        help="adjusted p of the table (default: %(default)s); the JSON has both")  # fmt: skip
    add("--despite", action="append", default=[], metavar="contract|queries|gold|folds",
        help="compare although these differ; may be repeated")  # fmt: skip
    add_json(command)


def _contract(commands: Commands) -> None:
    about = "contracts: which definition stands behind each name"
    group = commands.add_parser("contract", help=about, description=about.capitalize() + ".")
    actions = group.add_subparsers(required=True, metavar="list | show | diff")
    add_json(add_command(actions, "list", "The shipped contracts.", _contract_list))
    show = add_command(
        actions, "show", "Every name of a contract with its definition.", _contract_show
    )
    show.add_argument("name", metavar="ID|FILE.toml")
    add_json(show)
    diff = add_command(
        actions, "diff", "Where two contracts differ, with both formulas.", _contract_diff
    )
    diff.add_argument("first", metavar="A")
    diff.add_argument("second", metavar="B")
    add_json(diff)


def _metric(commands: Commands) -> None:
    about = "measures: formula, population, edge cases"
    group = commands.add_parser("metric", help=about, description=about.capitalize() + ".")
    actions = group.add_subparsers(required=True, metavar="list | show")
    add_json(add_command(actions, "list", "All measures.", _metric_list))
    show = add_command(actions, "show", "One measure, whole.", _metric_show)
    show.add_argument("name", metavar="NAME", help="such as ndcg, map@10 or a definition id")
    show.add_argument("--contract", metavar="ID|FILE.toml", help="whose name it is")
    add_json(show)


def _serve_evaluate(options: argparse.Namespace) -> None:
    from assay.cli.evaluate import Request, evaluate_command  # noqa: PLC0415

    refuse_unused(options, EVALUATE, EVALUATE_EXCLUDES)
    evaluate_command(Request(**given(options)))


def _serve_compare(options: argparse.Namespace) -> None:
    from assay.cli.compare import Request, compare_command  # noqa: PLC0415

    refuse_unused(options, BELONGS, COMPARE_EXCLUDES)
    compare_command(Request(**given(options)))


def _contract_list(options: argparse.Namespace) -> None:
    from assay.cli.contracts import list_command  # noqa: PLC0415

    list_command(as_json=options.as_json)


def _contract_show(options: argparse.Namespace) -> None:
    from assay.cli.contracts import show_command  # noqa: PLC0415

    show_command(options.name, as_json=options.as_json)


def _contract_diff(options: argparse.Namespace) -> None:
    from assay.cli.contracts import diff_command  # noqa: PLC0415

    diff_command(options.first, options.second, as_json=options.as_json)


def _metric_list(options: argparse.Namespace) -> None:
    from assay.cli.metrics import list_command  # noqa: PLC0415

    list_command(as_json=options.as_json)


def _metric_show(options: argparse.Namespace) -> None:
    from assay.cli.metrics import show_command  # noqa: PLC0415

    show_command(options.name, options.contract, as_json=options.as_json)
