"""Options that would have no effect are refused: what was typed is used, or it is an error."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence

from assay.errors import Fault, InputError

Needs = Mapping[str, Sequence[str]]
"""An option by its destination, and those of which it needs one (or that it excludes)."""

BELONGS: Needs = {
    "runs": ("qrels",),
    "split": ("qrels",),
    **dict.fromkeys(("prob", "label", "group", "fold", "key"), ("decisions",)),
}
RANKING = ("k", "level", "depth", "complete")
EVALUATE: Needs = {**BELONGS, "seed": ("ci",), "overwrite": ("output",), "report": ("output",)}
EVALUATE_EXCLUDES: Needs = {**dict.fromkeys(RANKING, ("decisions",)), "clean": ("qrels",)}
COMPARE_EXCLUDES: Needs = {**dict.fromkeys(RANKING, ("decisions",)), "baseline": ("all_pairs",)}
ORIGINALS: Needs = {**BELONGS, "corpus": ("predictions",), "tune": ("predictions", "decisions")}
DEMO: Needs = dict.fromkeys(("output", "posts", "processes"), ("pipeline",))


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
    """Raise for options without what they need, and for those beside what makes them void."""
    faults = []
    for name, others in (needs or {}).items():
        if name in options.typed and not any(_active(options, other) for other in others):
            missing = " or ".join(_flag(_action(options, other)) for other in others)
            faults.append(_fault(options, name, f"without {missing}", _expected(options, others)))
    for name, others in (excludes or {}).items():
        beside = [other for other in others if _active(options, other)]
        if name in options.typed and beside:
            flag = _flag(_action(options, beside[0]))
            faults.append(_fault(options, name, f"with {flag}", "leave one of them out"))
    if faults:
        raise InputError(faults)


def refuse_beside(options: argparse.Namespace, alone: str, allowed: Iterable[str]) -> None:
    """Raise where something was typed next to an option that is answered alone."""
    others = set(options.typed) - {alone, *allowed}
    refuse_unused(options, excludes=dict.fromkeys(sorted(others), (alone,)))


def _action(options: argparse.Namespace, name: str) -> argparse.Action:
    command: argparse.ArgumentParser = options.command
    return next(each for each in command._actions if each.dest == name)


def _active(options: argparse.Namespace, name: str) -> bool:
    """Whether an option was typed with another value than its default."""
    return name in options.typed and getattr(options, name) != _action(options, name).default


def _flag(action: argparse.Action) -> str:
    return action.option_strings[-1] if action.option_strings else str(action.metavar)


def _expected(options: argparse.Namespace, others: Sequence[str]) -> str:
    action = _action(options, others[0])
    value = "" if action.nargs == 0 else f" {action.metavar}"
    return f"expected {_flag(action)}{value} with it"


def _fault(options: argparse.Namespace, name: str, beside: str, expected: str) -> Fault:
    return Fault(_flag(options.typed[name]), "", f"has no effect {beside}", expected)
