"""How commands describe their options: flags, value and help text in one line each."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from assay.errors import InputError, printable, shown

INPUT, DEFINITIONS, THRESHOLDS = "input", "definitions", "thresholds"
STATISTICS, WORK, OUTPUT = "statistics", "execution", "output"
"""Groups of options, in the order in which help lists them."""
PATHS = ("FILE", "DIR", "CORPUS", "PREDICTIONS", "SYSTEM", "BUNDLE", "CONFIG.toml")
TYPES: Mapping[str, Any] = {"N": int, "J": float, **dict.fromkeys(PATHS, Path)}
"""Types of values by what help calls them."""
SEVERAL: Mapping[str, Any] = {"nargs": "+", "action": "extend", "default": []}
REPEATED: Mapping[str, Any] = {"action": "append", "default": []}


class Option(NamedTuple):
    """An option or argument: its flags and argparse's settings."""

    flags: tuple[str, ...]
    settings: dict[str, Any]

    def but(self, **changes: Any) -> Option:
        """Return the same option with other settings."""
        return Option(self.flags, {**self.settings, **changes})


def option(spelled: str, text: str, **settings: Any) -> Option:
    """Return an option as help spells it, such as `-o --output DIR`, with its help text.

    An option without a value is a switch. An argument is its name in the code and in help:
    `bundle BUNDLE`. A default that is not None or empty is added to the text.
    """
    words = spelled.split()
    flags = tuple(word for word in words if word.startswith("-")) or (words.pop(0),)
    if words[-1:] == [flags[-1]]:
        settings.setdefault("action", "store_true")
    else:
        value = words[-1]
        settings = {"metavar": value, "type": TYPES.get(value), **settings}
    if settings.get("default") not in (None, []) and "default:" not in text:
        text += " (default: %(default)s)"
    return Option(flags, {"help": text, **settings})


class Parser(argparse.ArgumentParser):
    """A parser that names unknown options and commands, with the nearest that exist.

    Its messages show what was typed and do not send it to the terminal.
    """

    given: Sequence[str] = ()

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse, and refuse what is left: the message has the usage of the command it was given to."""
        self.given = sys.argv[1:] if args is None else args
        found, rest = super().parse_known_args(args, namespace)
        if rest:
            self.error(f"unexpected argument {' '.join(map(shown, rest))}")
        return found, rest

    def error(self, message: str) -> NoReturn:
        """Print the usage of the command and what is wrong; an unknown option explains other errors."""
        from assay.cli.unknown_options import unknown_options

        super().error("; ".join(unknown_options(self, self.given)) or message)

    def _print_message(self, message: str, file: Any = None) -> None:
        super()._print_message(printable(message or "", keep="\n"), file)


def add_command(commands: Any, name: str, summary: str) -> argparse.ArgumentParser:
    """Add a command or an action with its summary, which also opens its own help."""
    description = f"{summary[:1].upper()}{summary[1:]}."
    added: argparse.ArgumentParser = commands.add_parser(name, help=summary, description=description)
    return added


def add_examples(command: argparse.ArgumentParser, examples: Sequence[str]) -> None:
    """Put examples at the end of a command's help."""
    command.formatter_class = argparse.RawDescriptionHelpFormatter
    command.epilog = "\n  ".join(("examples:", *examples))


def define_command(
    command: argparse.ArgumentParser,
    serve: Callable[[argparse.Namespace], None],
    options: Mapping[str, Sequence[Option]],
    *,
    usage: Sequence[str],
    examples: Sequence[str],
) -> None:
    """Give a command its options by group, the forms in which it is used, examples, and its work.

    A group's name may be followed by lines that describe it.
    """
    command.usage = "\n       ".join(f"%(prog)s {each}".strip() for each in usage)
    add_examples(command, examples)
    for group, listed in options.items():
        title, _, description = group.partition("\n")
        added = command.add_argument_group(title, description or None)
        for each in listed:
            added.add_argument(*each.flags, **each.settings)
    command.set_defaults(serve=serve, command=command)


def flag_of(action: argparse.Action) -> str:
    """Return what a user types for an option, or the name of an argument."""
    return action.option_strings[-1] if action.option_strings else str(action.metavar)


def from_one(flag: str) -> Callable[[str], int]:
    """Return a type for argparse: whole numbers from 1."""

    def whole(text: str) -> int:
        digits = text.isascii() and text.isdecimal() and len(text) <= 18
        if not digits or int(text) < 1:
            raise InputError.of(flag, f"is {shown(text)}", "expected a whole number from 1")
        return int(text)

    return whole
