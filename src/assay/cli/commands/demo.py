"""`assay demo`: the example that comes with assay, or the whole pipeline on synthetic posts."""

from __future__ import annotations

import argparse
from pathlib import Path

from assay.cli import shared_options as shared
from assay.cli.commands.synth import POSTS
from assay.cli.options import INPUT, define_command, option
from assay.cli.unused_options import refuse_unused

OPTIONS = {
    INPUT: (
        option(
            "--pipeline",
            "write a synthetic corpus, run and evaluate the default pipeline on it, and verify the "
            "result (takes minutes)",
        ),
    ),
    "with --pipeline": (
        option("-o --output DIR", "output folder; an interrupted demo resumes", default=Path("assay-demo")),
        POSTS,
        shared.PROCESSES,
    ),
}
EXAMPLES = ("assay demo", "assay demo --pipeline --posts 300 -o demo/")


def define(command: argparse.ArgumentParser) -> None:
    """Describe the command."""
    define_command(command, run, OPTIONS, usage=("", "--pipeline [options]"), examples=EXAMPLES)


def run(options: argparse.Namespace) -> None:
    """Show the one or the other."""
    if options.pipeline:
        from assay.cli.demo_pipeline import show_pipeline

        show_pipeline(options.output, options.posts, options.processes)
        return
    from assay.cli.demo_example import show_example

    refuse_unused(options, dict.fromkeys(("output", "posts", "processes"), ("pipeline",)))
    show_example()
