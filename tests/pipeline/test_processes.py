"""Pieces of work in several processes: order, errors, messages, and a process that is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from assay.cli.app import run
from assay.data.corpus import Corpus
from assay.errors import AssayError, InputError
from assay.experiment.state_thresholds import choose
from assay.pipeline.matching.matching_model import MatchingSettings
from assay.pipeline.prediction_tables import Answers
from assay.pipeline.protocol import outer_folds
from assay.pipeline.protocol.fold_jobs import crossfit_of, prepare
from assay.pipeline.protocol.fold_parts import parts_of
from assay.pipeline.protocol.nested_fold import taught_parts
from assay.pipeline.protocol.outer_folds import fold_jobs, processes_for
from assay.pipeline.protocol.workers import THREADS, in_processes
from assay.pipeline.run_config import Plan, Protocol
from assay.pipeline.stages.matching import Matching
from tests.pipeline.conftest import FAST, toy

Said = Callable[[str, str, float], None]
LIMITED = """
import sys
from assay.pipeline.protocol.fold_jobs import single_thread

assert "sklearn" not in sys.modules
with single_thread():
    import sklearn.ensemble
    from sklearn.utils._openmp_helpers import _openmp_effective_n_threads as threads

    print(threads())
"""


def work(piece: int, said: Said) -> tuple[int, int, tuple[str | None, ...]]:
    said(str(piece), "done", 0.0)
    return piece, os.getpid(), tuple(os.environ.get(name) for name in THREADS)


def fails(piece: int, said: Said) -> int:
    if piece == 1:
        raise InputError.of("one.csv", "is odd", "expected even")
    return piece


def dies(piece: int, said: Said) -> tuple[int, int, tuple[str | None, ...]]:
    os.kill(os.getpid(), signal.SIGKILL)
    return work(piece, said)


def slow(piece: int, said: Said) -> tuple[int, int, tuple[str | None, ...]]:
    """So that other processes get their share, however long they take to start."""
    time.sleep(0.5)
    return work(piece, said)


def test_in_the_order_of_the_pieces_by_this_process_and_others() -> None:
    before = dict(os.environ)
    heard: list[str] = []
    made = in_processes(range(12), work, 3, lambda *message: heard.append(message[0]), here=slow)
    assert [piece for piece, _, _ in made] == list(range(12))
    assert sorted(map(int, heard)) == list(range(12))
    others = {process for _, process, _ in made} - {os.getpid()}
    assert others
    assert {process for piece, process, _ in made if piece == 11} == {os.getpid()}
    assert {threads for _, process, threads in made if process in others} == {("1", "1", "1")}
    assert dict(os.environ) == before


def test_an_error_elsewhere_is_said_and_ends_the_work() -> None:
    taken: list[int] = []

    def here(piece: int, said: Said) -> int:
        taken.append(piece)
        time.sleep(0.5)
        return piece

    with pytest.raises(AssayError, match=r"one\.csv: is odd; expected even"):
        in_processes(range(200), fails, 2, lambda *_: None, here=here)
    assert len(taken) < 150


def test_an_error_here_ends_the_work() -> None:
    def here(piece: int, said: Said) -> int:
        raise InputError.of("here.csv", "is odd", "expected even")

    with pytest.raises(InputError, match=r"here\.csv"):
        in_processes(range(4), fails, 2, lambda *_: None, here=here)


def test_a_process_that_is_killed() -> None:
    with pytest.raises(AssayError, match="a worker was killed; re-run"):
        in_processes(range(4), dies, 2, lambda *_: None, here=work)


@pytest.mark.parametrize(
    ("pairs", "processes"), [(0, 1), (9_999, 1), (10_000, 2), (999_999, 2), (1_000_000, 1)]
)
def test_small_and_large_corpora_use_one_process(pairs: int, processes: int) -> None:
    assert processes_for(pairs) == processes


@pytest.mark.parametrize(
    ("small", "asked", "started"), [(10_000, None, []), (100, None, [2]), (10_000, 3, [3])]
)
def test_the_number_of_processes_follows_from_the_pairs_unless_it_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small: int, asked: int | None, started: list[int]
) -> None:
    found: list[int] = []

    def fake(
        jobs: Sequence[object],
        _: object,
        processes: int,
        said: Said,
        *,
        here: Callable[..., Answers],
        given: object,
    ) -> list[Answers]:
        found.append(processes)
        return [here(job, said) for job in jobs]

    monkeypatch.setattr(outer_folds, "SMALL", small)
    monkeypatch.setattr(outer_folds, "in_processes", fake)
    plan = Plan(Path("toy"), stages=("lexical",), protocol=Protocol(folds=3))
    corpus = Corpus.of(**toy(15))  # 15 posts × 4 sentences × 2 criteria = 120 pairs
    outer_folds.predict(plan, corpus, choose, cache=tmp_path, processes=asked)
    assert found == started


def test_help_says_how_many_processes_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        run(["run", "--help"])
    assert "2 for a corpus of 10,000 to a million" in " ".join(capsys.readouterr().out.split())


def test_trees_use_one_thread_though_their_library_is_loaded_later() -> None:
    environment = {**os.environ, "OMP_NUM_THREADS": "2"}
    made = subprocess.run(
        [sys.executable, "-c", LIMITED], env=environment, capture_output=True, text=True, check=True
    )
    assert made.stdout == "1\n"


@pytest.mark.parametrize("enough", [1, 7, 8, 9, 10, 11, 12, 13, 40])
def test_words_are_compared_beforehand_just_if_a_part_of_train_needs_them(
    enough: int, tmp_path: Path
) -> None:
    """Parts of TRAIN have different numbers of queries with evidence: some may have too few."""
    tables = {"matching": FAST["matching"] | {"enough": enough}}
    plan, corpus = Plan(Path("toy"), tables=tables), Corpus.of(**toy())
    jobs = fold_jobs(plan, corpus, choose, tmp_path)
    prepared = prepare(jobs[0], corpus)
    fitted, least = [], len(corpus.queries.frame)
    for job in jobs:
        train = parts_of(prepared.posts, prepared.outer, job.fold, plan).train
        scores = np.random.default_rng(1).random((2, train.view.pairs))
        view = train.view.with_columns(dict(zip(("bm25", "cosine"), scores, strict=True)))
        for part in taught_parts(replace(train, view=view), crossfit_of(plan)):
            stage = Matching(MatchingSettings(trees=8, gate_trees=8, folds=2, enough=enough))
            stage.fit(part)
            fitted.append(stage._model is not None)
            counts = np.bincount(part.view.layout.query_criterion, part.evidence)
            least = min(least, int(counts.min()))
            assert stage.will_compare_words(part) == fitted[-1]
    assert any(fitted) == (least < enough)
    fresh = prepare(jobs[0], corpus)
    outer_folds._compare_words(jobs, fresh)
    words = fresh.posts.view.words
    assert words is not None
    assert (words.corpus._source is None) == any(fitted)


@pytest.mark.parametrize("evidence", [0.0, 1.0])
def test_words_are_not_compared_for_evidence_of_an_excluded_criterion(
    evidence: float, tmp_path: Path
) -> None:
    """What may be learned from has one class: no pair is evidence, or each."""
    plan, corpus = Plan(Path("toy"), protocol=Protocol(exclude=("c1",))), Corpus.of(**toy())
    jobs = fold_jobs(plan, corpus, choose, tmp_path)
    prepared = prepare(jobs[0], corpus)
    train = parts_of(prepared.posts, prepared.outer, jobs[0].fold, plan).train
    gold = np.where(train.known_pairs, evidence > 0, train.gold)
    assert train.gold[~train.known_pairs].any()
    stage = Matching(MatchingSettings(trees=8, gate_trees=8, folds=2))
    scores = np.random.default_rng(1).random((2, train.view.pairs))
    view = train.view.with_columns(dict(zip(("bm25", "cosine"), scores, strict=True)))
    assert not stage.will_compare_words(replace(train, gold=gold))
    stage.fit(replace(train, view=view, gold=gold))
    assert stage._model is None
