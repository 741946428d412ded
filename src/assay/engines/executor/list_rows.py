"""The rows that executors send to the driver: one per list, or one per fault."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.array_types import Floats, Ints
from assay.engines.executor.spark_text import BLOCK, PART, POSITION, Faults

TYPES = {
    "query": "string",
    "rows": "bigint",  # candidates
    "n": "bigint",  # of these, as many as the depth of the contract permits
    "rising": "boolean",  # did not come sorted
    PART: "bigint",  # place of the first row
    BLOCK: "bigint",
    POSITION: "bigint",
    "rank": "array<bigint>",  # of the judged candidates, ascending
    "first": "array<bigint>",
    "last": "array<bigint>",
    "grade": "array<double>",
    "max": "double",  # how sure the ranking is of itself, where a measure asks for it
    "std": "double",
    "diff1": "double",
    "scores": "array<double>",  # of every candidate, where a measure over pairs asks for them
    "place": "array<bigint>",  # of the judged candidates, in input order from 0
    "fault": "string",
}
LIST_SCHEMA = ", ".join(f"{name} {kind}" for name, kind in TYPES.items())
SCATTERED = "scattered"


def list_batch(columns: Mapping[str, Any]) -> Any:
    """Return an Arrow batch with these columns; those that are absent are null."""
    import pyarrow as pa

    arrow = {
        "string": pa.string(),
        "bigint": pa.int64(),
        "boolean": pa.bool_(),
        "double": pa.float64(),
        "array<bigint>": pa.list_(pa.int64()),
        "array<double>": pa.list_(pa.float64()),
    }
    rows = len(next(iter(columns.values())))
    arrays = []
    for name, kind in TYPES.items():
        if name not in columns:
            arrays.append(pa.nulls(rows, arrow[kind]))
        elif isinstance(columns[name], pa.Array):
            arrays.append(columns[name])
        else:
            arrays.append(pa.array(columns[name], arrow[kind]))
    return pa.RecordBatch.from_arrays(arrays, names=list(TYPES))


def nested(values: Ints | Floats, lengths: Ints) -> Any:
    """Return an Arrow array of lists with these lengths."""
    import pyarrow as pa

    offsets = np.concatenate(([0], np.cumsum(lengths))).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), pa.array(values))


def fault_batch(faults: Faults) -> Any:
    """Return the faults of a task as rows; `fault` has the problem and what was expected."""
    parts, blocks, positions, problems, expected = zip(*faults.found, strict=True)
    texts = [json.dumps(pair) for pair in zip(problems, expected, strict=True)]
    return list_batch({PART: parts, BLOCK: blocks, POSITION: positions, "fault": texts})


def scattered_batch(rows: int) -> Any:
    """Return the row that says: the queries of this task are scattered over so many rows."""
    return list_batch({"rows": [rows], "fault": [SCATTERED]})
