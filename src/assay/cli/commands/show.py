"""`assay show`: what a bundle says: its measures, its worst queries, one query, a breakdown."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING

from assay.cli import shared_options as shared
from assay.cli.options import INPUT, OUTPUT, define_command, from_one, option
from assay.cli.render.output import print_json, show
from assay.cli.unused_options import Needs, refuse_unused
from assay.errors import InputError

if TYPE_CHECKING:
    from assay.evaluation.result import Result
    from assay.report.report_bundle import Bundle

OPTIONS = {
    INPUT: (shared.BUNDLE,),
    "what to show (default: the measures)": (
        option("--worst N", "the N queries with the worst values", type=from_one("--worst")),
        shared.MEASURES.but(help="only these measures, separated by commas; --worst sorts by the first"),
        option("--query ID", "one query: post/criterion, or the id of a plain query"),
        option("--by COLUMN", "each value of a column that the bundle was broken down by, such as criterion"),
        option(
            "--with-text CORPUS",
            "with --query: show the sentences of this corpus; without it no post text is shown",
        ),
    ),
    OUTPUT: (shared.JSON,),
}
EXAMPLES = (
    "assay show bundle/",
    "assay show bundle/ --worst 5 --measure ndcg@10",
    "assay show bundle/ --query p01/sleep",
    "assay show bundle/ --by criterion",
)
ALONE = ("worst", "query", "by")
NEEDS: Needs = {"with_text": ("query",)}
EXCLUDES: Needs = {name: tuple(each for each in ALONE if each != name) for name in ALONE} | {
    "measures": ("query",)
}


def define(command: argparse.ArgumentParser) -> None:
    """Describe the command."""
    define_command(command, run, OPTIONS, usage=("BUNDLE [options]",), examples=EXAMPLES)


def run(options: argparse.Namespace) -> None:
    """Read the bundle, whose hashes must match, and show one aspect of it."""
    from assay.report.report_bundle import report_bundle

    refuse_unused(options, NEEDS, EXCLUDES)
    bundle = report_bundle(options.bundle)
    if options.worst is not None:
        _worst(options, bundle)
    elif options.query is not None:
        _query(options, bundle)
    elif options.by is not None:
        _by(options, _restricted(bundle.result, options.measures))
    else:
        _measures(options, _restricted(bundle.result, options.measures))


def _restricted(result: Result, names: list[str]) -> Result:
    """Return the result with these measures only, or all of them."""
    from dataclasses import replace

    return replace(result, measures=tuple(result[name] for name in names)) if names else result


def _measures(options: argparse.Namespace, result: Result) -> None:
    if options.as_json:
        print_json(result.to_dict())
        return
    from assay.evaluation.display.result_text import result_parts

    show(*result_parts(result, result.contract))


def _by(options: argparse.Namespace, result: Result) -> None:
    from assay.evaluation.display.breakdown_tables import breakdown

    column = next((name for name in (options.by, f"{options.by}_id") if name in result.groups), None)
    if column is None:
        has = f"it has {', '.join(result.groups)}; " if result.groups else ""
        expected = f"{has}evaluate again with --by {options.by} -o DIR"
        raise InputError.of("--by", f"this bundle has no breakdown by {options.by}", expected)
    if options.as_json:
        rows = {
            label: {value.name: asdict(row[value.name]) for value in result.measures}
            for label, row in result.groups[column].items()
        }
        print_json({"system": result.system, "contract": result.contract.id, "by": column, "groups": rows})
        return
    show(*breakdown(result, column, result.contract))


def _worst(options: argparse.Namespace, bundle: Bundle) -> None:
    from assay.cli.render.query_tables import view_document, worst_parts
    from assay.report.bundle_queries import value_columns, worst_queries

    measures = value_columns(bundle, options.measures)
    views, known = worst_queries(bundle, measures[0], options.worst)
    if options.as_json:
        facts = {
            "measure": measures[0].name,
            "definition": measures[0].definition,
            "queries_with_value": known,
        }
        print_json({**facts, "queries": [view_document(each, None) for each in views]})
        return
    show(*worst_parts(views, measures, known))


def _query(options: argparse.Namespace, bundle: Bundle) -> None:
    from assay.cli.render.query_tables import query_parts, view_document
    from assay.report.bundle_queries import query_view
    from assay.report.page.post_text import read_texts

    texts = None if options.with_text is None else read_texts(options.with_text, [bundle])
    view = query_view(bundle, options.query)
    if options.as_json:
        print_json(view_document(view, texts))
        return
    show(*query_parts(bundle, view, texts))
