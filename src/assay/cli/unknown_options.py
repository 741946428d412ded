"""Options and commands that do not exist, and what was probably meant."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from difflib import get_close_matches

from assay.errors import shown

NUMBER = re.compile(r"-\.?\d")


def unknown_options(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> list[str]:
    """Return a sentence per option or command that the parser does not have.

    A command's own parser reports the arguments that follow the command.
    """
    commands = [each for each in parser._actions if isinstance(each, argparse._SubParsersAction)]
    flags = [flag for action in parser._actions for flag in action.option_strings]
    bare = [str(action.metavar or action.dest) for action in parser._actions if not action.option_strings]
    faults: list[str] = []
    for argument in arguments:
        if argument == "--":
            break
        if commands and not argument.startswith("-"):
            known = list(commands[0].choices)
            if argument in known:
                break
            what = "action" if parser.prog.count(" ") else "command"
            return [*faults, f"unknown {what} {shown(argument)}{_meant(argument, known)}"]
        flag = argument.partition("=")[0]
        if len(flag) > 1 and flag.startswith("-") and not NUMBER.match(flag) and not _known(flag, flags):
            faults.append(
                f"unknown option {shown(flag)[1:-1]}{_without_option(flag, bare) or _meant(flag, flags)}"
            )
    return faults


def _known(flag: str, flags: Sequence[str]) -> bool:
    """Return whether argparse takes it: a flag, its beginning, or a short flag with its value."""
    if flag.startswith("--"):
        return any(each.startswith(flag) for each in flags)
    return flag[:2] in flags


def _without_option(typed: str, bare: Sequence[str]) -> str:
    """Return a hint for an argument that was given like an option."""
    word = typed.lstrip("-").lower()
    names = [name for name in bare if len(word) > 2 and name.lower().startswith(word)]
    return f"; {names[0]} is given without an option" if names else ""


def _meant(typed: str, known: Sequence[str]) -> str:
    by_name = {each.lstrip("-"): each for each in known}
    near = get_close_matches(typed.lstrip("-"), by_name, n=1, cutoff=0.65)
    return f"; did you mean {by_name[near[0]]}?" if near else ""
