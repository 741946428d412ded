"""`Corpus`: what was asked. Posts and their sentences, criteria, gold, queries and folds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from assay.data import table_checks
from assay.data.cases import LARGEST_GRADE
from assay.data.evidence.evidence_groups import other_grades
from assay.data.readers.json_toml import read_toml
from assay.data.readers.table_files import Table, read_folder_table, table_of, texts
from assay.data.readers.text_blocks import regular_file
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
SAME_GRADE = "a sentence has the same grade in all evidence groups of a query"
PROPERTIES, SHARED = "corpus.toml", "shared_candidates"


@dataclass(frozen=True, slots=True)
class Corpus:
    """Checked tables; `queries` has every query, whether a file listed them or not."""

    name: str
    sentences: Table
    criteria: Table
    gold: Table  # with a numeric column grade
    queries: Table
    folds: Table | None = None
    shared_candidates: bool = False  # sent_uid names a chunk of a collection that all posts share
    groups: Table | None = None  # gold with one row per evidence group that a sentence is in

    @classmethod
    def of(cls, name: str = "corpus", *, shared_candidates: bool = False, **tables: Any) -> Corpus:
        """From data frames: sentences, criteria, gold, and optionally queries and folds.

        With `shared_candidates` a `sent_uid` is the same chunk wherever it occurs, and a post may
        have none, as in the log of a system that retrieves from one collection.
        """
        given = {
            key: table_of(tables[key], key, COLUMNS[key]) for key in COLUMNS if tables.get(key) is not None
        }
        unknown = sorted(set(tables) - set(COLUMNS))
        if unknown:
            problem = f"has no table {unknown[0]!r}"
            raise InputError.of(name, problem, f"expected {', '.join(COLUMNS)}")
        missing = [table for table in REQUIRED if table not in given]
        if missing:
            raise InputError.of(name, f"has no {' and no '.join(missing)}", "expected a data frame")
        return _checked(name, given, shared=shared_candidates)


def read_corpus(folder: str | Path) -> Corpus:
    """Read a corpus from a folder of CSV or Parquet tables.

    Parameters
    ----------
    folder
        A folder with the tables `sentences`, `criteria` and `gold`, and optionally `queries` and
        `folds` (docs/data-formats.md).

    Returns
    -------
    Corpus
        The checked tables.

    Raises
    ------
    InputError
        With all faults of the tables.

    Examples
    --------
    >>> corpus = assay.read_corpus(assay.example_path("corpus"))
    >>> corpus.queries.frame.height
    36

    """
    path = Path(folder)
    if not path.is_dir():
        problem = "is not a folder" if path.exists() else "folder not found"
        raise InputError.of(str(folder), problem, "expected a folder with sentences, criteria, gold")
    found = {name: read_folder_table(path, name, columns) for name, columns in COLUMNS.items()}
    missing = [name for name in REQUIRED if found[name] is None]
    if missing:
        problem = f"has no table {' or '.join(missing)}"
        raise InputError.of(
            path.name, problem, "expected tables sentences, criteria and gold (.csv, .parquet)"
        )
    given = {name: table for name, table in found.items() if table is not None}
    return _checked(path.name, given, shared=_shares_candidates(path))


def _shares_candidates(folder: Path) -> bool:
    """Return the one property that a corpus may declare about itself, in `corpus.toml`."""
    path = folder / PROPERTIES
    if not path.exists():
        return False
    document = read_toml(regular_file(path))
    shared = document.pop(SHARED, False)
    if document or not isinstance(shared, bool):
        raise InputError.of(PROPERTIES, "has an unknown property", f"expected {SHARED} = true or false")
    return shared


def _checked(name: str, given: dict[str, Table], *, shared: bool) -> Corpus:
    tables = {key: texts(table, *COLUMNS[key]) for key, table in given.items()}
    sentences, criteria, gold = (tables[key] for key in REQUIRED)
    faults = [fault for key, table in tables.items() for fault in table_checks.filled(table, *COLUMNS[key])]
    faults += table_checks.unique(sentences, "post_id", "sent_uid")
    faults += table_checks.unique(criteria, "criterion_id")
    grouped = "group" in gold.frame.columns
    gold = texts(gold, "group") if grouped else gold
    faults += table_checks.unique(gold, *COLUMNS["gold"], *(["group"] if grouped else []))
    faults += table_checks.known(gold, criteria, "criteria", "criterion_id")
    faults += sentences_of_posts(gold, sentences)
    gold, grade_faults = _graded(gold)
    faults += grade_faults
    groups = gold if grouped else None
    if groups is not None:
        keys = list(COLUMNS["gold"])
        faults += [
            groups.fault(row, f"grade of {shown(groups.frame['sent_uid'][row])} differs", SAME_GRADE)
            for row in other_grades(groups.frame, keys)
        ]
        gold = replace(gold, frame=gold.frame.unique(keys, keep="first", maintain_order=True).drop("group"))
    queries, query_faults = _queries(tables.get("queries"), sentences, criteria, gold, shared=shared)
    faults += query_faults
    posts = sentences.frame.select("post_id")
    if shared:
        faults += _other_texts(sentences)
        posts = pl.concat([posts, queries.frame.select("post_id")])
    posts = posts.unique(maintain_order=True)
    folds = tables.get("folds")
    if folds is not None:
        faults += table_checks.unique(folds, "post_id")
        faults += table_checks.known(folds, replace(sentences, frame=posts), "posts", "post_id")
        without = posts.join(folds.frame, on="post_id", how="anti", maintain_order="left")
        for post in without["post_id"]:
            problem = f"post_id {shown(post)} has no fold"
            faults.append(Fault(folds.source, "", problem, "every post must have one"))
    if faults:
        raise InputError(faults)
    return Corpus(name, sentences, criteria, gold, queries, folds, shared, groups)


def _other_texts(sentences: Table) -> list[Fault]:
    """Return a fault for every row whose shared `sent_uid` had another text before."""
    frame = sentences.frame
    if "text" not in frame.columns:
        return []
    text = pl.col("text").cast(pl.String)
    other = frame.select(text.ne_missing(text.first().over("sent_uid"))).to_series()
    expected = "with shared candidates, a sent_uid has the same text in every post"
    return [
        sentences.fault(row, f"sent_uid {shown(frame['sent_uid'][row])} has another text", expected)
        for row in other.arg_true()
    ]


def sentences_of_posts(table: Table, sentences: Table) -> list[Fault]:
    """Return a fault for every sentence that is not in its post; say so if it is in another post."""
    rows = table_checks.unknown_rows(table, sentences.frame, "post_id", "sent_uid")
    if not rows:
        return []
    posts = sentences.frame.group_by("sent_uid").agg(pl.col("post_id").first().alias("owner"))
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
    grades, faults = table_checks.numbers(
        gold, "grade", lambda values: values.is_between(0, LARGEST_GRADE), expected
    )
    return gold.with_columns(grades), faults


def _queries(
    listed: Table | None, sentences: Table, criteria: Table, gold: Table, *, shared: bool
) -> tuple[Table, list[Fault]]:
    """Return every post with every criterion, or what the table lists."""
    if listed is None:
        posts = sentences.frame.select("post_id").unique(maintain_order=True)
        frame = posts.join(criteria.frame.select("criterion_id"), how="cross")
        return Table(frame, "queries"), []
    faults = table_checks.unique(listed, *QUERY)
    if not shared:  # a question for which nothing was retrieved has no candidate
        faults += table_checks.known(listed, sentences, "posts", "post_id")
    faults += table_checks.known(listed, criteria, "criteria", "criterion_id")
    faults += table_checks.known(gold, listed, "queries with gold", *QUERY)
    return listed, faults
