"""`assay synth`: write a synthetic corpus."""

from __future__ import annotations

import argparse

from assay.cli import shared_options as shared
from assay.cli.options import OUTPUT, define_command, option
from assay.cli.render.output import show

POSTS = option("--posts N", "number of synthetic posts", default=1477)
OPTIONS = {"synthetic data": (POSTS, shared.SEED), OUTPUT: (shared.FOLDER,)}
EXAMPLES = ("assay synth -o corpus/ --posts 200",)


def define(command: argparse.ArgumentParser) -> None:
    """Describe the command."""
    define_command(command, run, OPTIONS, usage=("-o DIR [options]",), examples=EXAMPLES)


def run(options: argparse.Namespace) -> None:
    """Write the corpus, print its size."""
    from assay.cli.ending import finish
    from assay.data.synthetic.synthetic_folder import write_synthetic
    from assay.files.staging import Staging

    with Staging() as staging:
        line = write_synthetic(options.output, options.posts, options.seed, staging)
        finish(staging, lambda: show(line))
