"""Independent pieces of work as tasks of Spark, which schedules and retries them."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from typing import Any

from assay.engines.executor.spark_task import spark_task
from assay.engines.executor.step_names import PIECES
from assay.engines.executor.work_pieces import PIECE_SCHEMA, WorkPieces
from assay.engines.spark_errors import spark_failures
from assay.engines.spark_session import quiet_warnings, spark_session


def spark_map(engine: Any, work: Callable[[Any], object], pieces: Sequence[Any], what: str) -> None:
    """Call a module-level function with each piece, in one task of Spark per piece.

    Results stay on the executors: `work` writes them where the driver finds them. If it raises an
    error of assay, the other tasks go on, and the first error is raised here.
    """
    session = spark_session(engine)
    tasks = session.range(0, len(pieces), 1, len(pieces))
    with spark_failures(what), quiet_warnings():
        told = tasks.mapInArrow(spark_task(PIECES, WorkPieces(work, tuple(pieces))), PIECE_SCHEMA).collect()
    for row in sorted(told, key=lambda row: row["piece"]):
        if row["error"] is not None:
            raise pickle.loads(row["error"])  # packed by our own task
