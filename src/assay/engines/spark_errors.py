"""Failures of Spark as one sentence: what failed, where, and what to do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import unquote

from assay.errors import AssayError, FileError, InputError, InternalError, MissingExtraError, shown

MISSING_MODULE = re.compile(r"ModuleNotFoundError: No module named '([\w.]+)'")
OWN = re.compile(r"assay\.errors\.\w+: (.*)")
STACK = re.compile(r"(?m)^\s+at .*$|^\s*File \".*$")
FILE = re.compile(r"(?:\b[a-z][a-z0-9]+:/+|(?<![\w./:])/)[^\s'\"()]*[^\s'\"().,:]")
FULL = re.compile("No space left on device|File too large|Disk quota exceeded")
SHIP = (
    "ship it with spark.archives (a packed environment, venv-pack or conda-pack), or install it on every "
    "worker; see docs/scale.md"
)
NO_JAVA = (
    "Spark needs Java 17 or newer, and it did not start; install one (apt-get install "
    "openjdk-17-jre-headless) or set JAVA_HOME"
)


@contextmanager
def spark_failures(what: str) -> Iterator[None]:
    """Raise failures of Spark as errors of assay; `what` is the input that was being read."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except PySparkException as error:
        raise failure(str(error), what, error.getCondition() or "") from None
    except Py4JError as error:
        raise failure(str(error), what) from None
    except ConnectionError:
        raise AssayError(f"{what}: the Spark driver stopped; run the command again") from None


def failure(text: str, what: str, condition: str = "") -> AssayError:
    """Return the error for a message of Spark."""
    file = _file(text) or what
    missing, own, full = (each.search(text) for each in (MISSING_MODULE, OWN, FULL))
    made: AssayError = AssayError(f"{what}: Spark failed ({shown(_cause(text))})")
    if "JAVA_GATEWAY_EXITED" in condition:
        made = MissingExtraError(NO_JAVA)
    elif missing:
        made = MissingExtraError(f"the Spark executors cannot import {missing[1].split('.')[0]}; {SHIP}")
    elif own:
        made = AssayError(f"{own[1].strip()}; {SHIP}")
    elif full:
        made = FileError.of(what, f"a disk of Spark is full ({full[0]})", "free some space")
    elif condition == "PATH_NOT_FOUND":
        made = InputError.of(file, "file not found", "")
    elif "Permission denied" in text or "AccessControlException" in text:
        made = FileError.of(file, "permission denied", "")
    elif "FileNotFoundException" in text or "FILE_NOT_EXIST" in condition:
        made = FileError.of(file, "was removed while it was being read", "run the command again")
    elif condition.startswith(("FAILED_READ_FILE", "CANNOT_READ_FILE")) or "is not a Parquet file" in text:
        made = InputError.of(file, "cannot be read", "expected a complete Parquet or text file")
    elif "Traceback (most recent call last)" in text:
        made = InternalError(f"{what}: a task of Spark failed ({shown(_cause(text))})")
    elif "Answer from Java side is empty" in text:
        made = AssayError(f"{what}: the Spark driver stopped; run the command again")
    return made


def _file(text: str) -> str | None:
    """Return the first path that a message names, as people write it."""
    found = FILE.search(STACK.sub("", text))
    return plain_path(found[0]) if found else None


def plain_path(path: str) -> str:
    """Return a path of Spark without escapes, and without the scheme where the file is local.

    >>> plain_path("file:/tmp/a%20b.txt")
    '/tmp/a b.txt'
    """
    return re.sub(r"^file:/+", "/", unquote(path))


def _cause(text: str) -> str:
    """Return the line that says most: the last cause, the error of Python, or else the first line."""
    causes = re.findall(r"Caused by: (.*)|^(\w[\w.]*(?:Error|Exception): .*)", text, re.MULTILINE)
    said = ["".join(cause) for cause in causes]
    return (said[-1] if said else text.strip().split("\n", 1)[0]).strip()
