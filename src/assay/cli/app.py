"""The commands and their options, and which module serves each."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from assay import __version__

ABOUT = "Evaluate systems that retrieve evidence or abstain."


def run(arguments: list[str]) -> None:
    """Parse and call. Modules are loaded by the command that needs them."""
    options = parser().parse_args(arguments)
    options.serve(options)


def parser() -> argparse.ArgumentParser:
    """The whole command line."""
    top = argparse.ArgumentParser("assay", description=ABOUT)
    top.add_argument("--version", action="version", version=f"assay {__version__}")
    commands = top.add_subparsers(title="commands", required=True, metavar="COMMAND")
    _evaluate(commands)
    demo = commands.add_parser("demo", help="evaluate the example that the package carries")
    demo.set_defaults(serve=_demo)
    _contract(commands)
    _metric(commands)
    _lint(commands)
    return top


def _evaluate(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    about = "Score predictions against a corpus, or runs against judgements."
    command = commands.add_parser("evaluate", help=about[:-1].lower(), description=about)
    command.set_defaults(serve=_serve_evaluate)
    add = command.add_argument
    add("predictions", nargs="*", type=Path, help="folders of predictions, one a system")
    add("--corpus", type=Path, metavar="DIR", help="folder of the corpus they answer")
    add("--qrels", type=Path, metavar="FILE", help="plain IR: judgements (TREC, BEIR, Parquet)")
    add("--run", type=Path, metavar="FILE", nargs="+", action="extend", default=[], dest="runs",
        help="plain IR: runs (TREC, Parquet), one or more")  # fmt: skip
    add("--decisions", type=Path, metavar="FILE", help="a plain table of labels and probabilities")
    add("--prob", metavar="COLUMN", default="prob", help="its column of probabilities")
    add("--label", metavar="COLUMN", default="label", help="its column of labels, 0 or 1")
    add("--group", metavar="COLUMN", help="its column of units that belong together")
    add("--contract", default="assay/1", metavar="ID|FILE.toml", help="default: %(default)s")
    add("--by", metavar="COLUMN", action="append", default=[],
        help="break down by a column; may be repeated")  # fmt: skip
    add("-m", "--measure", metavar="NAME", action="append", default=[], dest="measures",
        help="only these: names of the contract or definition ids; may be repeated")  # fmt: skip
    add("--k", metavar="1,5,30", help="other cut-offs than the contract's")
    add("--level", type=int, help="grade from which an item is relevant (trec_eval -l)")
    add("--depth", type=int, help="look at this many candidates a query (trec_eval -M)")
    add("--complete", action="store_true", help="mean over all judged queries (trec_eval -c)")
    add("--split", metavar="NAME", help="only judgements of this split")
    add("--ci", metavar="none|fast|N", default="none",
        help="bootstrap intervals: fast is 1000 resamples of posts (default: none)")  # fmt: skip
    add("--seed", type=int, default=0, help="of the resamples (default: %(default)s)")
    add("--per-query", type=Path, metavar="FILE", help="write one row a query (.csv, .parquet)")
    _json(command)


def _contract(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    about = "contracts: which definition stands behind each name"
    group = commands.add_parser("contract", help=about, description=about.capitalize() + ".")
    actions = group.add_subparsers(required=True, metavar="list | show | diff")
    _json(_action(actions, "list", "the shipped contracts", _contract_list))
    show = _action(actions, "show", "every name of a contract with its definition", _contract_show)
    show.add_argument("name", metavar="ID|FILE.toml")
    _json(show)
    diff = _action(
        actions, "diff", "where two contracts differ, with both formulas", _contract_diff
    )
    diff.add_argument("first", metavar="A")
    diff.add_argument("second", metavar="B")
    _json(diff)


def _metric(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    about = "measures: formula, population, edge cases"
    group = commands.add_parser("metric", help=about, description=about.capitalize() + ".")
    actions = group.add_subparsers(required=True, metavar="list | show")
    _json(_action(actions, "list", "all measures", _metric_list))
    show = _action(actions, "show", "one measure, whole", _metric_show)
    show.add_argument("name", metavar="NAME", help="such as ndcg, map@10 or a definition id")
    show.add_argument("--contract", metavar="ID|FILE.toml", help="whose name it is")
    _json(show)


def _lint(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    about = "Find published figures that cannot stand together."
    command = commands.add_parser("lint", help=about[:-1].lower(), description=about)
    command.set_defaults(serve=_serve_lint)
    add = command.add_argument
    add("figures", nargs="?", type=Path, metavar="FIGURES", help="CSV, Markdown or JSON")
    add("--n", type=int, help="number of queries")
    add("--positives", type=int, help="number of queries with evidence")
    add("--folds", help="5, equal:5, stratified:5, or positives/negatives of each: 26/264,27/263")
    add("--mean-gold", metavar="R", help="mean number of gold items of a query with evidence")
    add("--graded", action="store_true", help="gold has grades: leave out what needs binary gold")
    add("--contract", metavar="ID|FILE.toml", help="fixes definitions that names leave open")
    add("--ignore", metavar="NAME", action="append", default=[],
        help="a row or column that is no measure; may be repeated")  # fmt: skip
    add("--rules", action="store_true", help="list all rules")
    _json(command)


def _action(
    actions: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    about: str,
    serve: Callable[[argparse.Namespace], None],
) -> argparse.ArgumentParser:
    command = actions.add_parser(name, help=about, description=about.capitalize() + ".")
    command.set_defaults(serve=serve)
    return command


def _json(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", dest="as_json", help="JSON, for machines")


def _serve_evaluate(options: argparse.Namespace) -> None:
    from assay.cli.evaluate import Request, evaluate_command  # noqa: PLC0415

    given = {name: value for name, value in vars(options).items() if name != "serve"}
    for name in ("predictions", "runs", "by", "measures"):
        given[name] = tuple(given[name])
    evaluate_command(Request(**given))


def _serve_lint(options: argparse.Namespace) -> None:
    from assay.cli.lint import Request, lint_command  # noqa: PLC0415

    given = {name: value for name, value in vars(options).items() if name != "serve"}
    lint_command(Request(**{**given, "ignore": tuple(given["ignore"])}))


def _demo(_: argparse.Namespace) -> None:
    from assay.cli.demo import demo_command  # noqa: PLC0415

    demo_command()


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
