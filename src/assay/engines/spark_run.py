"""A run that Spark ranks: `Cases` in the order, and with the bits, of one process."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import polars as pl

from assay.data.alignment.align import Hits, QueryCodes, RankingRules, joined_cases
from assay.data.cases import Cases
from assay.data.input_types import Columns
from assay.data.runs import Chunk, Chunks, JudgedRun, Run
from assay.data.score_confidence import NAMES
from assay.engines.executor.spark_lists import RankPlan
from assay.engines.spark_candidates import candidate_frames
from assay.engines.spark_files import SparkFile
from assay.engines.spark_jobs import ranked_lists
from assay.engines.spark_source import SparkSource, run_source
from assay.errors import AssayError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def spark_run(
    session: SparkSession, given: Any, name: str | None = None, columns: Columns | None = None
) -> Run:
    """Return a run that is read, joined and ranked by Spark."""
    source = run_source(session, given, name, columns)
    files = tuple(SparkFile(session, path) for path in source.files)
    align = partial(_aligned, source, files)
    return Run(source.name, chunks=_not_here, whole=_not_here, explain=_not_here, parts=files, align=align)


def _not_here() -> NoReturn:
    raise AssayError("this run is read by Spark, not by this process")


def _aligned(
    source: SparkSource, files: Sequence[SparkFile], judged: JudgedRun, rules: RankingRules
) -> tuple[Cases, Chunks]:
    """Return the cases of a run, and how to read its candidates: what `align_run` returns."""
    qrels = judged.qrels
    plan = RankPlan(source.layout, qrels.names, qrels.judgements, rules)
    lists = ranked_lists(source, plan)
    for file in files:
        file.refuse_changed()
    asked = lists.frame["query"].to_list()
    names = QueryCodes(qrels.names, grow=rules.unjudged_queries == "zero")
    codes = names.of(asked)
    names.left_out = int(np.count_nonzero(codes < 0))
    cases = joined_cases(judged, names, [list_hits(lists.frame, codes, rules)], rules)
    rows = int(lists.frame["rows"].sum())
    order = {name: place for place, name in enumerate(asked)} if lists.scattered else None
    return cases, lambda: map(Chunk.of, candidate_frames(source, rows, order))


def list_hits(lists: pl.DataFrame, codes: np.ndarray[Any, Any], rules: RankingRules) -> Hits:
    """Return the judged candidates of lists with these query codes; −1 leaves a list out."""
    known = lists.filter(pl.Series(codes >= 0))
    mine = codes[codes >= 0]
    many = known["rank"].list.len().to_numpy()

    def joined(name: str) -> Any:
        return known[name].explode(empty_as_null=False).drop_nulls().to_numpy()

    query = np.repeat(mine, many)
    return Hits(
        codes=mine,
        n=known["n"].to_numpy(),
        query=query,
        rank=joined("rank"),
        first=joined("first"),
        last=joined("last"),
        grade=joined("grade"),
        row=np.zeros(len(query), dtype=np.int64),
        resorted=int(known["rising"].sum()),
        confidence={name: known[name].to_numpy() for name in NAMES} if rules.keep_confidence else {},
    )
