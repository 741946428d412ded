"""`assay completion`: print the script of a shell."""

from __future__ import annotations

import argparse
import sys

from assay.cli.options import OUTPUT, define_command, option
from assay.cli.render.output import naming_stdout
from assay.errors import InputError, shown

SHELLS = ("bash", "zsh", "fish")
OPTIONS = {OUTPUT: (option("shell bash|zsh|fish", "shell to print the script for"),)}
EXAMPLES = ("assay completion bash", "assay completion fish")


def define(command: argparse.ArgumentParser) -> None:
    """Describe the command."""
    define_command(command, run, OPTIONS, usage=("bash|zsh|fish",), examples=EXAMPLES)


def run(options: argparse.Namespace) -> None:
    """Print a script that knows the commands, options and names of this version."""
    if options.shell not in SHELLS:
        raise InputError.of("completion", f"shell is {shown(options.shell)}", f"expected {', '.join(SHELLS)}")
    from assay.cli.completion.completed_words import commands
    from assay.cli.completion.scripts import bash_script, fish_script, zsh_script

    scripts = {"bash": bash_script, "zsh": zsh_script, "fish": fish_script}
    with naming_stdout():
        sys.stdout.write(scripts[options.shell](commands()))
