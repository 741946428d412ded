"""What every importer gives: tables of a corpus, and what a reader should know of them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from assay.data.corpus import Corpus
from assay.errors import InputError

SENTENCES = ("post_id", "sent_uid", "position", "text")
CRITERIA = ("criterion_id", "text")
GOLD = ("post_id", "criterion_id", "sent_uid")
QUERIES = ("post_id", "criterion_id")


@dataclass(frozen=True, slots=True)
class Imported:
    """Rows of the tables; without queries, every post with every criterion is one."""

    sentences: list[tuple[str, str, int, str]]
    criteria: list[tuple[str, str]]
    gold: list[tuple[str, str, str]]
    queries: list[tuple[str, str]] | None = None
    notes: list[str] = field(default_factory=list)


def write_corpus(made: Imported, folder: Path, source: str) -> None:
    """Check the tables as any corpus is checked, then write them to a new folder."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError.of(str(folder), "exists", "expected a new folder")
    tables = {
        "sentences": _frame(made.sentences, SENTENCES),
        "criteria": _frame(made.criteria, CRITERIA),
        "gold": _frame(made.gold, GOLD),
    }
    if made.queries is not None:
        tables["queries"] = _frame(made.queries, QUERIES)
    if tables["gold"].is_empty():
        raise InputError.of(source, "has no evidence at all", "expected some gold")
    Corpus.of(source, **tables)
    folder.mkdir(parents=True, exist_ok=True)
    for name, frame in tables.items():
        frame.write_csv(folder / f"{name}.csv")


def read_json(path: Path) -> Any:
    """A JSON file."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        problem = f"cannot be read ({error.strerror})"
        raise InputError.of(path.name, problem, "expected a file") from None
    except ValueError as error:
        raise InputError.of(path.name, f"is not JSON ({error})", "expected JSON") from None


def _frame(rows: Iterable[tuple[Any, ...]], columns: tuple[str, ...]) -> pl.DataFrame:
    schema = {name: pl.Int64 if name == "position" else pl.String for name in columns}
    return pl.DataFrame(list(rows), schema=schema, orient="row")
