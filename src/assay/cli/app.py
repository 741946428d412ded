"""The commands and their options, and which module serves each."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from assay.cli.making import add_commands
from assay.version import VERSION

ABOUT = "Evaluate systems that retrieve evidence or abstain."


def run(arguments: list[str]) -> None:
    """Parse and call. Modules are loaded by the command that needs them."""
    options = parser().parse_args(arguments)
    options.serve(options)


def parser() -> argparse.ArgumentParser:
    """The whole command line."""
    top = argparse.ArgumentParser("assay", description=ABOUT)
    top.add_argument("--version", action="version", version=f"assay {VERSION}")
    commands = top.add_subparsers(title="commands", required=True, metavar="COMMAND")
    _evaluate(commands)
    _compare(commands)
    _verify(commands)
    _gate(commands)
    _audit(commands)
    add_commands(commands)
    _report(commands)
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
    _inputs(command)
    add("--decisions", type=Path, metavar="FILE", help="a plain table of labels and probabilities")
    add("--tune", type=Path, metavar="FILE",
        help="queries to choose thresholds on, if the predictions do not bring them")  # fmt: skip
    add("--tune-reused", action="store_false", dest="clean",
        help="TUNE was used for more than thresholds: nothing is called certified")  # fmt: skip
    add("--contract", default="assay/1", metavar="ID|FILE.toml", help="default: %(default)s")
    add("--by", metavar="COLUMN", action="append", default=[],
        help="break down by a column; may be repeated")  # fmt: skip
    _rules(command, "only these: names of the contract or definition ids; may be repeated")
    add("--ci", metavar="none|fast|N", default="none",
        help="bootstrap intervals: fast is 1000 resamples of posts (default: none)")  # fmt: skip
    add("--seed", type=int, default=0, help="of the resamples (default: %(default)s)")
    add("-o", "--output", type=Path, metavar="DIR",
        help="write a bundle: every number with the tables behind it")  # fmt: skip
    add("--overwrite", action="store_true", help="exchange an existing bundle for the new one")
    add("--no-report", action="store_false", dest="report",
        help="leave out the figures, tables and page that a bundle gets")  # fmt: skip
    add("--per-query", type=Path, metavar="FILE", help="write one row a query (.csv, .parquet)")
    _json(command)


def _compare(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    about = "Compare systems on the same queries: difference, interval and tests by post."
    command = commands.add_parser(
        "compare", help="differences of systems, with intervals and tests", description=about
    )
    command.set_defaults(serve=_serve_compare)
    add = command.add_argument
    add("predictions", nargs="*", type=Path, help="folders of predictions, two or more")
    _inputs(command)
    add("--decisions", type=Path, metavar="FILE", nargs="+", action="extend", default=[],
        help="plain tables of labels and probabilities, two or more")  # fmt: skip
    add("--key", metavar="COLUMN",
        help="their column of ids; without it rows are matched by order, and labels and groups "
        "must be the same")  # fmt: skip
    add("--contract", metavar="ID|FILE.toml", action="append", default=[], dest="contracts",
        help="one for all systems, or repeated, one for each (default: assay/1)")  # fmt: skip
    _rules(command, "the family of measures; by default those that the output names")
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
    _json(command)


def _verify(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    about = "Recompute every number of a bundle by the second implementation."
    command = commands.add_parser("verify", help=about[:-1].lower(), description=about)
    command.set_defaults(serve=_serve_verify)
    add = command.add_argument
    add("bundle", type=Path, metavar="DIR", help="a bundle, as `assay evaluate -o DIR` writes it")
    add("--predictions", type=Path, metavar="DIR",
        help="start from the original files, too: predictions with --corpus")  # fmt: skip
    _inputs(command)
    add("--decisions", type=Path, metavar="FILE", help="a plain table of labels and probabilities")
    add("--tune", type=Path, metavar="FILE", help="queries that thresholds were chosen on")
    add("--draws", type=int, default=200, metavar="N",
        help="resamples that both implementations compute (default: %(default)s)")  # fmt: skip
    add("--all", action="store_true", dest="everything", help="print every number")
    _json(command)


def _gate(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    about = "Judge whether a bundle may be published."
    command = commands.add_parser("gate", help=about[:-1].lower(), description=about)
    command.set_defaults(serve=_serve_gate)
    add = command.add_argument
    add("bundle", type=Path, metavar="DIR", help="a bundle; the verdict is left in its gate.json")
    add("--junit", type=Path, metavar="FILE", help="the checks as JUnit XML, for CI")
    _json(command)


def _audit(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    about = "Look for leaks in a corpus, in predictions of it, in a bundle, or in a pipeline."
    command = commands.add_parser("audit", help=about[:-1].lower(), description=about)
    command.set_defaults(serve=_serve_audit)
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
    _json(command)


def _report(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    about = "Write figures, tables and a page from bundles, which are only read."
    command = commands.add_parser(
        "report", help="figures, tables and a page from bundles", description=about
    )
    command.set_defaults(serve=_serve_report)
    add = command.add_argument
    add("bundles", nargs="+", type=Path, metavar="DIR",
        help="bundles of `assay evaluate -o`; several make one page")  # fmt: skip
    add("--with-text", type=Path, metavar="CORPUS",
        help="put the texts of this corpus into the page; without it there are none")  # fmt: skip
    add("-o", "--output", type=Path, metavar="FILE",
        help="the page alone, as this file (default: everything, inside the bundle)")  # fmt: skip
    add("--open", action="store_true", dest="open_page", help="show the page in a browser")


def _inputs(command: argparse.ArgumentParser) -> None:
    """What is read: the same for every command that scores systems."""
    add = command.add_argument
    add("--corpus", type=Path, metavar="DIR", help="folder of the corpus they answer")
    add("--qrels", type=Path, metavar="FILE", help="plain IR: judgements (TREC, BEIR, Parquet)")
    add("--run", type=Path, metavar="FILE", nargs="+", action="extend", default=[], dest="runs",
        help="plain IR: runs (TREC, Parquet), one or more")  # fmt: skip
    add("--split", metavar="NAME", help="only judgements of this split")
    add("--prob", metavar="COLUMN", default="prob", help="column of probabilities of --decisions")
    add("--label", metavar="COLUMN", default="label", help="its column of labels, 0 or 1")
    add("--group", metavar="COLUMN", help="its column of units that belong together")
    add("--fold", metavar="COLUMN", help="column of outer folds of --decisions")


def _rules(command: argparse.ArgumentParser, measures: str) -> None:
    """Which measures, and what changes the contract."""
    add = command.add_argument
    add("-m", "--measure", metavar="NAME", action="append", default=[], dest="measures",
        help=measures)  # fmt: skip
    add("--k", metavar="1,5,30", help="other cut-offs than the contract's")
    add("--level", type=int, help="grade from which an item is relevant (trec_eval -l)")
    add("--depth", type=int, help="look at this many candidates a query (trec_eval -M)")
    add("--complete", action="store_true", help="mean over all judged queries (trec_eval -c)")


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


def _serve_compare(options: argparse.Namespace) -> None:
    from assay.cli.compare import Request, compare_command  # noqa: PLC0415

    given = {name: value for name, value in vars(options).items() if name != "serve"}
    for name in ("predictions", "runs", "decisions", "contracts", "measures", "despite"):
        given[name] = tuple(given[name])
    compare_command(Request(**given))


def _serve_verify(options: argparse.Namespace) -> None:
    from assay.cli.verify import Request, verify_command  # noqa: PLC0415

    given = {name: value for name, value in vars(options).items() if name != "serve"}
    verify_command(Request(**{**given, "runs": tuple(given["runs"])}))


def _serve_lint(options: argparse.Namespace) -> None:
    from assay.cli.lint import Request, lint_command  # noqa: PLC0415

    given = {name: value for name, value in vars(options).items() if name != "serve"}
    lint_command(Request(**{**given, "ignore": tuple(given["ignore"])}))


def _serve_gate(options: argparse.Namespace) -> None:
    from assay.cli.gate import Request, gate_command  # noqa: PLC0415

    given = {name: value for name, value in vars(options).items() if name != "serve"}
    gate_command(Request(**given))


def _serve_audit(options: argparse.Namespace) -> None:
    from assay.cli.audit import audit_command, checks_command  # noqa: PLC0415

    if options.checks:
        checks_command(as_json=options.as_json)
        return
    given = (options.path, options.predictions, options.threshold, options.shuffles)
    audit_command(*given, as_json=options.as_json)


def _serve_report(options: argparse.Namespace) -> None:
    from assay.cli.report import Request, report_command  # noqa: PLC0415

    bundles = tuple(options.bundles)
    report_command(Request(bundles, options.with_text, options.output, options.open_page))


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
