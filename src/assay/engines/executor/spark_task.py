"""The function that Spark ships: it unpacks its plan and calls the kernel on the executor.

This module imports nothing but the standard library, so that an executor fails with a clear name
when a package is missing, and so that Polars finds its number of threads when it is first imported.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from assay.errors import AssayError
from assay.version import VERSION


def spark_task(step: str, plan: object) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """Return a function for `mapInArrow` that does one step of a plan."""
    packed, version = pickle.dumps(plan), VERSION

    def task(batches: Iterable[Any]) -> Iterator[Any]:
        return run_task(step, packed, version, batches)

    return task


def run_task(step: str, packed: bytes, version: str, batches: Iterable[Any]) -> Iterator[Any]:
    """Do one step of a plan on an executor."""
    if version != VERSION:
        raise AssayError(f"the Spark executors have assay {VERSION}, the driver has {version}")
    os.environ.setdefault("POLARS_MAX_THREADS", "1")  # Spark gives a task one core
    from assay.engines.executor.spark_steps import run_step

    # The driver of this job packed it; Spark ships every Python function as a pickle.
    return run_step(step, pickle.loads(packed), batches)
