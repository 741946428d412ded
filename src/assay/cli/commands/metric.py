"""`assay metric list | show`: the measures, and one of them in full."""

from __future__ import annotations

import argparse

from assay.cli import shared_options as shared
from assay.cli.options import DEFINITIONS, INPUT, OUTPUT, add_command, add_examples, define_command, option

SHOW = {
    INPUT: (option("name NAME", "a measure, such as ndcg or map@10, or a definition id"),),
    DEFINITIONS: (option("--contract ID|FILE.toml", "look the name up in this contract"),),
    OUTPUT: (shared.JSON,),
}


def define(command: argparse.ArgumentParser) -> None:
    """Describe the command and its actions."""
    add_examples(command, ("assay metric list", "assay metric show ndcg@10"))
    actions = command.add_subparsers(title="actions", required=True, metavar="list | show")
    define_command(
        add_command(actions, "list", "list all measures and their parameters"),
        _list,
        {OUTPUT: (shared.JSON,)},
        usage=("[options]",),
        examples=("assay metric list",),
    )
    define_command(
        add_command(actions, "show", "show one measure in full"),
        _show,
        SHOW,
        usage=("NAME [options]",),
        examples=("assay metric show ndcg@10", "assay metric show map@10 --contract paper/1.0"),
    )


def _list(options: argparse.Namespace) -> None:
    from assay.cli.render.definition_tables import list_measures

    list_measures(as_json=options.as_json)


def _show(options: argparse.Namespace) -> None:
    from assay.cli.render.definition_tables import show_measure

    show_measure(options.name, options.contract, as_json=options.as_json)
