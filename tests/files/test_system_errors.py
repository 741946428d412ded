"""Full disks, forbidden places, closed pipes, signals: one sentence, its exit code, nothing left."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path

import pytest

import assay
from assay.cli.ending import signals_end_the_command
from assay.errors import Terminated
from assay.report.figures.figure_files import save_figure
from assay.report.figures.roc_and_pr import RocDisplay
from tests.command import exit_code
from tests.pipeline.conftest import toy, write
from tests.report import worlds

PLAN = 'corpus = "corpus"\nstages = ["lexical"]\n[protocol]\nfolds = 2\nresamples = 0\n'
JSONL = '{"post": "p", "criterion": "c", "sentences": ["a", "b"], "evidence": [0]}\n'
NOBODY = 65534
ONE = ("-m", "ndcg@3")

COMMANDS: dict[str, tuple[str, ...]] = {
    "evaluate": ("evaluate", "predictions", "--corpus", "own", *ONE, "-o", "new/b", "--no-report"),
    "evaluate with a report": ("evaluate", "predictions", "--corpus", "own", *ONE, "-o", "new"),
    "overwrite": ("evaluate", "predictions", "--corpus", "own", *ONE, "-o", "bundle", "--overwrite"),
    "several": ("evaluate", "predictions", "second", "--corpus", "own", *ONE, "-o", "n", "--no-report"),
    "per query": ("evaluate", "predictions", "--corpus", "own", *ONE, "--per-query", "q.csv"),
    "per query, Parquet": ("evaluate", "predictions", "--corpus", "own", *ONE, "--per-query", "q.parquet"),
    "both": (
        "evaluate",
        "predictions",
        "--corpus",
        "own",
        *ONE,
        "-o",
        "b",
        "--no-report",
        "--per-query",
        "q.csv",
    ),
    "gate": ("gate", "bundle", "--junit", "gate.xml"),
    "report": ("report", "bundle"),
    "page": ("report", "bundle", "-o", "deep/page.html"),
    "synth": ("synth", "-o", "new", "--posts", "20"),
    "import": ("import", "jsonl", "lines.jsonl", "-o", "new"),
    "run": ("run", "plan.toml", "-o", "out", "--processes", "1"),
    "ablate": ("ablate", "plan.toml", "-o", "out", "--processes", "1"),
}
READERS: dict[str, tuple[str, ...]] = {
    "demo": ("demo",),
    "verify": ("verify", "bundle", "--draws", "2"),
    "compare": ("compare", "predictions", "second", "--corpus", "own", "-m", "ndcg@3", "--resamples", "100"),
    "audit": ("audit", "bundle"),
    "lint": ("lint", "--rules"),
    "contract": ("contract", "show", "assay/1"),
    "metric": ("metric", "list", "--json"),
}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Inputs of every command, and a run that has its work in its cache."""
    home = tmp_path_factory.mktemp("world")
    example = Path(str(files("assay.example")))
    shutil.copytree(example / "predictions", home / "predictions")
    shutil.copytree(example / "predictions", home / "second")
    shutil.copytree(example / "corpus", home / "own")
    result = assay.evaluate(
        home / "predictions", home / "own", measures=["ndcg@3"], bootstrap=assay.Bootstrap(20)
    )
    result.save(home / "bundle")
    write(toy(24), home / "corpus")
    (home / "plan.toml").write_text(PLAN)
    (home / "lines.jsonl").write_text(JSONL)
    assay.run(assay.read_plan(home / "plan.toml"), home / "out", processes=1)
    for path in (home / "out").iterdir():
        if path.name != "cache":
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    return home


@pytest.fixture
def place(world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the inputs, as the working directory; temporary files are in it, too."""
    worlds.one_figure(monkeypatch)
    home = Path(shutil.copytree(world, tmp_path / "place"))
    (home / "tmp").mkdir()
    monkeypatch.chdir(home)
    monkeypatch.setattr("tempfile.tempdir", str(home / "tmp"))
    return home


def tree(folder: Path) -> dict[str, bytes | None]:
    """Every file and folder, without the cache of a run, which is kept on purpose."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
        if "cache" not in path.relative_to(folder).parts
    }


def one_line(err: str, *words: str) -> None:
    """The last line says what is wrong and what to do; before it only what a command tells of."""
    *before, last = err.splitlines()
    assert last.startswith("assay: ")
    assert ";" in last
    assert all(word in last for word in words), last
    assert "Traceback" not in err
    assert not any("cannot be" in line for line in before)


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """No file may be larger, as on a disk that is full: the system says EFBIG."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def as_somebody() -> Iterator[None]:
    """Root may do anything, so be nobody for a while."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_full_disk(
    name: str, place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = tree(place)
    failures = 0
    for size in (0, 3_000):  # so that it comes with the first file and with a later one
        with largest_file(size):
            code = exit_code(monkeypatch, *COMMANDS[name])
        err = capsys.readouterr().err
        if code in (0, 1):  # 1: the gate has said no
            break
        failures += 1
        assert code == 2, err
        one_line(err, "cannot be written (File too large); free some space")
        assert tree(place) == before
    else:
        assert exit_code(monkeypatch, *COMMANDS[name]) in (0, 1)  # with room it works
    assert failures
    assert not [path for path in place.rglob("*") if "unfinished" in path.name]


@pytest.mark.parametrize("name", [*COMMANDS, *READERS])
def test_a_full_disk_behind_stdout(
    name: str, place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = tree(place)
    with Path("/dev/full").open("w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        code = exit_code(monkeypatch, *(COMMANDS | READERS)[name])
        assert code == 2
    one_line(capsys.readouterr().err, "stdout: cannot be written (No space left on device)")
    assert tree(place) == before


@pytest.mark.parametrize("name", COMMANDS)
def test_a_folder_that_may_not_be_written(
    name: str, place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code(monkeypatch, *COMMANDS[name]) in (0, 1)  # everything is imported
    capsys.readouterr()
    for path in place.iterdir():
        if path.name in ("new", "n", "b", "q.csv", "q.parquet", "gate.xml", "deep"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    shutil.rmtree(place / "out")
    (place / "out").mkdir()
    open_to_all(place)
    for folder in (place, *place.rglob("*/")):
        folder.chmod(0o555)
    before = tree(place)
    with as_somebody():
        code = exit_code(monkeypatch, *COMMANDS[name])
    assert code == 2
    one_line(capsys.readouterr().err, "(Permission denied); check the permissions")
    assert tree(place) == before


def open_to_all(place: Path) -> None:
    """Also the folders above, which are root's own."""
    for path in [place, *place.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    for parent in place.parents:
        if parent.is_relative_to("/tmp") and parent != Path("/tmp"):
            parent.chmod(0o755)


UNREADABLE = {
    "candidates": ("evaluate", "predictions", "--corpus", "own"),
    "a folder": ("evaluate", "predictions", "--corpus", "own"),
    "a parent": ("evaluate", "predictions", "--corpus", "own"),
    "verify": ("verify", "bundle"),
    "report": ("report", "bundle"),
    "gate": ("gate", "bundle"),
    "audit": ("audit", "own"),
    "lint": ("lint", "figures.csv"),
    "contract": ("contract", "show", "own.toml"),
    "import": ("import", "jsonl", "lines.jsonl", "-o", "new"),
    "plan": ("run", "plan.toml", "-o", "out2", "--processes", "1"),
    "decisions": ("evaluate", "--decisions", "figures.csv"),
    "run": ("evaluate", "--qrels", "figures.csv", "--run", "figures.csv"),
}
CLOSED = {
    "candidates": "predictions/candidates.csv",
    "a folder": "predictions",
    "a parent": ".",
    "verify": "bundle/gold.csv",
    "report": "bundle/gold.csv",
    "gate": "bundle/gold.csv",
    "audit": "own/gold.csv",
    "lint": "figures.csv",
    "contract": "own.toml",
    "import": "lines.jsonl",
    "plan": "plan.toml",
    "decisions": "figures.csv",
    "run": "figures.csv",
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_may_not_be_read(
    name: str, place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / "figures.csv").write_text("label,prob\n1,0.5\n0,0.1\n")
    (place / "own.toml").write_text('id = "x"\nk = [3]\n[measures]\nr = "recall@3"\n')
    exit_code(monkeypatch, *UNREADABLE[name])  # everything is imported
    capsys.readouterr()
    shutil.rmtree(place / "out2", ignore_errors=True)
    shutil.rmtree(place / "new", ignore_errors=True)
    open_to_all(place)
    before = tree(place)
    (place / CLOSED[name]).chmod(0)
    with as_somebody():
        code = exit_code(monkeypatch, *UNREADABLE[name])
    (place / CLOSED[name]).chmod(0o755)
    assert code == 2
    err = capsys.readouterr().err
    assert "Traceback" not in err
    assert "ermission denied" in err
    assert tree(place) == before


@pytest.mark.parametrize(
    ("option", "target", "words"),
    [
        ("-o", "lines.jsonl/bundle", "Not a directory"),
        ("-o", "n" * 300, "File name too long"),
        ("--per-query", "lines.jsonl/q.csv", "Not a directory"),
        ("--per-query", "nowhere/q.csv", "No such file or directory"),
        ("--per-query", "n" * 300 + ".csv", "File name too long"),
        ("--per-query", "folder.csv", "it is a folder"),
    ],
)
def test_places_that_cannot_be(
    option: str,
    target: str,
    words: str,
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (place / "folder.csv").mkdir()
    before = tree(place)
    given = ("evaluate", "predictions", "--corpus", "own", *ONE, option, target)
    assert exit_code(monkeypatch, *given) == 2
    one_line(capsys.readouterr().err, words, target[:20])
    assert tree(place) == before


def test_a_name_that_is_as_long_as_can_be(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Scratch names must not be longer than the name itself."""
    given = ("evaluate", "predictions", "--corpus", "own", *ONE)
    assert exit_code(monkeypatch, *given, "--no-report", "-o", "é" * 127) == 0
    assert exit_code(monkeypatch, *given, "--per-query", "q" * 251 + ".csv") == 0
    assert assay.load("é" * 127).system == "predictions"


def test_a_closed_pipe_is_no_error(place: Path) -> None:
    """`| head` has seen enough; the bundle is written."""
    command = [sys.executable, "-m", "assay.cli", *COMMANDS["evaluate"]]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0
    assert (place / "new" / "b" / "MANIFEST.json").is_file()


def test_a_report_that_fails_leaves_no_bundle(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = tree(place)

    def fail(*_: object) -> str:
        raise assay.InputError.of("page", "cannot be made", "")

    monkeypatch.setattr("assay.report.report_folder.page", fail)
    for name in ("evaluate with a report", "overwrite", "run"):
        assert exit_code(monkeypatch, *COMMANDS[name]) == 2
        assert "page: cannot be made" in capsys.readouterr().err
        assert tree(place) == before


# Signals


@pytest.fixture
def nothing_ignored() -> Iterator[None]:
    """A shell without job control starts background commands with SIGINT ignored, nohup with SIGHUP."""
    before = [(number, signal.getsignal(number)) for number in (signal.SIGINT, signal.SIGHUP)]
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    for number, handler in before:
        signal.signal(number, handler)


@pytest.mark.usefixtures("nothing_ignored")
def test_signals_raise_once() -> None:
    kinds = ((signal.SIGTERM, Terminated), (signal.SIGHUP, Terminated), (signal.SIGINT, KeyboardInterrupt))
    for number, kind in kinds:
        with signals_end_the_command():
            with pytest.raises(kind):
                signal.raise_signal(number)
            os.kill(os.getpid(), number)  # it is clearing up
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    assert signal.getsignal(signal.SIGHUP) == signal.SIG_DFL
    assert signal.getsignal(signal.SIGINT) == signal.default_int_handler


SLOW_ORACLE = """
import os, sys, time
open(os.environ["ORACLE"], "w").write(str(os.getpid()))
time.sleep(60)
"""


@pytest.mark.usefixtures("nothing_ignored")
@pytest.mark.parametrize(
    ("number", "code", "line"),
    [
        (signal.SIGTERM, 143, "assay: terminated\n"),
        (signal.SIGHUP, 143, "assay: terminated\n"),  # the terminal was closed
        (signal.SIGINT, 130, "assay: interrupted\n"),
    ],
)
def test_verify_ends_the_second_implementation(
    number: signal.Signals, code: int, line: str, place: Path
) -> None:
    """Neither a process nor a folder of it stays."""
    fake = place / "fake" / "assay_oracle"
    fake.mkdir(parents=True)
    (fake / "__init__.py").touch()
    (fake / "__main__.py").write_text(SLOW_ORACLE)
    told = place / "oracle.pid"
    environment = {
        **os.environ,
        "PYTHONPATH": str(fake.parent),
        "ORACLE": str(told),
        "TMPDIR": str(place / "tmp"),
    }
    command = [sys.executable, "-m", "assay.cli", "verify", "bundle"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as process:
        while not told.exists() or not told.read_text():
            time.sleep(0.02)
            assert process.poll() is None
        assert list((place / "tmp").iterdir())  # it has begun
        process.send_signal(number)
        assert process.stderr is not None
        assert process.stderr.read() == line
    assert process.returncode == code
    assert list((place / "tmp").iterdir()) == []
    assert not alive(int(told.read_text()))


def alive(number: int) -> bool:
    """Whether a process runs; one that has ended and that nobody waits for does not."""
    try:
        return "State:\tZ" not in Path(f"/proc/{number}/status").read_text()
    except OSError:
        return False


def test_a_run_ends_its_workers(place: Path) -> None:
    """Also where SIGTERM comes to the first process only."""
    command = [sys.executable, "-c", RUN]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        workers = [int(number) for number in json.loads(process.stdout.readline())]
        assert len(workers) == 2
        process.send_signal(signal.SIGTERM)
        assert process.stderr.read() == "assay: terminated\n"
    assert process.returncode == 143
    assert not any(map(alive, workers))


RUN = """
import sys
from assay import cli
from tests.files import slow
sys.modules["assay.cli.app"] = slow
cli.main()
"""


def test_a_figure_on_a_full_disk(tmp_path: Path) -> None:
    """matplotlib's PDF writer clears up after an error with another one, which was a fault of assay."""
    labels = tmp_path / "labels.csv"
    labels.write_text("label,prob\n1,0.9\n0,0.2\n1,0.6\n0,0.7\n")
    display = RocDisplay.of(assay.evaluate(assay.read_decisions(labels)))
    folder = tmp_path / "figures"
    folder.mkdir()
    with largest_file(1000), pytest.raises(OSError, match="File too large"):
        save_figure(display, folder)
