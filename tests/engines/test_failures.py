"""What goes wrong under Spark is one sentence with exit code 2, and nothing is half-written."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import assay
from assay.data.runs import JudgedRun
from assay.engines.spark_qrels import spark_qrels
from assay.engines.spark_run import spark_run
from tests.command import exit_code

pytestmark = pytest.mark.full
NOBODY = 65534


@pytest.fixture
def fails(
    spark: Any, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> Any:
    """Run a command on the cluster; return its one sentence."""

    def run(*arguments: object) -> str:
        capfd.readouterr()
        code = exit_code(monkeypatch, *arguments, "--engine", "spark", "-o", tmp_path / "bundle")
        said = capfd.readouterr().err
        assert code == 2, said
        assert not (tmp_path / "bundle").exists()
        assert "Traceback" not in said
        assert said.count("\n") == 1, said
        return said

    return run


def test_a_missing_file(fails: Any, runs: Path) -> None:
    said = fails("evaluate", "--qrels", runs / "qrels.txt", "--run", runs / "absent.txt")
    assert "absent.txt: file not found" in said


def test_a_line_of_text(fails: Any, runs: Path, tmp_path: Path) -> None:
    """Spark cuts the file; the line is counted from its start."""
    lines = (runs / "run.txt").read_text(encoding="utf-8").split("\n")
    query, rest = lines[15_000].split(" ", 1)
    lines[15_000] = f"{query} {rest.rsplit(' ', 2)[0]} high tag"
    (tmp_path / "bad.txt").write_text("\n".join(lines), encoding="utf-8")
    said = fails("evaluate", "--qrels", runs / "qrels.txt", "--run", tmp_path / "bad.txt")
    assert "bad.txt line 15001: score is 'high'; scores must be numbers" in said


def test_a_byte_that_is_not_text(fails: Any, runs: Path, tmp_path: Path) -> None:
    data = (runs / "run.txt").read_bytes().split(b"\n")
    data[99] = data[99].replace(b" Q0 ", b" Q0 \xff")
    (tmp_path / "bad.txt").write_bytes(b"\n".join(data))
    said = fails("evaluate", "--qrels", runs / "qrels.txt", "--run", tmp_path / "bad.txt")
    assert "bad.txt line 100: byte b'\\xff' is not UTF-8" in said


def test_a_row_of_one_of_several_parquet_files(fails: Any, runs: Path, tmp_path: Path) -> None:
    frame = pl.read_parquet(runs / "run.parquet")
    (tmp_path / "parts").mkdir()
    frame[:5000].write_parquet(tmp_path / "parts" / "0.parquet")
    score = pl.when(pl.int_range(pl.len()) == 4321).then(float("nan")).otherwise("score")
    frame[5000:].with_columns(score.alias("score")).write_parquet(tmp_path / "parts" / "1.parquet")
    said = fails("evaluate", "--qrels", runs / "qrels.txt", "--run", tmp_path / "parts")
    assert "parts/1.parquet row 4322: score is nan; scores must be finite" in said.lower()


def test_a_document_that_is_there_twice(fails: Any, runs: Path, tmp_path: Path) -> None:
    lines = (runs / "scattered.txt").read_text(encoding="utf-8").split("\n")
    lines.insert(9000, lines[20])
    (tmp_path / "twice.txt").write_text("\n".join(lines), encoding="utf-8")
    said = fails("evaluate", "--qrels", runs / "qrels.txt", "--run", tmp_path / "twice.txt")
    assert "twice.txt line 9001: document" in said
    assert "is listed twice; expected each document once per query" in said


def test_a_parquet_file_that_is_cut_off(fails: Any, runs: Path, tmp_path: Path) -> None:
    (tmp_path / "cut.parquet").write_bytes((runs / "run.parquet").read_bytes()[:-100])
    said = fails("evaluate", "--qrels", runs / "qrels.txt", "--run", tmp_path / "cut.parquet")
    assert "cut.parquet" in said
    assert "cannot be read" in said


def test_a_sentence_of_another_post(fails: Any, corpus: Path, tmp_path: Path) -> None:
    import shutil

    shutil.copytree(corpus / "a", tmp_path / "a")
    frame = pl.read_parquet(tmp_path / "a" / "candidates.parquet")
    last = frame["sent_uid"][-1]
    uid = pl.when(pl.int_range(pl.len()) == 40).then(pl.lit(last)).otherwise("sent_uid")
    frame.with_columns(uid.alias("sent_uid")).write_parquet(tmp_path / "a" / "candidates.parquet")
    said = fails("evaluate", tmp_path / "a", "--corpus", corpus / "corpus")
    assert "candidates.parquet row 41: sent_uid" in said


def test_a_file_that_is_removed_during_the_run(spark: Any, runs: Path, tmp_path: Path) -> None:
    path = tmp_path / "run.parquet"
    path.write_bytes((runs / "run.parquet").read_bytes())
    judged = JudgedRun(spark_qrels(spark, runs / "qrels.txt", None, None), spark_run(spark, path))
    path.unlink()
    with pytest.raises(assay.AssayError, match=r"run\.parquet: was removed while it was being read"):
        assay.evaluate(judged)


def test_a_file_that_changes_before_its_bundle_is_written(spark: Any, runs: Path, tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    path.write_bytes((runs / "run.txt").read_bytes())
    result = assay.evaluate(path, qrels=runs / "qrels.txt", engine=spark, measures="map")
    path.write_bytes((runs / "other.txt").read_bytes())
    with pytest.raises(assay.AssayError, match="changed while it was being read"):
        result.save(tmp_path / "bundle")
    assert not (tmp_path / "bundle").exists()


COMMAND = [sys.executable, "-m", "assay.cli"]


def command(runs: Path, run: str, *more: object) -> list[str]:
    options = ["evaluate", "--qrels", runs / "qrels.txt", "--run", runs / run, "--engine", "local[1]"]
    return [*COMMAND, *map(str, (*options, "-m", "map", *more))]


def one_sentence(arguments: list[str], **settings: Any) -> str:
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=240, check=False, **settings)
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr


def test_executors_without_assay(java: None, runs: Path, tmp_path: Path) -> None:
    hide = "import sys\nclass Hidden:\n    def find_spec(self, name, *_):\n"
    hide += "        if name == 'assay':\n            raise ModuleNotFoundError(f\"No module named '{name}'\", name=name)\n"
    (tmp_path / "sitecustomize.py").write_text(hide + "sys.meta_path.insert(0, Hidden())\n")
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH="{tmp_path}:$PYTHONPATH" exec {sys.executable} "$@"\n')
    python.chmod(0o755)
    said = one_sentence(command(runs, "run.txt"), env={**os.environ, "PYSPARK_PYTHON": str(python)})
    assert "the Spark executors cannot import assay; ship it with spark.archives" in said


def test_a_full_disk(java: None, runs: Path, tmp_path: Path) -> None:
    """No file may grow beyond 30 kB, so that the shuffle cannot be written."""

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, 30_000))

    scratch = {**os.environ, "SPARK_LOCAL_DIRS": str(tmp_path / "scratch")}
    arguments = command(runs, "scattered.txt", "-o", tmp_path / "bundle")
    said = one_sentence(arguments, env=scratch, preexec_fn=limited)
    assert "a disk of Spark is full" in said
    assert not (tmp_path / "bundle").exists()


def test_a_file_that_may_not_be_read(java: None, runs: Path, tmp_path: Path) -> None:
    closed = tmp_path / "closed.txt"
    closed.write_bytes((runs / "run.txt").read_bytes())
    closed.chmod(0)
    arguments = command(runs, str(closed))
    if os.geteuid() == 0:  # root may read everything, unless it gives that up
        os.chown(closed, NOBODY, NOBODY)
        rights = "-dac_override,-dac_read_search"
        arguments = ["setpriv", "--bounding-set", rights, "--inh-caps", rights, *arguments]
    said = one_sentence(arguments)
    assert "closed.txt: permission denied" in said


def files_below(folder: Path, start: str = "") -> list[str]:
    """Return the files in Spark's folders of blocks; folders may vanish meanwhile."""
    return [
        name
        for place, _, names in os.walk(folder)
        for name in names
        if "blockmgr-" in place and name.startswith(start)
    ]


def test_the_driver_is_killed(java: None, runs: Path, tmp_path: Path) -> None:
    """Nothing is left of the bundle, and no process stays behind."""
    environment = {**os.environ, "SPARK_LOCAL_DIRS": str(tmp_path / "scratch")}
    arguments = command(runs, "scattered.txt", "-o", tmp_path / "out" / "bundle", "--no-report")
    (tmp_path / "out").mkdir()
    with subprocess.Popen(arguments, env=environment, stdout=subprocess.DEVNULL) as driver:
        for _ in range(2000):
            if files_below(tmp_path / "scratch", "shuffle_") or driver.poll() is not None:
                break
            time.sleep(0.02)
        assert driver.poll() is None, "it ended before it was killed"
        os.kill(driver.pid, signal.SIGKILL)
    assert list((tmp_path / "out").iterdir()) == []
    for _ in range(300):  # Java notices that its driver is gone
        if not files_below(tmp_path / "scratch"):
            break
        time.sleep(0.1)
    assert not files_below(tmp_path / "scratch")
