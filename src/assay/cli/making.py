"""The commands that make something to evaluate: pipelines, ablations, corpora."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.options import add_command, add_processes, given
from assay.cli.unused import DEMO, refuse_unused

if TYPE_CHECKING:
    from assay.cli.options import Commands


def add_commands(commands: Commands) -> None:
    """`run`, `ablate`, `synth`, `import` and `demo`."""
    _run(commands)
    _ablate(commands)
    _synth(commands)
    _import(commands)
    _demo(commands)


def _run(commands: Commands) -> None:
    about = "Nested cross-validation of a pipeline: predictions, their bundle, floors."
    command = add_command(commands, "run", about, _serve_run)
    add = command.add_argument
    add("configuration", type=Path, metavar="CONFIG.toml")
    add("-o", "--output", type=Path, required=True, metavar="DIR",
        help="folder of the run; one that was ended goes on where it was")  # fmt: skip
    add("--overwrite", action="store_true", help="replace a finished run of another configuration")
    add_processes(command)
    add("--seed", type=int, help="in place of the configuration's")
    add("--no-report", action="store_false", dest="report",
        help="leave out the figures, tables and page of the bundle")  # fmt: skip


def _ablate(commands: Commands) -> None:
    about = "What each stage, each gamma and each pair of thresholds is worth."
    command = add_command(commands, "ablate", about, _serve_ablate)
    command.add_argument("configuration", type=Path, metavar="CONFIG.toml")
    command.add_argument("-o", "--output", type=Path, required=True, metavar="DIR",
        help="folder of the tables and figures; that of a run has its work ready")  # fmt: skip
    add_processes(command)


def _synth(commands: Commands) -> None:
    about = "Write a synthetic corpus: invented posts in the shape of the contracts' corpus."
    command = add_command(commands, "synth", about, _serve_synth, "write a synthetic corpus")
    command.add_argument("-o", "--output", type=Path, required=True, metavar="DIR")
    command.add_argument("--posts", type=int, default=1477, metavar="N")
    command.add_argument("--seed", type=int, default=0)


def _import(commands: Commands) -> None:
    about = "Write a corpus from a data set in another format."
    command = add_command(commands, "import", about, _serve_import)
    command.add_argument("kind", metavar="redsm5|squad2|contractnli|jsonl")
    command.add_argument("files", type=Path, nargs="+", metavar="FILE",
        help="redsm5: posts.csv annotations.csv; else one file")  # fmt: skip
    command.add_argument("-o", "--output", type=Path, required=True, metavar="DIR")
    command.add_argument("--with-text", action="store_true",
        help="redsm5: show the texts of annotations that do not match their post")  # fmt: skip


def _demo(commands: Commands) -> None:
    about = "Evaluate the example that the package carries, or run the whole on an invented corpus."
    command = add_command(
        commands, "demo", about, _serve_demo, "evaluate the example that the package carries"
    )
    add = command.add_argument
    add("--pipeline", action="store_true",
        help="synthetic corpus, default pipeline, evaluation, verification, gate")  # fmt: skip
    add("-o", "--output", type=Path, default=Path("assay-demo"), metavar="DIR",
        help="folder of --pipeline (default: %(default)s)")  # fmt: skip
    add(
        "--posts",
        type=int,
        default=1477,
        metavar="N",
        help="posts of --pipeline (default: %(default)s)",
    )
    add_processes(command)


def _serve_run(options: argparse.Namespace) -> None:
    from assay.cli.run import run_command  # noqa: PLC0415

    run_command(**given(options))


def _serve_ablate(options: argparse.Namespace) -> None:
    from assay.cli.ablate import ablate_command  # noqa: PLC0415

    ablate_command(options.configuration, options.output, processes=options.processes)


def _serve_synth(options: argparse.Namespace) -> None:
    from assay.cli.ending import finish  # noqa: PLC0415
    from assay.cli.table import show  # noqa: PLC0415
    from assay.data.synth.write import write_synthetic  # noqa: PLC0415
    from assay.files.staging import Staging  # noqa: PLC0415

    with Staging() as staging:
        line = write_synthetic(options.output, options.posts, options.seed, staging)
        finish(staging, lambda: show(line))


def _serve_import(options: argparse.Namespace) -> None:
    from assay.cli.imports import import_command  # noqa: PLC0415

    import_command(options.kind, options.files, options.output, with_text=options.with_text)


def _serve_demo(options: argparse.Namespace) -> None:
    if options.pipeline:
        from assay.cli.demo_pipeline import pipeline_command  # noqa: PLC0415

        pipeline_command(options.output, options.posts, options.processes)
        return
    from assay.cli.demo import demo_command  # noqa: PLC0415

    refuse_unused(options, DEMO)
    demo_command()
