"""What `--folds` prints: which folds are finished, which are left, and what to do next."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence

from assay.experiment.run_folds import FoldProgress
from assay.text_table import TextTable


def folds_text(made: FoldProgress) -> str:
    """Return one sentence about the folds of a configuration."""
    total = len(made.done) + len(made.left)
    head = f"{len(made.done)} of {total} {'fold is' if total == 1 else 'folds are'} finished"
    return f"{head}: {_listed(made.done)}. Left: {_listed(made.left)}."


def progress_table(made: Mapping[str, FoldProgress]) -> TextTable:
    """Return one row per configuration."""
    rows = tuple((name, _listed(each.done), _listed(each.left)) for name, each in made.items())
    return TextTable("Folds of each configuration", ("configuration", "finished", "left"), rows, (0, 1, 2))


def next_command(options: argparse.Namespace, made: Sequence[FoldProgress]) -> str:
    """Say how to compute what is left, and how to collect."""
    left = list(dict.fromkeys(fold for each in made for fold in each.left))
    collect = "To collect, run the same command without --folds"
    if not left:
        return f"{collect}; the folds are in {options.output}."
    return f"Compute the others with --folds {','.join(left)}. {collect}: it computes what is still missing."


def _listed(folds: Sequence[str]) -> str:
    return ", ".join(folds) or "none"
