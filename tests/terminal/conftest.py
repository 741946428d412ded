"""Commands on a real terminal of a given width: a pseudo-terminal, or a pipe to compare with."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import tempfile
import termios
from collections.abc import Callable
from pathlib import Path

import pytest

import assay

EXAMPLE = Path(assay.__file__).parent / "example"
BREAK = "<<<next>>>"
DRIVER = f"""
import gc, json, sys
from assay.cli import main
for arguments in json.loads(sys.argv[1]):
    sys.argv = ["assay", *arguments]
    try:
        main()
    except SystemExit as stop:
        if stop.code not in (None, 0, 1):
            raise
    gc.enable()
    sys.stdout.write("{BREAK}")
    sys.stdout.flush()
"""
Lines = list[list[str]]


def environment(**changes: str) -> dict[str, str]:
    left_out = ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "TERM")
    kept = {name: value for name, value in os.environ.items() if name not in left_out}
    return {**kept, "PYTHONIOENCODING": "utf-8", **changes}


def on_terminal(columns: int, commands: Lines, **changes: str) -> list[str]:
    """Return what each command prints where stdin and stdout are a terminal."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    # On a slow machine a progress bar would be in between.
    errors = tempfile.TemporaryFile()  # noqa: SIM115 # closed below
    child = subprocess.Popen(
        [sys.executable, "-c", DRIVER, json.dumps(commands)],
        stdin=theirs,
        stdout=theirs,
        stderr=errors,
        env=environment(**{"TERM": "xterm", **changes}),
    )
    os.close(theirs)
    read = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # Linux says EIO where the other end is closed
            break
        if not part:
            break
        read += part
    os.close(ours)
    text = read.decode().replace("\r\n", "\n")
    code = child.wait(timeout=60)
    errors.seek(0)
    assert code == 0, errors.read().decode()
    errors.close()
    *parts, rest = text.split(BREAK)
    assert rest == ""
    return parts


def in_pipe(commands: Lines, **changes: str) -> list[str]:
    """Return what each command prints where nothing is a terminal."""
    done = subprocess.run(
        [sys.executable, "-c", DRIVER, json.dumps(commands)],
        capture_output=True,
        env=environment(**changes),
        text=True,
        encoding="utf-8",
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split(BREAK)[:-1]


@pytest.fixture(scope="session")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle of the example with intervals and breakdowns."""
    folder = tmp_path_factory.mktemp("shown") / "bundle"
    result = assay.evaluate(
        EXAMPLE / "predictions",
        EXAMPLE / "corpus",
        by=["criterion_id", "state"],
        bootstrap=assay.Bootstrap(50),
    )
    result.save(folder)
    return folder


@pytest.fixture(scope="session")
def small_bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle of few measures, some of which meet their targets."""
    folder = tmp_path_factory.mktemp("small") / "bundle"
    measures = ["ndcg@10", "auroc", "brier", "alert_precision", "evidence_recall"]
    assay.evaluate(EXAMPLE / "predictions", EXAMPLE / "corpus", measures=measures).save(folder)
    return folder


Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """A command in this process: exit code, stdout and stderr."""
    from tests.command import exit_code

    def run(*arguments: object) -> tuple[int, str, str]:
        capsys.readouterr()
        return exit_code(monkeypatch, *arguments), *capsys.readouterr()

    return run
