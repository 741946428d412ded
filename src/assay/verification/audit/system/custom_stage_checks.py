"""Checks of users' own stages: what they remember between folds, and which files they open."""

from __future__ import annotations

import os
import site
import sys
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from assay.data.corpus import Corpus
from assay.errors import AssayError
from assay.evaluation.presentation import counted
from assay.experiment.state_thresholds import choose
from assay.pipeline.custom.opened_files import Opened, inside, recording
from assay.pipeline.protocol.outer_folds import predict_fold
from assay.pipeline.run_config import Plan
from assay.verification.audit.audit_report import SHOWN, Seen, clean, flagged, found
from assay.verification.audit.gather_facts import Answers
from assay.verification.audit.system.audit_views import answers_of
from assay.verification.audit.system.runner import Runner, changed_folds


def folds_alone(
    plan: Plan, runner: Runner, outer: Mapping[str, str]
) -> tuple[list[Answers], dict[Opened, None]]:
    """Return the predictions of each fold from a separate process, and the files it opened."""
    made: list[Answers] = []
    opened: dict[Opened, None] = {}
    # A process that ends after each fold: what a stage remembers of a fold ends with it.
    with ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1) as pool:
        for fold in runner.folds:
            try:
                tables, files = pool.submit(_alone, plan, runner.corpus, outer[fold.eval[0]]).result()
            except BrokenProcessPool:
                raise AssayError("a worker was killed; re-run the command") from None
            made.append(answers_of(tables))
            opened |= dict.fromkeys(files)
    return made, opened


def _alone(plan: Plan, corpus: Corpus, fold: str) -> tuple[dict[str, Any], list[Opened]]:
    with recording() as opened:
        answers = predict_fold(plan, corpus, choose, fold)
    tables = {"candidates": answers.candidates, "decisions": answers.decisions}
    return {name: table for name, table in tables.items() if table is not None}, list(opened)


def isolated(runner: Runner, first: list[Answers], alone: list[Answers]) -> Seen:
    """Compare predictions after other folds with those of each fold alone: no byte may differ."""
    looked = f"{counted(len(runner.folds), 'fold')}, each alone in a new process"
    changed = changed_folds(runner, first, alone)
    if not changed:
        return clean(looked, "the same bytes")
    why = (
        f"predictions of {len(changed)} of {counted(len(runner.folds), 'fold')} change if a fold runs alone: "
        "a stage remembers something of other folds, which contain its EVAL posts, or is not repeatable"
    )
    return found(looked, why, changed, folds=len(changed))


def files_opened(opened: Iterable[Opened], corpus: Corpus, folder: Path, custom: Sequence[str]) -> Seen:
    """Return which files the user's own stages opened, of the corpus or for writing."""
    every = sorted(set(opened), key=lambda each: (each.path, each.stage, each.step))
    looked = f"files opened by {', '.join(custom)}; not by libraries in C or Rust"
    gold = [each for each in every if inside(each, folder) and _is_gold(each, corpus)]
    if gold:
        return found(looked, f"{_told(gold[0], folder)}, the gold of the corpus", _all(gold, folder))
    others = [each for each in every if inside(each, folder) or each.kind != "read"]
    if others:
        why = f"{_told(others[0], folder)}: labels may pass through it, from the corpus or between folds"
        return flagged(looked, why, _all(others, folder), files=len(others))
    own = dict.fromkeys(_told(each, folder) for each in every if not _installed(each))
    return clean(looked, "; ".join(list(own)[:SHOWN]) or "none but those of installed packages")


def _installed(opened: Opened) -> bool:
    """Return whether a file belongs to Python or an installed package."""
    return Path(os.path.realpath(opened.path)).is_relative_to(os.path.realpath(sys.prefix)) or any(
        opened.path.startswith(str(place)) for place in (sys.prefix, sys.base_prefix, *site.getsitepackages())
    )


def _is_gold(opened: Opened, corpus: Corpus) -> bool:
    file = corpus.gold.file
    path = Path(os.path.realpath(opened.path))
    return path.stem == "gold" or (file is not None and path == Path(os.path.realpath(file.path)))


def _all(opened: list[Opened], folder: Path) -> list[str]:
    return list(dict.fromkeys(_told(each, folder) for each in opened))


def _told(opened: Opened, folder: Path) -> str:
    """Return what a stage did: `stage 'mine' opened corpus/gold.csv in apply`."""
    who, when = f"stage {opened.stage!r}", f"in {opened.step}"
    if opened.step == "import":
        who, when = f"module {opened.stage}", "while it was imported"
    if opened.kind == "program":
        return f"{who} started {Path(opened.path).name} {when}"
    path = Path(os.path.realpath(opened.path))
    shown = path.relative_to(folder.resolve().parent) if inside(opened, folder) else path
    return f"{who} {'wrote' if opened.kind == 'write' else 'opened'} {shown} {when}"
