"""The commands, each with its summary; a command's own module defines its options."""

from __future__ import annotations

import argparse
from collections.abc import Collection
from importlib import import_module

from assay.cli.options import Parser, add_command
from assay.cli.unused_options import typed_options
from assay.version import VERSION

ABOUT = "Evaluate systems that retrieve evidence or abstain."
HINTS = """terms:
  corpus      posts with their sentences, criteria, and the gold evidence
  predictions a system's ranked sentences, and optionally its decisions
  contract    a file that maps measure names to exact definitions
  bundle      a result with everything needed to recompute it
  TUNE        labelled queries on which thresholds are chosen
  docs/data-formats.md describes the files.

examples:
  assay demo
  assay evaluate predictions/ --corpus corpus/ -o bundle/
  assay evaluate --qrels qrels.txt --run run.txt -m ndcg@10 -m map@10
  assay evaluate --help"""
COMMANDS = {
    "evaluate": "compute the measures of one or more systems",
    "compare": "compare systems: differences, intervals and significance tests",
    "show": "show the measures, worst queries or one query of a bundle",
    "report": "write the figures, tables and HTML page of a bundle",
    "verify": "recompute every number of a bundle with a second implementation",
    "gate": "check whether a bundle may be published, or is worse than another",
    "audit": "check for data leakage in a corpus, a bundle or a pipeline",
    "lint": "check published results for mutual inconsistency",
    "run": "run a pipeline with nested cross-validation and evaluate it",
    "ablate": "measure what each stage of a pipeline contributes",
    "synth": "write a synthetic corpus",
    "import": "convert a data set in another format to a corpus",
    "demo": "evaluate the example that comes with assay",
    "contract": "show which definition each measure name resolves to",
    "metric": "show the formula, population and edge cases of measures",
    "completion": "print a script that completes commands and options in a shell",
}
MODULES = {
    "import": "assay.cli.commands.import_corpus",
    "completion": "assay.cli.completion.completion_command",
}
"""Modules that are not `commands/` and the name of their command."""


def run(arguments: list[str]) -> None:
    """Parse the command line and call the command; no other command's module is loaded."""
    top = _parser_for(arguments)
    options = top.parse_args(arguments)
    options.typed = typed_options(top, options, arguments)
    options.serve(options)


def _parser_for(arguments: list[str]) -> argparse.ArgumentParser:
    """Return a parser of these arguments: of one command where that comes first, else of all of them.

    What does not begin with a command ends in a message or help that lists all. A parser of each takes
    7 ms of CPU (medians of 15), and a command that reads TREC text 190 ms.
    """
    first = arguments[0] if arguments else ""
    if first in COMMANDS:
        return parser([first], [first])
    return parser([name for name in COMMANDS if name in arguments])


def parser(
    names: Collection[str] = tuple(COMMANDS), listed: Collection[str] = tuple(COMMANDS)
) -> argparse.ArgumentParser:
    """Return the parser of the listed commands, with the options of the named ones."""
    top: argparse.ArgumentParser = Parser(
        "assay", description=ABOUT, epilog=HINTS, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    top.add_argument("--version", action="version", version=f"assay {VERSION}")
    commands = top.add_subparsers(title="commands", required=True, metavar="COMMAND", prog=top.prog)
    for name in listed:
        command = add_command(commands, name, COMMANDS[name])
        if name in names:
            module = import_module(MODULES.get(name, f"assay.cli.commands.{name}"))
            module.define(command)
    return top
