"""Every command's help: grouped, complete, within 80 columns, each text written once."""

from __future__ import annotations

import argparse
import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import assay.cli
from assay.cli.app import COMMANDS, parser

SOURCE = Path(assay.cli.__file__).parent


def commands(
    top: argparse.ArgumentParser, path: str = "assay"
) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    yield path, top
    for action in top._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, command in action.choices.items():
                yield from commands(command, f"{path} {name}")


ALL = dict(commands(parser()))
LEAVES = {path: each for path, each in ALL.items() if each.get_default("serve") is not None}


def options(command: argparse.ArgumentParser) -> list[argparse.Action]:
    hidden = (argparse._HelpAction, argparse._SubParsersAction)
    return [each for each in command._actions if not isinstance(each, hidden)]


def test_every_command_is_listed_and_served() -> None:
    assert {path.split()[1] for path in LEAVES} == set(COMMANDS)


@pytest.mark.parametrize("path", ALL)
def test_help_fits_a_terminal_and_ends_with_examples(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = ALL[path].format_help()
    assert [line for line in text.splitlines() if len(line) > 80] == []
    assert re.search(rf"\nexamples:\n(  {path}.*\n){{1,4}}$", text)
    description = (ALL[path].description or "").splitlines()
    assert len(description) == 1
    assert description[0].endswith(".")
    assert len(description[0]) <= 80


@pytest.mark.parametrize("path", LEAVES)
def test_options_are_grouped_and_described(path: str) -> None:
    command = LEAVES[path]
    loose = [*command._positionals._group_actions, *command._optionals._group_actions]
    assert [each.dest for each in loose] == ["help"]
    texts = [str(each.help) for each in options(command)]
    assert all(text and text[0] != " " and not text.endswith(".") for text in texts)
    assert max(Counter(texts).values()) == 1


def test_examples_parse() -> None:
    top = parser()
    for path, command in LEAVES.items():
        for line in str(command.epilog).splitlines()[1:]:
            assert line.strip().startswith(path)
            made = top.parse_args(line.split()[1:])
            assert made.serve is command.get_default("serve")


def test_no_help_text_is_written_twice() -> None:
    texts = []
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "option":
                texts.append(ast.unparse(node.args[1]))
            if isinstance(node, ast.keyword) and node.arg == "help":
                texts.append(ast.unparse(node.value))
    assert len(texts) > 50
    assert [text for text, count in Counter(texts).items() if count > 1] == []


def test_only_the_command_in_use_is_loaded() -> None:
    top = parser(["lint"])
    assert top.parse_args(["lint", "x.csv"]).figures == Path("x.csv")
    with pytest.raises(SystemExit):
        top.parse_args(["verify", "bundle"])
