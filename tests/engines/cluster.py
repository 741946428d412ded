"""A Spark standalone cluster on loopback: a master and workers, each in a separate process."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

MASTER, WORKER = "org.apache.spark.deploy.master.Master", "org.apache.spark.deploy.worker.Worker"
SETTINGS = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
    "spark.executor.memory": "800m",
    "spark.executor.cores": "1",
    "spark.cores.max": "2",
    "spark.shuffle.io.retryWait": "1s",
    "spark.sql.files.maxPartitionBytes": "300k",  # files are cut, and queries with them
    "spark.sql.files.openCostInBytes": "50k",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "777",  # a batch ends inside a query
}


def command_of(process: psutil.Process) -> str:
    """Return the command of a process; nothing for one that has ended."""
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


class Cluster:
    """One master and two workers with one executor of the session each."""

    def __init__(self, folder: Path) -> None:
        import pyspark

        self.folder, self.home = folder, Path(pyspark.__file__).parent
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"spark://127.0.0.1:{self.port}"
        self.processes = [self._start("master", MASTER, "--port", str(self.port))]
        self._wait_for_master()
        self.workers = [self._worker(0), self._worker(1)]

    def _start(self, name: str, *arguments: str) -> subprocess.Popen[bytes]:
        environment = {
            **os.environ,
            "SPARK_HOME": str(self.home),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_LOCAL_DIRS": str(self.folder / f"{name}-scratch"),
            "SPARK_DAEMON_MEMORY": "256m",
            "PYSPARK_PYTHON": sys.executable,
        }
        command = [str(self.home / "bin" / "spark-class"), *arguments, "--host", "127.0.0.1"]
        with (self.folder / f"{name}.log").open("wb") as log:
            return subprocess.Popen(
                [*command, "--webui-port", "0"], env=environment, stdout=log, stderr=subprocess.STDOUT
            )

    def _worker(self, number: int) -> subprocess.Popen[bytes]:
        name = f"worker-{number}-{len(self.processes)}"
        resources = ("--cores", "2", "--memory", "2g", "--work-dir", str(self.folder / name))
        made = self._start(name, WORKER, *resources, self.url)
        self.processes.append(made)
        return made

    def _wait_for_master(self) -> None:
        for _ in range(600):
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
            except OSError:
                time.sleep(0.1)
            else:
                return
        raise AssertionError((self.folder / "master.log").read_text())

    def session(self) -> Any:
        """Start a session with one executor on each worker."""
        from assay.engines.spark_session import quiet_warnings

        with quiet_warnings():
            from pyspark.sql import SparkSession

            os.environ["PYSPARK_PYTHON"] = sys.executable
            builder = SparkSession.builder.master(self.url).appName("assay tests")
            for name, value in SETTINGS.items():
                builder = builder.config(name, value)
            session = builder.getOrCreate()
        self.wait_for_executors(session)
        return session

    def wait_for_executors(self, session: Any, number: int = 2) -> None:
        """Wait until so many executors have registered."""
        for _ in range(900):
            if session.sparkContext._jsc.sc().statusTracker().getExecutorInfos().__len__() > number:
                return  # the driver counts as one
            time.sleep(0.1)
        raise AssertionError("the executors did not start: " + str(list(self.folder.rglob("stderr"))))

    def kill_worker(self, number: int) -> None:
        """Kill a worker together with its executors and their Python processes."""
        worker = self.workers[number]
        doomed = [psutil.Process(worker.pid), *psutil.Process(worker.pid).children(recursive=True)]
        assert any("CoarseGrainedExecutorBackend" in command_of(each) for each in doomed)
        for each in doomed:
            with suppress(psutil.NoSuchProcess):  # a Python process has ended meanwhile
                each.send_signal(signal.SIGKILL)
        worker.wait()

    def replace_worker(self, number: int) -> None:
        """Start a new worker in place of one that was killed."""
        self.workers[number] = self._worker(number)

    def stop(self) -> None:
        """End every process."""
        for process in reversed(self.processes):
            if process.poll() is None:
                for child in psutil.Process(process.pid).children(recursive=True):
                    child.kill()
                process.kill()
                process.wait()
