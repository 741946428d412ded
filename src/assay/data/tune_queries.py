"""TUNE: queries on which thresholds are chosen. They are never scored."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from assay.array_types import Bools, Floats
from assay.data import table_checks
from assay.data.cases import Grouping
from assay.data.corpus import QUERY, Corpus
from assay.data.ids import encode
from assay.data.readers.table_files import Table, texts
from assay.errors import Fault, InputError, shown

COLUMNS = (*QUERY, "prob")
ROLES = ("TRAIN", "TUNE", "EVAL")


@dataclass(frozen=True, slots=True, eq=False)
class Tune:
    """Probability, label, post and (where there are outer folds) fold of each TUNE query."""

    source: str
    prob: Floats
    label: Bools
    posts: Grouping
    folds: Grouping | None

    def __len__(self) -> int:
        return len(self.prob)


def by_role(table: Table) -> tuple[dict[str, Table], list[Fault]]:
    """Return the rows of each role, where a table has such a column; all of it as EVAL where not."""
    if "role" not in table.frame.columns:
        return {"EVAL": table}, []
    roles = table.frame["role"].cast(pl.String)
    wrong = ~roles.is_in(ROLES).fill_null(False)
    expected = f"expected one of {', '.join(ROLES)}"
    faults = [table.fault(row, f"role is {shown(roles[row])}", expected) for row in wrong.arg_true()]
    return {role: table.part(roles == role) for role in ROLES}, faults


def check_tune(table: Table) -> tuple[Table, list[Fault]]:
    """Return ids as text, probabilities as numbers, and what is wrong with them."""
    keys = [*QUERY, *(["fold"] if "fold" in table.frame.columns else [])]
    table = texts(table, *keys)
    faults = table_checks.filled(table, *keys) + table_checks.unique(table, *keys)
    probs, wrong = table_checks.numbers(
        table, "prob", lambda values: values.is_between(0, 1), "prob lies in [0, 1]"
    )
    return table.with_columns(probs), faults + wrong


def paired_tune(corpus: Corpus, table: Table, excluded: tuple[str, ...]) -> Tune:
    """TUNE queries of a corpus: a query is positive where the corpus has evidence for it."""
    faults = table_checks.known(table, corpus.queries, "queries", *QUERY)
    if faults:
        raise InputError(faults)
    frame = table.frame.filter(~pl.col("criterion_id").is_in(excluded))
    if frame.is_empty():
        raise InputError.of(table.source, "has no query left", "criteria that are not excluded")
    positive = corpus.gold.frame.filter(pl.col("grade") >= 1).select(QUERY).unique()
    marked = positive.with_columns(pl.lit(True).alias("__label"))
    label = frame.join(marked, on=QUERY, how="left", maintain_order="left")["__label"]
    return Tune(
        table.source,
        frame["prob"].to_numpy(),
        label.fill_null(False).to_numpy(),
        grouping(frame["post_id"]),
        grouping(frame["fold"]) if "fold" in frame.columns else None,
    )


def aside(table: Table, *answered: Table | None) -> pl.Series:
    """Return posts that are TUNE for every fold and on which nothing was answered: not evaluated."""
    posts = table.frame["post_id"].unique()
    if "fold" in table.frame.columns:
        return posts.clear()
    for other in answered:
        if other is not None:
            posts = posts.filter(~posts.is_in(other.frame["post_id"].unique().implode()))
    return posts


def grouping(column: pl.Series) -> Grouping:
    """Return a grouping by the values of a column, as text."""
    codes, labels = encode(column.cast(pl.String).fill_null(""))
    return Grouping(np.asarray(codes, dtype=np.int64), labels)
