"""Pieces of work in several processes: order, errors, messages, and a process that is killed."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable

import pytest

from assay.errors import AssayError, InputError
from assay.pipeline.protocol.workers import THREADS, in_processes

Said = Callable[[str, str, float], None]


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
