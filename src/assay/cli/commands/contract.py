"""`assay contract list | show | diff`: the contracts and the definitions behind their names."""

from __future__ import annotations

import argparse

from assay.cli import shared_options as shared
from assay.cli.options import INPUT, OUTPUT, add_command, add_examples, define_command, option

NAME = option("name ID|FILE.toml", "contract id, or a contract file")
PAIR = (option("first A", "first contract, by id or file"), option("second B", "the second one"))


def define(command: argparse.ArgumentParser) -> None:
    """Describe the command and its actions."""
    add_examples(command, ("assay contract list", "assay contract diff assay/1 paper/1.0"))
    actions = command.add_subparsers(title="actions", required=True, metavar="list | show | diff")
    define_command(
        add_command(actions, "list", "list the contracts that come with assay"),
        _list,
        {OUTPUT: (shared.JSON,)},
        usage=("[options]",),
        examples=("assay contract list",),
    )
    define_command(
        add_command(actions, "show", "show every name of a contract with its definition"),
        _show,
        {INPUT: (NAME,), OUTPUT: (shared.JSON,)},
        usage=("ID|FILE.toml [options]",),
        examples=("assay contract show assay/1",),
    )
    define_command(
        add_command(actions, "diff", "show where two contracts differ, with both formulas"),
        _diff,
        {INPUT: PAIR, OUTPUT: (shared.JSON,)},
        usage=("A B [options]",),
        examples=("assay contract diff assay/1 paper/1.0",),
    )


def _list(options: argparse.Namespace) -> None:
    from assay.cli.render.definition_tables import list_contracts

    list_contracts(as_json=options.as_json)


def _show(options: argparse.Namespace) -> None:
    from assay.cli.render.definition_tables import show_contract

    show_contract(options.name, as_json=options.as_json)


def _diff(options: argparse.Namespace) -> None:
    from assay.cli.render.definition_tables import show_differences

    show_differences(options.first, options.second, as_json=options.as_json)
