"""Predictions with a corpus: Spark ranks the candidates, the driver holds everything else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from assay.array_types import Ints
from assay.data.alignment.align import Hits, RankingRules
from assay.data.cases import Pairs
from assay.data.corpus import COLUMNS, QUERY, Corpus
from assay.data.post_roles import COLUMNS as ROLES
from assay.data.predictions import (
    CANDIDATES,
    DECISIONS,
    CandidateLists,
    EnginePredictions,
    Predictions,
    checked_predictions,
    decided_table,
)
from assay.data.readers.table_files import Table, require
from assay.data.runs import Judgements
from assay.data.tune_queries import COLUMNS as TUNE
from assay.engines.executor.spark_lists import RankPlan
from assay.engines.executor.spark_rows import FRAME, TABLE, RowLayout, query_key
from assay.engines.executor.spark_text import POSITION
from assay.engines.spark_candidates import candidate_frames
from assay.engines.spark_errors import spark_failures
from assay.engines.spark_files import SparkFile
from assay.engines.spark_jobs import RankedLists, ranked_lists
from assay.engines.spark_run import list_hits
from assay.engines.spark_session import quiet_warnings
from assay.engines.spark_source import SparkSource, frame_source, is_spark_frame, parquet_source, spark_path
from assay.engines.spark_tables import remote_table, small_table
from assay.errors import InputError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

LAYOUT = RowLayout(FRAME, QUERY, "sent_uid", "score")


@dataclass(frozen=True, slots=True)
class _Tables:
    """Predictions before anything is ranked: the candidates, and the small tables that come with them."""

    name: str
    candidates: SparkSource
    files: tuple[SparkFile, ...]
    decisions: Table | None
    tune: Table | None
    roles: Table | None


def spark_corpus(session: SparkSession, given: Any) -> Any:
    """Return a corpus that this process can use: tables of Spark and of remote folders are collected."""
    if isinstance(given, Corpus) or (isinstance(given, str | Path) and Path(given).exists()):
        return given
    remote = isinstance(given, str | Path) and ":/" in str(given)
    if not remote and not (isinstance(given, Mapping) and any(map(is_spark_frame, given.values()))):
        return given
    tables = {name: small_table(session, given, name, columns) for name, columns in COLUMNS.items()}
    name = Path(str(given)).name if remote else "corpus"
    frames: dict[str, Any] = {key: table.frame for key, table in tables.items() if table is not None}
    return Corpus.of(name, **frames)


def spark_predictions(session: SparkSession, given: Any) -> EnginePredictions:
    """Return predictions whose candidates Spark will rank: a folder, or a dict of tables."""
    if is_spark_frame(given):
        given = {"candidates": given}
    source = _candidates(session, given)
    small = {
        name: small_table(session, given, name, columns)
        for name, columns in (("decisions", DECISIONS[:2]), ("tune", TUNE), ("roles", ROLES))
    }
    if small["decisions"] is not None:
        small["decisions"] = decided_table(small["decisions"])
    files = tuple(SparkFile(session, path) for path in source.files)
    name = "predictions" if isinstance(given, Mapping) else Path(str(given)).name
    return EnginePredictions(name, partial(_ranked, _Tables(name, source, files, **small)))


def _candidates(session: SparkSession, given: Any) -> SparkSource:
    if isinstance(given, Mapping):
        frame = given.get("candidates")
        if not is_spark_frame(frame):
            problem = "has no data frame of Spark as `candidates`"
            raise InputError.of("`predictions`", problem, "expected one, or a folder with candidates.parquet")
        return frame_source(_with_columns(frame, "candidates"), "candidates", LAYOUT)
    path = Path(str(given))
    if not path.is_dir():
        remote = remote_table(session, given, "candidates")
        if remote is None:
            raise InputError.of(
                str(given), "has no candidates.parquet", "Spark reads candidates from Parquet"
            )
        return _parquet(session, remote)
    found = path / "candidates.parquet"
    if not found.exists():
        expected = "Spark reads candidates from Parquet; convert them, or leave `engine` out"
        raise InputError.of(path.name, "has no candidates.parquet", expected)
    with spark_failures(str(found)), quiet_warnings():
        frame = session.read.parquet(spark_path(found))
    return _parquet(session, frame)


def _parquet(session: SparkSession, frame: DataFrame) -> SparkSource:
    name = "candidates.parquet"
    return parquet_source(session, _with_columns(frame, name), name, replace(LAYOUT, kind=TABLE))


def _with_columns(frame: DataFrame, name: str) -> DataFrame:
    """Return the data frame if it has the columns of candidates."""
    require(Table(pl.DataFrame({column: [""] for column in frame.columns}), name), CANDIDATES)
    return frame


def _ranked(tables: _Tables, corpus: Corpus, rules: RankingRules) -> Predictions:
    """Return predictions with ranked candidates; `candidates` has one row per query."""
    source = tables.candidates
    keyed = corpus.queries.frame.select(*QUERY, query_key(QUERY)).with_row_index("code")
    gold = corpus.gold.frame.join(keyed, on=QUERY, how="inner", maintain_order="left")
    codes = gold["code"].to_numpy().astype(np.int64)
    layout = replace(source.layout, sentences=corpus.sentences.frame.select("post_id", "sent_uid"))
    plan = RankPlan(
        layout,
        tuple(keyed["query"].to_list()),
        Judgements.of(codes, gold["sent_uid"], gold["grade"].to_numpy()),
        rules,
        keep_scores=rules.keep_pairs and rules.depth is None,
    )
    lists = ranked_lists(source, plan)
    for file in tables.files:
        file.refuse_changed()
    given = checked_predictions(
        tables.name, _one_row_per_query(source, lists), tables.decisions, tables.tune, tables.roles
    )
    rows = int(lists.frame["rows"].sum())
    frames = partial(_frames, source, rows, whole=not lists.scattered)
    hits = partial(_hits, lists.frame, rules, with_pairs=plan.keep_scores)
    return replace(given, lists=CandidateLists(hits, frames, tables.files))


def _one_row_per_query(source: SparkSource, lists: RankedLists) -> Table:
    """Return a table in place of the candidates, for checks that only read their queries."""
    keys = pl.DataFrame(
        [split_key(key) for key in lists.frame["query"].to_list()],
        schema=dict.fromkeys(QUERY, pl.String()),
        orient="row",
    )
    frame = keys.with_columns(
        pl.lit("-").alias("sent_uid"), pl.lit(0.0).alias("score"), lists.frame["rows"].alias("listed")
    )
    rows = lists.frame[POSITION] if len(source.files) == 1 else None
    return Table(frame, source.name, rows=rows)


def split_key(key: str) -> tuple[str, str]:
    """Return post and criterion of a key.

    >>> split_key("3:p:1c2")
    ('p:1', 'c2')
    """
    length, _, both = key.partition(":")
    ids = both.encode()
    return ids[: int(length)].decode(), ids[int(length) :].decode()


def _hits(
    lists: pl.DataFrame, rules: RankingRules, coded: pl.DataFrame, *, with_pairs: bool
) -> tuple[Hits, Pairs | None]:
    """Return the judged candidates of the queries that have a code, and all pairs where they were kept."""
    codes = coded.select(query_key(QUERY), "code")
    ordered = lists.join(codes, on="query", how="inner").sort("code")
    mine = ordered["code"].to_numpy().astype(np.int64)
    hits = list_hits(ordered, mine, rules)
    return hits, _pairs(ordered, mine, hits) if with_pairs else None


def _pairs(lists: pl.DataFrame, codes: Ints, hits: Hits) -> Pairs:
    rows = lists["rows"].to_numpy()
    starts = np.cumsum(rows) - rows
    scores = lists["scores"].explode(empty_as_null=False).to_numpy()
    grade = np.zeros(len(scores))
    places = lists["place"].explode(empty_as_null=False).to_numpy()
    many = lists["place"].list.len().to_numpy()
    grade[np.repeat(starts, many) + places] = np.maximum(hits.grade, 0.0)
    return Pairs(np.repeat(codes, rows), scores, grade)


def _frames(source: SparkSource, rows: int, *, whole: bool) -> Iterator[pl.DataFrame]:
    """Give all candidates in input order, in frames of whole queries; in one where they are scattered."""
    held: list[pl.DataFrame] = []
    for frame in candidate_frames(source, rows, None):
        goes_on = 0  # rows of the query that was open
        if whole and held:
            goes_on = int((frame["query"] == held[-1]["query"][-1]).cum_min().sum())
        if whole and held and goes_on < len(frame):
            yield _named(pl.concat([*held, frame[:goes_on]]))
            held = [frame[goes_on:]]
        else:
            held.append(frame)
    if held:
        yield _named(pl.concat(held))


def _named(frame: pl.DataFrame) -> pl.DataFrame:
    keys: Sequence[tuple[str, str]] = [split_key(key) for key in frame["query"].to_list()]
    posts, criteria = zip(*keys, strict=True)
    return pl.DataFrame(
        {"post_id": posts, "criterion_id": criteria, "sent_uid": frame["item"], "score": frame["score"]}
    )
