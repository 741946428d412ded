"""The Spark session that an engine names: one that runs, or a new one for a master URL."""

from __future__ import annotations

import os
import re
import socket
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from assay.engines.spark_errors import spark_failures
from assay.errors import InputError, MissingExtraError, shown
from assay.version import pip_install

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOCAL, SPARK = "local", "spark"
LOCAL_MASTER = re.compile(r"local\[(\*|\d+)(,\s*\d+)?\]")
STANDALONE = re.compile(r"spark://([^:/]+):(\d+)(,[^:/]+:\d+)*")
CONNECT = re.compile(r"sc://([^:/;]+)(?::(\d+))?")
OTHER_MASTERS = ("yarn", "k8s://", "sc://")
EXPECTED = "expected local, spark, local[N], local[N,F], spark://HOST:PORT, sc://HOST:PORT, yarn or k8s://…"
MOST_THREADS = 1024
"""Of a local master: Spark divides the data into a part per thread, however few rows there are."""
LOG = "ASSAY_SPARK_LOG"
"""Environment variable: the file that the log of a new session is written to."""
LOOPBACK = ("localhost", "127.0.0.1")
OWN_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
    "spark.executorEnv.POLARS_MAX_THREADS": "1",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "100000",
}


def is_local(engine: object) -> bool:
    """Return whether an engine is this process; raise for one that is unknown.

    >>> is_local(None), is_local("local"), is_local("local[4]")
    (True, True, False)
    """
    if engine is None or engine == LOCAL:
        return True
    if isinstance(engine, str):
        threads = LOCAL_MASTER.fullmatch(engine)
        if (
            threads
            and threads[1] != "*"
            and not (len(threads[1]) < 10 and 1 <= int(threads[1]) <= MOST_THREADS)
        ):
            raise InputError.of("`engine`", f"is {shown(engine)}", f"expected 1 to {MOST_THREADS:,} threads")
        named = engine == SPARK or threads or STANDALONE.fullmatch(engine)
        if not named and not engine.startswith(OTHER_MASTERS):
            raise InputError.of("`engine`", f"is {shown(engine)}", EXPECTED)
    elif not hasattr(engine, "createDataFrame"):
        problem = f"is a {type(engine).__name__}"
        raise InputError.of("`engine`", problem, f"{EXPECTED}, or a SparkSession")
    return False


def spark_session(engine: Any) -> SparkSession:
    """Return the session of an engine: the given one, the active one, or a new one."""
    try:
        with quiet_warnings():
            from pyspark.sql import SparkSession
    except ImportError:
        raise MissingExtraError(f"needs an extra: {pip_install('spark')}") from None
    if not isinstance(engine, str):
        return engine
    active = SparkSession.getActiveSession()
    if active is not None:
        _refuse_other(active, engine)
        return active
    if engine.startswith("sc://"):
        found = CONNECT.match(engine)
        _refuse_silent(engine, found[1] if found else "", int(found[2] or 15002) if found else 0)
        with spark_failures(engine), quiet_warnings():
            return SparkSession.builder.remote(engine).getOrCreate()
    return _started(engine)


def _refuse_other(active: SparkSession, engine: str) -> None:
    """Raise where another session is active than the one that was named: Spark would use it silently."""
    if engine == SPARK or engine.startswith("sc://"):
        return
    master = active.conf.get("spark.master", "")
    if master != engine:
        problem = f"is {engine}, and a session with master {master} is active"
        raise InputError.of("`engine`", problem, "pass the session itself, or stop it first")


def _started(engine: str) -> SparkSession:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName("assay")
    for name, value in OWN_SETTINGS.items():
        builder = builder.config(name, value)
    host = _host(engine)
    if engine != SPARK:
        builder = builder.master(engine)
    if host in LOOPBACK:
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        builder = builder.config("spark.driver.bindAddress", "127.0.0.1")
        builder = builder.config("spark.driver.host", "127.0.0.1")
    with _log_of_java(), spark_failures(engine), quiet_warnings():
        return builder.getOrCreate()


def _host(engine: str) -> str | None:
    """Return the host of a master, if it is known."""
    if LOCAL_MASTER.fullmatch(engine):
        return LOOPBACK[1]
    found = STANDALONE.fullmatch(engine)
    if found is None:
        return None
    if found[3] is None:
        _refuse_silent(engine, found[1], int(found[2]))
    return found[1]


def _refuse_silent(engine: str, host: str, port: int) -> None:
    """Raise where nobody listens: Spark would try again for minutes."""
    try:
        socket.create_connection((host, port), timeout=10).close()
    except (OSError, OverflowError) as error:
        problem = f"Spark does not answer ({error})"
        raise InputError.of(engine, problem, "start it, or name another master") from None


@contextmanager
def _log_of_java() -> Iterator[None]:
    """Send what the new JVM prints to a file or nowhere: stderr is for the messages of assay."""
    sys.stderr.flush()
    kept = os.dup(2)
    target = os.open(os.environ.get(LOG, os.devnull), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(target, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(target)


@contextmanager
def quiet_warnings() -> Iterator[None]:
    """Leave out warnings of PySpark about the versions of other packages."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
