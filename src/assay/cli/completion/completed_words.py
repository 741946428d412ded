"""What can be typed where: commands, their options, and the values of these."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import NamedTuple

from assay.cli.app import parser
from assay.contracts.contract_toml import DEFAULT, SHIPPED, contract

MEASURE, CONTRACT = "NAME", "ID|FILE.toml"


class Flag(NamedTuple):
    """An option: its spellings, what it does, and its values."""

    spellings: tuple[str, ...]
    text: str
    takes_value: bool
    words: tuple[str, ...]  # empty where the value is a file or free text
    files: bool  # the value may be a file
    measures: bool  # a list of measures, separated by commas


class Command(NamedTuple):
    """A command or an action such as `contract show`."""

    path: str
    text: str
    words: tuple[str, ...]  # actions, or values of its first argument
    flags: tuple[Flag, ...]


def commands() -> list[Command]:
    """Return every command of the parser, the top one first."""
    return list(_commands(parser(), ""))


def _commands(top: argparse.ArgumentParser, path: str) -> Iterator[Command]:
    actions = [each for each in top._actions if isinstance(each, argparse._SubParsersAction)]
    named = [name for each in actions for name in each.choices]
    arguments = [each for each in top._actions if not each.option_strings and each not in actions]
    words = named or [word for each in arguments[:1] for word in _words(each)]
    flags = tuple(_flag(each) for each in top._actions if each.option_strings)
    yield Command(path, _first_line(top.description), tuple(words), flags)
    for each in actions:
        for name, command in each.choices.items():
            yield from _commands(command, f"{path} {name}".strip())


def _flag(action: argparse.Action) -> Flag:
    text = _first_line(action.help).partition(" (default")[0]
    measures = action.dest == "measures"
    words = tuple(_words(action))
    files = not words or action.metavar == CONTRACT
    return Flag(tuple(action.option_strings), text, action.nargs != 0, words, files, measures)


def _words(action: argparse.Action) -> list[str]:
    """Return the values that are known: alternatives in help, contracts, names of measures."""
    if action.nargs == 0:
        return []
    if action.metavar == CONTRACT:
        return list(SHIPPED)
    if action.metavar == MEASURE and action.dest in ("measures", "name"):
        return sorted(contract(DEFAULT).names)
    alternatives = str(action.metavar).split("|")
    return [word for word in alternatives if len(alternatives) > 1 and word.islower()]


def _first_line(text: str | None) -> str:
    return (text or "").replace("%%", "%").partition("\n")[0]
