"""Single calls of the operating system that fail, or that a signal follows."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from assay.cli.ending import sentence
from assay.cli.render.output import naming_stdout
from assay.errors import FileError
from assay.evaluation.bundle.bundle_files import files_of
from assay.files import commit_steps, locks, rename, scratch
from assay.files.rename import exchange
from assay.files.staging import Staging
from assay.files.temporary import temporary_folder
from assay.pipeline.protocol.workers import Said, in_processes
from assay.verification.recompute.archive_records import record_findings
from tests.files import slow
from tests.files.test_system_errors import as_somebody


def failing(number: int) -> Callable[..., Any]:
    """A call that the system refuses."""

    def fail(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    return fail


def test_a_scratch_folder_that_cannot_be_locked_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scratch, "claim", failing(errno.EMFILE))
    with Staging() as staging, pytest.raises(FileError, match="Too many open files"):
        staging.file(tmp_path / "a", "text")
    assert list(tmp_path.iterdir()) == []


def test_a_leftover_that_its_owner_removes_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / f"{scratch.PREFIX}other").mkdir()
    own = locks.claim

    def claim(folder: Path) -> int | None:
        if folder.name.endswith("other"):
            folder.rmdir()
        return own(folder)

    monkeypatch.setattr(scratch, "claim", claim)
    with Staging() as staging:
        staging.file(tmp_path / "a", "text")
        staging.commit()
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_errors_of_clearing_up_do_not_fail_a_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rmtree, calls = shutil.rmtree, []

    def fail_once(path: Path, **options: Any) -> None:
        calls.append(path)
        if len(calls) == 1:
            failing(errno.ESTALE)()  # rmtree raises some errors although it is told to ignore them
        rmtree(path, **options)

    with Staging() as staging:
        staging.file(tmp_path / "a", "text")
        monkeypatch.setattr("assay.files.scratch.shutil.rmtree", fail_once)
        staging.commit()
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_lock_whose_end_the_system_complains_of() -> None:
    locks.release(10**6)  # no such handle


def test_a_temporary_folder_that_cannot_be_removed_at_first(monkeypatch: pytest.MonkeyPatch) -> None:
    rmtree, calls = shutil.rmtree, []

    def fail_once(path: Path, **options: Any) -> None:
        calls.append(path)
        if len(calls) > 1:
            rmtree(path, **options)

    monkeypatch.setattr("assay.files.scratch.shutil.rmtree", fail_once)
    with temporary_folder() as folder:
        (folder / "a").touch()
    assert not folder.exists()


@pytest.mark.parametrize("there", [True, False])
def test_a_signal_right_after_a_rename(there: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rename is undone although nobody had noted that it was done."""
    target = tmp_path / "a"
    if there:
        target.write_text("old")
    name = "exchange" if there else "move_to_new"
    own, calls = getattr(commit_steps, name), []

    def interrupted(fresh: Path, place: Path) -> None:
        own(fresh, place)
        calls.append(place)
        if len(calls) == 1:
            raise KeyboardInterrupt

    monkeypatch.setattr(commit_steps, name, interrupted)
    with Staging() as staging:
        staging.file(target, "new")
        with pytest.raises(KeyboardInterrupt):
            staging.commit()
    assert [path.read_text() for path in tmp_path.iterdir()] == (["old"] if there else [])


@pytest.mark.parametrize("at", [1, 2, 3])
def test_an_exchange_in_three_steps_is_undone(
    at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh, target = tmp_path / "fresh", tmp_path / "target"
    fresh.write_text("new")
    target.write_text("old")
    own, calls = Path.rename, []

    def rename_badly(path: Path, place: Path) -> Path:
        calls.append(path)
        if len(calls) == at:
            failing(errno.EIO)()
        return own(path, place)

    monkeypatch.setattr(rename, "_renamed", lambda *_: False)
    monkeypatch.setattr(Path, "rename", rename_badly)
    with pytest.raises(OSError, match="Input/output error"):
        exchange(fresh, target)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"fresh": "new", "target": "old"}


def test_a_folder_that_cannot_be_read_is_not_empty(tmp_path: Path) -> None:
    """A manifest lacked the files of such a folder, and the exit code was 0."""
    (tmp_path / "schema").mkdir()
    (tmp_path / "schema" / "a.json").touch()
    for folder in (tmp_path, *tmp_path.parents):
        if folder.is_relative_to("/tmp") and folder != Path("/tmp"):
            folder.chmod(0o755)
    (tmp_path / "schema").chmod(0)
    try:
        with as_somebody(), pytest.raises(PermissionError):
            files_of(tmp_path)
    finally:
        (tmp_path / "schema").chmod(0o755)
    assert files_of(tmp_path) == ["schema/a.json"]


def test_only_errors_of_stdout_are_said_of_stdout() -> None:
    error = OSError(errno.EIO, os.strerror(errno.EIO))
    assert str(sentence(error)).startswith("the command: cannot be completed (Input/output error); ")


def test_an_error_of_stdout_names_it() -> None:
    with (
        pytest.raises(FileError, match=r"stdout: cannot be written \(Bad file descriptor\); "),
        naming_stdout(),
    ):
        failing(errno.EBADF)()


def test_a_record_that_cannot_be_read_is_not_a_wrong_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.verification.recompute.archive_records.listed_files", lambda _: {})
    monkeypatch.setattr("assay.verification.recompute.archive_records._crate", failing(errno.EIO))
    with pytest.raises(OSError, match="Input/output error"):
        record_findings(tmp_path, {})


@pytest.mark.parametrize("closed", [(1,), (2,), (0, 1, 2)])
def test_closed_streams_lead_nowhere(closed: tuple[int, ...], tmp_path: Path) -> None:
    """`>&-` was a fault of assay; with `2>&-` Polars' event queue became stderr, and it hung."""
    example = Path(str(files("assay.example")))
    command = [sys.executable, "-m", "assay.cli", "evaluate", str(example / "predictions")]
    command += ["--corpus", str(example / "corpus"), "-m", "ndcg@3", "-o", "b", "--no-report"]
    ended = subprocess.run(
        ["sh", "-c", f'exec "$@" {" ".join(f"{number}>&-" for number in closed)}', "sh", *command],
        cwd=tmp_path,
        capture_output=True,
        timeout=60,
        check=False,
        text=True,
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr == ""
    assert ("ndcg@k" in ended.stdout) == (1 not in closed)
    assert (tmp_path / "b" / "MANIFEST.json").is_file()


TWICE = """
import os, signal, sys
from assay.cli import app, render
from assay.cli.render import output
from assay.cli.__main__ import start

def interrupted(_):
    os.kill(os.getpid(), signal.SIGINT)

class Ending:
    def flush(self):
        pass
    def write(self, text):  # the second signal comes while the line is printed, the third at the end
        sys.__stderr__.write(text)
        os.kill(os.getpid(), signal.SIGINT)

import atexit
atexit.register(os.kill, os.getpid(), signal.SIGINT)
app.run = interrupted
sys.stderr = Ending()
sys.argv = ["assay"]
start()
"""


def test_a_second_ctrl_c_is_no_traceback() -> None:
    ended = subprocess.run([sys.executable, "-c", TWICE], capture_output=True, check=False, text=True)
    assert ended.stderr == "assay: interrupted\n"
    assert ended.returncode == 130


def test_signals_of_a_terminal_do_not_reach_workers() -> None:
    """They printed tracebacks while they started; only the first process ends them."""

    def here(piece: int, _: Said) -> list[int]:
        time.sleep(0.1)
        return slow.blocked_signals(piece, lambda *_: None)

    told: list[str] = []
    made = in_processes([1, 2], slow.blocked_signals, 2, lambda *message: told.append(message[0]), here=here)
    assert told
    assert sorted({*made[0]} & {signal.SIGINT, signal.SIGHUP}, reverse=True) == [signal.SIGINT, signal.SIGHUP]
    assert not {*made[1]} & {signal.SIGINT, signal.SIGHUP}


def test_a_signal_as_soon_as_a_scratch_folder_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(scratch, "claim", interrupted)
    with Staging() as staging, pytest.raises(KeyboardInterrupt):
        staging.file(tmp_path / "a", "text")
    assert list(tmp_path.iterdir()) == []
