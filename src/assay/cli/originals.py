"""The original inputs and options of an evaluation, as `verify` and `gate` take them."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.options import add_inputs
from assay.cli.unused import ORIGINALS, refuse_unused
from assay.errors import InputError

if TYPE_CHECKING:
    from assay.evaluation.inputs import Answers
    from assay.verify.inputs import Originals


def add_originals(command: argparse.ArgumentParser) -> None:
    """Add the options that name the original inputs, as they were given to `assay evaluate`."""
    add = command.add_argument
    add("--predictions", type=Path, metavar="DIR",
        help="original predictions, with --corpus: recompute from these, too")  # fmt: skip
    add_inputs(command)
    add("--decisions", type=Path, metavar="FILE",
        help="original table of labels and probabilities")  # fmt: skip
    add("--tune", type=Path, metavar="FILE", help="queries that thresholds were chosen on")
    add("--contract", metavar="ID|FILE.toml",
        help="contract that was agreed on; the bundle must be under it")  # fmt: skip
    add("--system", metavar="NAME", help="name that the bundle must give its system")
    add("--tune-reused", action="store_true",
        help="TUNE was used for more than thresholds; the bundle must say so")  # fmt: skip


def read_originals(options: argparse.Namespace) -> Originals | None:
    """Return what was given of the original evaluation, or None where nothing was."""
    refuse_unused(options, ORIGINALS)
    forms = (options.predictions, options.qrels, options.decisions)
    if sum(form is not None for form in forms) > 1:
        expected = "expected one of --predictions --corpus, --qrels --run, and --decisions"
        raise InputError.of("originals", "several kinds of input were given", expected)
    known = (options.contract, options.system, options.tune_reused or None)
    if not any(each is not None for each in (*forms, *known)):
        return None
    from assay.contracts.load import contract  # noqa: PLC0415
    from assay.verify.inputs import Originals  # noqa: PLC0415

    return Originals(
        predictions=_answers(options),
        corpus=options.corpus,
        tune=options.tune,
        contract=None if options.contract is None else contract(options.contract),
        system=options.system,
        tune_reused=options.tune_reused,
    )


def _answers(options: argparse.Namespace) -> Answers | None:
    from assay.evaluation.inputs import read_decisions, read_trec  # noqa: PLC0415

    if options.decisions is not None:
        return read_decisions(
            options.decisions,
            prob=options.prob,
            label=options.label,
            group=options.group,
            fold=options.fold,
        )
    if options.qrels is not None:
        if len(options.runs) != 1:
            problem = f"has no effect with {len(options.runs)} runs"
            raise InputError.of("--qrels", problem, "expected one --run FILE with it")
        return read_trec(options.qrels, options.runs[0], split=options.split)
    if options.predictions is not None and options.corpus is None:
        problem = "has no effect without --corpus"
        raise InputError.of("--predictions", problem, "expected --corpus DIR with it")
    predictions: Path | None = options.predictions
    return predictions
