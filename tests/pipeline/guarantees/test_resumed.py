"""Runs that are killed, shared between jobs, or find a damaged cache: always the same bytes."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.version import pip_install
from tests.pipeline.guarantees.conftest import Finished, every_kind
from tests.pipeline.kinds import OPEN, OWN_STAGE, Kind
from tests.pipeline.test_run import SRC, called, command, contents, environment

pytestmark = pytest.mark.full


def started(*arguments: object) -> subprocess.Popen[bytes]:
    quiet = subprocess.DEVNULL
    return subprocess.Popen(command(*arguments), stderr=quiet, stdout=quiet, env=environment())


def wait_until(true: Callable[[], bool], process: subprocess.Popen[bytes], seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert process.poll() is None, "the process ended before there was anything to kill"
        assert time.monotonic() < deadline
        time.sleep(0.01)


@every_kind(quick=OPEN)
def test_killed_at_any_moment_it_goes_on_to_the_same_bytes(tmp_path: Path, finished: Finished) -> None:
    path = finished.kind.configured(tmp_path)
    # New moments every time: that it fails once in a hundred calls is what it is there to show.
    draw = random.Random()
    # The first comes in good time, also where the machine is twice as fast by now.
    moments = [draw.uniform(0.1, last) * finished.took for last in (0.5, 0.9)]
    ended = 0
    for turn, moment in enumerate(moments):
        process = started("run", path, "-o", tmp_path / "out", "--processes", 2 - turn, "--no-report")
        try:
            process.wait(moment)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            ended += process.wait() == -signal.SIGKILL
    assert ended, moments
    again = called("run", path, "-o", tmp_path / "out", "--processes", 1, "--no-report")
    assert again.returncode == 0, again.stderr
    assert contents(tmp_path / "out") == contents(finished.folder / "out"), moments


@every_kind(quick=OPEN)
def test_jobs_of_one_folder_one_of_them_killed_give_the_bytes_of_one_run(
    tmp_path: Path, finished: Finished
) -> None:
    path, out = finished.kind.configured(tmp_path), tmp_path / "out"
    killed = started("run", path, "-o", out, "--folds", "1,2")
    other = started("run", path, "-o", out, "--folds", 0)
    wait_until(lambda: len(list((out / "cache").glob("*.result"))) > 4, killed)
    killed.send_signal(signal.SIGKILL)
    assert killed.wait() == -signal.SIGKILL
    again = called("run", path, "-o", out, "--folds", "1,2")
    assert again.returncode == 0, again.stderr
    assert other.wait(120) == 0
    assert [each.name for each in out.iterdir()] == ["cache"]
    done = called("run", path, "-o", out, "--no-report")
    assert done.returncode == 0, done.stderr
    assert "lexical" not in done.stderr  # no fold was computed again
    assert contents(out) == contents(finished.folder / "out")


@every_kind(quick=OWN_STAGE)
def test_a_damaged_cache_entry_is_said_and_made_again(tmp_path: Path, finished: Finished) -> None:
    shutil.copytree(finished.folder, tmp_path, dirs_exist_ok=True)
    out, before = tmp_path / "out", contents(finished.folder / "out")
    entries = sorted((out / "cache").rglob("*.result"))
    assert {each.parent.name for each in entries} == {"cache", "folds"}
    for entry in entries:
        entry.write_bytes(entry.read_bytes()[:-1])
    shutil.rmtree(out / "predictions")
    again = called("run", tmp_path / "toy.toml", "-o", out, "--processes", 1, "--no-report")
    assert again.returncode == 0, again.stderr
    assert again.stderr.count("is damaged; recomputing it") == len(entries)
    assert contents(out) == before


@every_kind()
@pytest.mark.parametrize("library", ["sklearn", "scipy"])
def test_a_missing_extra_says_what_to_install(tmp_path: Path, kind: Kind, library: str) -> None:
    (tmp_path / "absent").mkdir()
    (tmp_path / "absent" / f"{library}.py").write_text("raise ImportError('not here')\n")
    hidden = os.pathsep.join([str(tmp_path / "absent"), SRC])
    done = called("run", kind.configured(tmp_path), "-o", tmp_path / "out", PYTHONPATH=hidden)
    assert done.returncode == 2, done.stderr
    told = f"{library} is not installed; install the extra: {pip_install('pipeline')}"
    assert done.stderr.count("\n") == 1
    assert told in done.stderr
