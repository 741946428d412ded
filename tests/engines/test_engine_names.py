"""Engines by name, and failures of Spark as sentences: no Java is needed for these."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

import assay
from assay.engines.spark_errors import failure, plain_path
from assay.engines.spark_session import is_local, spark_session
from assay.engines.spark_source import spark_path
from tests.command import exit_code

QRELS = {"q": {"d": 1}}
RUN = {"q": {"d": 0.5}}


@pytest.mark.parametrize(
    "engine", ["spark", "local[2]", "local[*]", "local[2,4]", "spark://h:7077", "sc://h", "yarn"]
)
def test_engines_of_spark(engine: str) -> None:
    assert not is_local(engine)


def test_this_process_is_an_engine_too() -> None:
    assert assay.evaluate(RUN, qrels=QRELS, measures="mrr", engine="local")["mrr"].value == 1.0


@pytest.mark.parametrize("engine", ["dask", "local[x]", "spark://h", "LOCAL", ""])
def test_an_unknown_engine(engine: str) -> None:
    with pytest.raises(assay.AssayError, match="expected local, spark, local"):
        assay.evaluate(RUN, qrels=QRELS, engine=engine)


@pytest.mark.parametrize(
    "engine", ["local[0]", "local[1025]", "local[1000000000]", "local[" + "9" * 5000 + ",2]"]
)
def test_more_threads_than_any_machine_has(engine: str) -> None:
    """Spark made a billion tasks of one query, and never ended."""
    with pytest.raises(assay.AssayError, match=r"`engine`: is .*expected 1 to 1,024 threads"):
        assay.evaluate(RUN, qrels=QRELS, engine=engine)


def test_an_engine_that_is_no_session() -> None:
    with pytest.raises(assay.AssayError, match=r"`engine`: is a dict; expected .* or a SparkSession"):
        assay.evaluate(RUN, qrels=QRELS, engine={})


def test_the_option_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code(monkeypatch, "evaluate", "--qrels", "q", "--run", "r", "--engine", "dask") == 2
    assert capsys.readouterr().err.startswith("assay: --engine: is 'dask'; expected local, spark,")


@pytest.mark.parametrize("engine", ["spark://127.0.0.1:9", "sc://127.0.0.1:9"])
def test_nobody_answers(engine: str) -> None:
    with pytest.raises(assay.AssayError, match=r"^s[a-z]*://127\.0\.0\.1:9: Spark does not answer"):
        spark_session(engine)


@pytest.mark.parametrize(
    ("text", "condition", "sentence"),
    [
        (
            "…\nModuleNotFoundError: No module named 'assay'\n",
            "",
            "the Spark executors cannot import assay; ship",
        ),
        (
            "ModuleNotFoundError: No module named 'polars.x'",
            "",
            "the Spark executors cannot import polars; ship",
        ),
        ("x", "JAVA_GATEWAY_EXITED", "Spark needs Java 17 or newer"),
        ("java.io.IOException: No space left on device", "", "run: a disk of Spark is full"),
        ("Path does not exist: file:/a/b%20c.txt. SQL", "PATH_NOT_FOUND", "/a/b c.txt: file not found"),
        ("/a/b.txt (Permission denied)", "", "/a/b.txt: permission denied"),
        (
            "assay.errors.AssayError: the Spark executors have assay 1",
            "",
            "the Spark executors have assay 1; ship",
        ),
        ("Something else\n at org.x", "", "run: Spark failed ('Something else')"),
    ],
)
def test_failures_of_spark(text: str, condition: str, sentence: str) -> None:
    said = str(failure(text, "run", condition))
    assert said.startswith(sentence)
    assert "\n" not in said


def test_paths(tmp_path: Path) -> None:
    (tmp_path / "a[1].txt").touch()
    assert spark_path(tmp_path / "a[1].txt") == f"file:{tmp_path}/a\\[1\\].txt"
    assert spark_path(Path("hdfs://host:9000/run")) == "hdfs://host:9000/run"
    assert plain_path("file:///a/b%C3%A9") == "/a/bé"


def test_java_is_there(java: None) -> None:
    """Without it this is skipped, so that `make test` says what was left out."""
    done = subprocess.run(["java", "-version"], capture_output=True, text=True, check=True)
    assert int(re.findall(r'version "(\d+)', done.stderr)[0]) >= 17
