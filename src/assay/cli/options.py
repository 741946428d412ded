"""Options that several commands share, and what was given to one."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import InputError, printable, shown

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]


class Parser(argparse.ArgumentParser):
    """A parser whose messages show what was typed and do not send it to the terminal."""

    def _print_message(self, message: str, file: Any = None) -> None:
        super()._print_message(printable(message or "", keep="\n"), file)


def given(options: argparse.Namespace) -> dict[str, Any]:
    """The options of a command by name; lists as tuples."""
    return {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in vars(options).items()
        if name not in ("serve", "command", "typed")
    }


def add_command(
    commands: Commands,
    name: str,
    about: str,
    serve: Callable[[argparse.Namespace], None],
    short: str = "",
) -> argparse.ArgumentParser:
    """A command: the sentence about it, a shorter one for the list, and what serves it."""
    command = commands.add_parser(name, help=short or about[:-1].lower(), description=about)
    command.set_defaults(serve=serve, command=command)
    return command


def add_inputs(command: argparse.ArgumentParser) -> None:
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


def add_rules(command: argparse.ArgumentParser, measures: str) -> None:
    """Which measures, and what changes the contract."""
    add = command.add_argument
    add("-m", "--measure", metavar="NAME", action="append", default=[], dest="measures",
        help=measures)  # fmt: skip
    add("--k", metavar="1,5,30", help="other cut-offs than the contract's")
    add("--level", type=int, help="grade from which an item is relevant (trec_eval -l)")
    add("--depth", type=int, help="look at this many candidates a query (trec_eval -M)")
    add("--complete", action="store_true", help="mean over all judged queries (trec_eval -c)")


def add_processes(command: argparse.ArgumentParser) -> None:
    """How many folds are worked on at a time."""
    command.add_argument("--processes", type=_whole, default=2, metavar="N",
        help="folds at a time, one thread each (default: %(default)s)")  # fmt: skip


def _whole(text: str) -> int:
    digits = text.isascii() and text.isdecimal() and len(text) <= 18
    if not digits or int(text) < 1:
        raise InputError.of("--processes", f"is {shown(text)}", "expected a whole number from 1")
    return int(text)


def add_json(command: argparse.ArgumentParser) -> None:
    """For machines."""
    command.add_argument("--json", action="store_true", dest="as_json", help="JSON, for machines")
