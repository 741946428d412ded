"""On an executor: the pieces of work that a task does, and the errors that it reports."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from assay.errors import AssayError

PIECE_SCHEMA = "piece long, error binary"


@dataclass(frozen=True, slots=True)
class WorkPieces:
    """A module-level function, and everything that it is called with."""

    work: Callable[[Any], object]
    pieces: tuple[Any, ...]


def do_pieces(batches: Iterable[Any], plan: WorkPieces) -> Iterator[Any]:
    """Do the pieces whose numbers are in the batches; yield each number with its error, if any."""
    import pyarrow as pa

    for batch in batches:
        numbers = batch.column(0).to_pylist()
        columns = {
            "piece": pa.array(numbers, pa.int64()),
            "error": pa.array([_error(plan, each) for each in numbers], pa.binary()),
        }
        yield pa.RecordBatch.from_pydict(columns)


def _error(plan: WorkPieces, number: int) -> bytes | None:
    try:
        plan.work(plan.pieces[number])
    except AssayError as error:
        return pickle.dumps(error)
    return None
