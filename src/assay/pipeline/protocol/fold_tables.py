"""The prediction tables of a fold as arrays, so that the cache can keep them in one file."""

from __future__ import annotations

import io
import json
from dataclasses import fields
from typing import Any

import numpy as np
import polars as pl

from assay.pipeline.prediction_tables import Answers
from assay.pipeline.protocol.array_files import Arrays

SEARCHES = "searches"


def answers_to_arrays(answers: Answers) -> dict[str, Any]:
    """Return the tables as the bytes of Parquet files, and the settings searches as JSON."""
    tables = {each.name: getattr(answers, each.name) for each in fields(answers)}
    out = {}
    for name, table in tables.items():
        if isinstance(table, pl.DataFrame):
            body = io.BytesIO()
            table.write_parquet(body)
            out[name] = np.frombuffer(body.getvalue(), dtype=np.uint8)
    text = json.dumps(dict(answers.searches)).encode()
    return out | {SEARCHES: np.frombuffer(text, dtype=np.uint8)}


def answers_from_arrays(arrays: Arrays) -> Answers:
    """Return the tables in such arrays."""
    tables: dict[str, Any] = {
        name: pl.read_parquet(io.BytesIO(values.tobytes()))
        for name, values in arrays.items()
        if name != SEARCHES
    }
    return Answers(**tables, searches=json.loads(arrays[SEARCHES].tobytes()))
