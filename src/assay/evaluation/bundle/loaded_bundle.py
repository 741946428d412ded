"""The folder behind a loaded result: its document, its hashes, and the tables read on demand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from assay.evaluation.bundle.bundle_files import larger, read_table, table_parts

CANDIDATES = "candidates.csv.gz"


@dataclass(frozen=True, eq=False)
class LoadedBundle:
    """The folder that a result was loaded from, with the hashes of that moment.

    Candidates and gold are read on first use, and must still have these hashes.
    """

    folder: Path
    document: Mapping[str, Any]  # metrics_master.json
    hashes: Mapping[str, str]
    manifest_hash: str  # what a report says it was derived from
    gate: Mapping[str, Any] | None  # gate.json, if the publication gate was run

    @cached_property
    def candidates(self) -> pl.DataFrame:
        """Return one row per candidate, in input order."""
        return self._table(CANDIDATES)

    @cached_property
    def gold(self) -> pl.DataFrame:
        """Return one row per judgement."""
        return self._table("gold.csv")

    def candidate_parts(self, rows: int = 0) -> Iterator[pl.DataFrame]:
        """Give the candidates in parts of at least so many rows, in input order."""
        return larger(table_parts(self.folder / CANDIDATES, self.hashes[CANDIDATES]), rows)

    def _table(self, name: str) -> pl.DataFrame:
        return read_table(self.folder / name, self.hashes[name])
