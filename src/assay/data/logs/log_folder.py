"""A log as two folders: corpus and predictions."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from assay.data.corpus import PROPERTIES, SHARED
from assay.data.logs.log import Log
from assay.data.readers.table_files import Table
from assay.files.scratch import write_new
from assay.files.staging import Staging, joining, refuse_filled


def write_log(log: Log, folder: Path, staging: Staging | None = None) -> None:
    """Write `corpus/` and `predictions/` to a new folder."""
    corpus, predictions = log.corpus, log.predictions
    tables = {
        "corpus/sentences": corpus.sentences,
        "corpus/criteria": corpus.criteria,
        "corpus/gold": corpus.gold,
        "corpus/queries": corpus.queries,
        "corpus/folds": corpus.folds,
        "predictions/candidates": predictions.candidates,
        "predictions/decisions": predictions.decisions,
    }

    def fill(fresh: Path) -> None:
        for name in ("corpus", "predictions"):
            (fresh / name).mkdir()
        write_new(fresh / "corpus" / PROPERTIES, f"{SHARED} = true\n")
        for name, table in tables.items():
            if table is not None:
                write_new(fresh / f"{name}.csv", _csv(table))

    with joining(staging) as into:
        into.folder(folder, fill, refuse_filled)


def _csv(table: Table) -> str:
    """Return the table as CSV, whole numbers without a decimal point."""
    whole = [name for name in ("grade", "selected_k") if _is_whole(table.frame, name)]
    return table.frame.with_columns(pl.col(whole).cast(pl.Int64)).write_csv()


def _is_whole(frame: pl.DataFrame, name: str) -> bool:
    return name in frame.columns and bool((frame[name] == frame[name].floor()).all())
