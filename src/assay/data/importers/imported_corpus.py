"""The output of every importer: tables of a corpus, and notes for the user."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from assay.data.corpus import Corpus
from assay.errors import InputError
from assay.files.scratch import write_new
from assay.files.staging import Staging, joining, refuse_filled

SENTENCES = ("post_id", "sent_uid", "position", "text")
CRITERIA = ("criterion_id", "text")
GOLD = ("post_id", "criterion_id", "sent_uid")
QUERIES = ("post_id", "criterion_id")


@dataclass(frozen=True, slots=True)
class Imported:
    """Rows of the tables; without queries, every post is asked about every criterion."""

    sentences: list[tuple[str, str, int, str]]
    criteria: list[tuple[str, str]]
    gold: list[tuple[str, str, str]]
    queries: list[tuple[str, str]] | None = None
    notes: list[str] = field(default_factory=list)


def write_corpus(made: Imported, folder: Path, source: str, staging: Staging | None = None) -> None:
    """Check the tables like any corpus, then write them to a new folder."""
    refuse_filled(folder)
    tables: dict[str, Any] = {
        "sentences": _frame(made.sentences, SENTENCES),
        "criteria": _frame(made.criteria, CRITERIA),
        "gold": _frame(made.gold, GOLD),
    }
    if made.queries is not None:
        tables["queries"] = _frame(made.queries, QUERIES)
    if tables["gold"].is_empty():
        raise InputError.of(source, "has no evidence", "expected at least one gold sentence")
    Corpus.of(source, **tables)

    def fill(fresh: Path) -> None:
        for name, frame in tables.items():
            write_new(fresh / f"{name}.csv", frame.write_csv())

    with joining(staging) as into:
        into.folder(folder, fill, refuse_filled)


def _frame(rows: Iterable[tuple[Any, ...]], columns: tuple[str, ...]) -> pl.DataFrame:
    schema = {name: pl.Int64 if name == "position" else pl.String for name in columns}
    return pl.DataFrame(list(rows), schema=schema, orient="row")
