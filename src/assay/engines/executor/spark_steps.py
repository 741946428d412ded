"""On an executor: the step of a plan that a task does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from assay.engines.executor.packed_candidates import ordered_rows, packed_order, packed_rows
from assay.engines.executor.spark_lists import rank_bucket, rank_partition, raw_rows
from assay.engines.executor.step_names import BUCKET, CANDIDATES, ORDERED, PACK, PIECES, RANK, ROWS
from assay.engines.executor.work_pieces import do_pieces

OF_PARTITIONS: dict[str, Callable[[Iterable[Any], Any, int], Iterator[Any]]] = {
    RANK: rank_partition,
    ROWS: raw_rows,
    CANDIDATES: packed_rows,
    ORDERED: ordered_rows,
}


def run_step(step: str, plan: Any, batches: Iterable[Any]) -> Iterator[Any]:
    """Give the Arrow batches of one task."""
    from pyspark import TaskContext

    context = TaskContext.get()
    partition = 0 if context is None else context.partitionId()
    if step == BUCKET:
        return rank_bucket(batches, plan)
    if step == PACK:
        return packed_order(batches)
    if step == PIECES:
        return do_pieces(batches, plan)
    return OF_PARTITIONS[step](batches, plan, partition)
