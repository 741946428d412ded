"""The data as nested dicts, in the order of the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

RUN_FILES = {"sorted": "run.parquet", "shuffled": "shuffled.parquet"}
Nested = dict[str, dict[str, Any]]


def nested(path: Path) -> Nested:
    """Return `{query: {document: number}}` of a Parquet file."""
    import polars as pl  # not part of what a peer needs from text

    table: Nested = {}
    for query, rows in pl.read_parquet(path).group_by("q_id", maintain_order=True):
        table[str(query[0])] = dict(rows.select("doc_id", "score").iter_rows())
    return table


def dicts(folder: Path, form: str) -> tuple[Nested, Nested]:
    """Return judgements and run."""
    return nested(folder / "qrels.parquet"), nested(folder / RUN_FILES[form])
