"""`Corpus`: what was asked. Posts and their sentences, criteria, gold, queries and folds."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from assay.data import checks
from assay.data.model import LARGEST_GRADE
from assay.data.readers.tables import Table, read_folder_table, table_of, texts
from assay.errors import Fault, InputError, shown

COLUMNS = {
    "sentences": ("post_id", "sent_uid"),
    "criteria": ("criterion_id",),
    "gold": ("post_id", "criterion_id", "sent_uid"),
    "queries": ("post_id", "criterion_id"),
    "folds": ("post_id", "fold"),
}
REQUIRED = ("sentences", "criteria", "gold")
QUERY = ("post_id", "criterion_id")


@dataclass(frozen=True, slots=True)
class Corpus:
    """Checked tables; `queries` has every query, whether a file listed them or not."""

    name: str
    sentences: Table
    criteria: Table
    gold: Table  # with a numeric column grade
    queries: Table
    folds: Table | None = None

    @classmethod
    def of(cls, name: str = "corpus", **tables: Any) -> Corpus:
        """From data frames: sentences, criteria, gold, and optionally queries and folds."""
        given = {
            key: table_of(tables[key], key, COLUMNS[key])
            for key in COLUMNS
            if tables.get(key) is not None
        }
        unknown = sorted(set(tables) - set(COLUMNS))
        if unknown:
            problem = f"has no table {unknown[0]!r}"
            raise InputError.of(name, problem, f"expected {', '.join(COLUMNS)}")
        missing = [table for table in REQUIRED if table not in given]
        if missing:
            raise InputError.of(name, f"has no {' and no '.join(missing)}", "expected a data frame")
        return _checked(name, given)


def read_corpus(folder: str | Path) -> Corpus:
    """A corpus from a folder of CSV or Parquet tables."""
    path = Path(folder)
    if not path.is_dir():
        raise InputError.of(
            str(folder), "is not a folder", "expected a folder with sentences, criteria, gold"
        )
    found = {name: read_folder_table(path, name, columns) for name, columns in COLUMNS.items()}
    missing = [name for name in REQUIRED if found[name] is None]
    if missing:
        problem = f"has no table {' or '.join(missing)}"
        raise InputError.of(
            path.name, problem, "expected tables sentences, criteria and gold (.csv, .parquet)"
        )
    return _checked(path.name, {name: table for name, table in found.items() if table is not None})


def _checked(name: str, given: dict[str, Table]) -> Corpus:
    tables = {key: texts(table, *COLUMNS[key]) for key, table in given.items()}
    sentences, criteria, gold = (tables[key] for key in REQUIRED)
    faults = [
        fault for key, table in tables.items() for fault in checks.filled(table, *COLUMNS[key])
    ]
    faults += checks.unique(sentences, "post_id", "sent_uid")
    faults += checks.unique(criteria, "criterion_id")
    faults += checks.unique(gold, "post_id", "criterion_id", "sent_uid")
    faults += checks.known(gold, criteria, "criteria", "criterion_id")
    faults += sentences_of_posts(gold, sentences)
    gold, grade_faults = _graded(gold)
    faults += grade_faults
    queries, query_faults = _queries(tables.get("queries"), sentences, criteria, gold)
    faults += query_faults
    folds = tables.get("folds")
    if folds is not None:
        faults += checks.unique(folds, "post_id")
        faults += checks.known(folds, sentences, "posts", "post_id")
        posts = sentences.frame.select("post_id").unique(maintain_order=True)
        without = posts.join(folds.frame, on="post_id", how="anti", maintain_order="left")
        for post in without["post_id"]:
            problem = f"post_id {shown(post)} has no fold"
            faults.append(Fault(folds.source, "", problem, "every post must have one"))
    if faults:
        raise InputError(faults)
    return Corpus(name, sentences, criteria, gold, queries, folds)


def sentences_of_posts(table: Table, sentences: Table) -> list[Fault]:
    """Every sentence that a table names must be one of its post; another post's is said so."""
    posts = sentences.frame.group_by("sent_uid").agg(pl.col("post_id").first().alias("owner"))
    rows = checks.unknown_rows(table, sentences.frame, "post_id", "sent_uid")
    wrong = table.frame[rows].join(posts, on="sent_uid", how="left", maintain_order="left")
    faults = []
    for row, (post, uid, owner) in zip(
        rows, wrong.select("post_id", "sent_uid", "owner").iter_rows(), strict=True
    ):
        where = "is in no post" if owner is None else f"is a sentence of post {shown(owner)}"
        problem = f"sent_uid {shown(uid)} {where}, not of {shown(post)}"
        faults.append(table.fault(row, problem, "expected a sentence of the query's own post"))
    return faults


def _graded(gold: Table) -> tuple[Table, list[Fault]]:
    if "grade" not in gold.frame.columns:
        return gold.with_columns(pl.repeat(1.0, gold.frame.height, eager=True).alias("grade")), []
    expected = f"grades lie between 0 (judged, not evidence) and {LARGEST_GRADE}"
    grades, faults = checks.numbers(
        gold, "grade", lambda values: values.is_between(0, LARGEST_GRADE), expected
    )
    return gold.with_columns(grades), faults


def _queries(
    listed: Table | None, sentences: Table, criteria: Table, gold: Table
) -> tuple[Table, list[Fault]]:
    """Every post with every criterion, or what the table lists."""
    if listed is None:
        posts = sentences.frame.select("post_id").unique(maintain_order=True)
        frame = posts.join(criteria.frame.select("criterion_id"), how="cross")
        return Table(frame, "queries"), []
    faults = checks.unique(listed, *QUERY)
    faults += checks.known(listed, sentences, "posts", "post_id")
    faults += checks.known(listed, criteria, "criteria", "criterion_id")
    faults += checks.known(gold, listed, "queries with gold", *QUERY)
    return listed, faults
