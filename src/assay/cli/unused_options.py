"""Refuse options that would have no effect: what was typed is used, or it is an error."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence

from assay.cli.options import flag_of
from assay.errors import Fault, InputError

Needs = Mapping[str, Sequence[str]]
"""An option by its destination, and the options of which it needs one, or that exclude it."""


def typed_options(
    parser: argparse.ArgumentParser, options: argparse.Namespace, arguments: list[str]
) -> dict[str, argparse.Action]:
    """Return the options that the user typed, by destination, whatever their defaults are.

    The arguments are parsed again without defaults: what is there then was typed.
    """
    actions = {each.dest: each for each in options.command._actions}
    defaults = {name: action.default for name, action in actions.items()}
    for action in actions.values():
        action.default = argparse.SUPPRESS
    try:
        found = vars(parser.parse_args(arguments))
    finally:
        for name, action in actions.items():
            action.default = defaults[name]
    # An optional positional that was left out comes back as its default, converted to its type.
    typed = {name for name, value in found.items() if str(value) != argparse.SUPPRESS}
    return {name: action for name, action in actions.items() if name in typed}


def refuse_unused(
    options: argparse.Namespace, needs: Needs | None = None, excludes: Needs | None = None
) -> None:
    """Raise for options without what they need, and for those next to what excludes them."""
    faults = []
    for name, others in (needs or {}).items():
        if name in options.typed and not any(_active(options, other) for other in others):
            missing = " or ".join(flag_of(_action(options, other)) for other in others)
            faults.append(_fault(options, name, f"without {missing}", _expected(options, others)))
    for name, others in (excludes or {}).items():
        beside = [other for other in others if _active(options, other)]
        if name in options.typed and beside:
            flag = flag_of(_action(options, beside[0]))
            faults.append(_fault(options, name, f"with {flag}", "leave one of them out"))
    if faults:
        raise InputError(faults)


def refuse_beside(options: argparse.Namespace, alone: str, allowed: Iterable[str]) -> None:
    """Raise where something was typed next to an option that stands alone."""
    others = set(options.typed) - {alone, *allowed}
    refuse_unused(options, excludes=dict.fromkeys(sorted(others), (alone,)))


def _action(options: argparse.Namespace, name: str) -> argparse.Action:
    command: argparse.ArgumentParser = options.command
    return next(each for each in command._actions if each.dest == name)


def _active(options: argparse.Namespace, name: str) -> bool:
    """Return whether an option was typed with another value than its default."""
    return name in options.typed and getattr(options, name) != _action(options, name).default


def _expected(options: argparse.Namespace, others: Sequence[str]) -> str:
    action = _action(options, others[0])
    value = "" if action.nargs == 0 else f" {action.metavar}"
    return f"expected {flag_of(action)}{value} with it"


def _fault(options: argparse.Namespace, name: str, beside: str, expected: str) -> Fault:
    return Fault(flag_of(options.typed[name]), "", f"has no effect {beside}", expected)
