"""Spark Connect: a client without Java and a server, which give the bits of one process."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import assay
from tests.engines.cluster import SETTINGS
from tests.pipeline.protocols.test_folds import short
from tests.pipeline.test_run import called, contents

pytestmark = pytest.mark.full
SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer"


@pytest.fixture(scope="module")
def server(java: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a Spark Connect server with two threads."""
    import pyspark

    home = Path(pyspark.__file__).parent
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = {
        **{name: value for name, value in SETTINGS.items() if "cores" not in name},
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
    }
    options = [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]
    command = [str(home / "bin" / "spark-submit"), "--master", "local[2]", *options, "--class", SERVER]
    environment = {**os.environ, "SPARK_HOME": str(home), "PYSPARK_PYTHON": sys.executable}
    log = tmp_path_factory.mktemp("connect") / "log.txt"
    with log.open("wb") as out:
        process = subprocess.Popen(
            command, stdout=out, stderr=subprocess.STDOUT, env=environment, cwd=log.parent
        )
    try:
        for _ in range(600):
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                assert process.poll() is None, log.read_text()
                time.sleep(0.1)
        yield f"sc://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("name", ["run.parquet", "run.txt", "scattered.txt"])
def test_a_run(name: str, server: str, runs: Path, tmp_path: Path) -> None:
    given = ("evaluate", "--qrels", runs / "qrels.txt", "--run", runs / name, "--ci", "50", "--json")
    there = called(*given, "--engine", server)
    assert (there.returncode, there.stderr) == (0, "")
    assert there.stdout == called(*given).stdout


def test_predictions_with_decisions(server: str, corpus: Path) -> None:
    given = ("evaluate", corpus / "a", "--corpus", corpus / "corpus", "--ci", "50", "--json")
    there = called(*given, "--engine", server)
    assert (there.returncode, there.stderr) == (0, "")
    assert there.stdout == called(*given).stdout


def test_the_folds_of_a_pipeline(server: str, tmp_path: Path) -> None:
    plan = short(tmp_path)
    made = called("run", tmp_path / "toy.toml", "-o", tmp_path / "there", "--no-report", "--engine", server)
    assert made.returncode == 0, made.stderr
    assay.run(plan, tmp_path / "here", processes=1)
    assert contents(tmp_path / "there") == contents(tmp_path / "here")
