"""The tables of a bundle: everything that its numbers can be recomputed from."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator
from io import BytesIO
from pathlib import Path

import numpy as np
import polars as pl

from assay.data.alignment.ranks import rank_candidates
from assay.data.evidence.evidence_groups import one_per_item
from assay.evaluation.inputs.aligned_input import Sources
from assay.evaluation.result import Result
from assay.evaluation.scoring.score import QueryRows

LEVEL = 6
PART = 1 << 18
"""Rows that are joined at a time, at least."""
TEXT = 1 << 16
"""Rows that are text at a time."""
CODE, K = "__code", "selected_k"
PER_POST = ("post_id", "fold", "has_evidence", "selected_k")
"""Columns that the table of posts is made of."""


def write_tables(result: Result, sources: Sources, folder: Path) -> None:
    """`per_query.csv`, `candidates.csv.gz`, `gold.csv`, and `tune.csv` and `per_post.csv`."""
    rows = result.queries
    assert isinstance(rows, QueryRows), "a result with sources was computed here"
    flags = pl.selectors.boolean().cast(pl.Int8)
    gold = sources.gold()
    judged = one_per_item(gold)
    _write_csv(folder / "per_query.csv", (part.with_columns(flags) for part in rows.parts()))
    _write_csv(folder / "gold.csv", [gold])
    selected = rows.select([*result.query_keys, K]) if K in rows.columns else None
    _write_candidates(sources, judged, selected, result.contract.ranking.ties, folder / "candidates.csv.gz")
    if sources.tune is not None:
        _write_csv(folder / "tune.csv", [tune_frame(sources)])
    names = rows.columns
    if "post_id" in names:
        wanted = [name for name in PER_POST if name in names]
        _write_csv(folder / "per_post.csv", [per_post(rows.select(wanted).with_columns(flags))])


def _write_csv(path: Path, parts: Iterable[pl.DataFrame]) -> None:
    """Write a new file from the parts of a table; only the text of one part is in memory."""
    with path.open("xb") as file:
        for number, part in enumerate(parts):
            file.write(_csv_text(part, header=number == 0))


def _write_candidates(
    sources: Sources, gold: pl.DataFrame, selected: pl.DataFrame | None, ties: str, path: Path
) -> None:
    """Write the table in parts, with a fixed header of the gzip file so that bytes follow from rows.

    `selected` has the keys of each query and its selected K. A frame of candidates has whole queries.
    """
    keys = [name for name in gold.columns if name not in ("item", "grade")]
    header = True
    with path.open("xb") as raw, gzip.GzipFile("", "wb", LEVEL, raw, mtime=0) as packed:
        for frame in sources.candidates():
            returned = None if selected is None else _returned(frame, selected, ties)
            for first, part in _parts(frame, gold.height):
                rows = part.join(gold, on=[*keys, "item"], how="left", maintain_order="left")
                flags = pl.lit(None, pl.Int8) if returned is None else returned[first : first + part.height]
                rows = rows.select(*keys, "item", "score", "grade", flags.alias("returned"))
                for start in range(0, max(1, rows.height), TEXT):
                    packed.write(_csv_text(rows[start : start + TEXT], header=header))
                    header = False


def _parts(frame: pl.DataFrame, known: int) -> Iterator[tuple[int, pl.DataFrame]]:
    """Give at least one part, with its first row; a join costs a table of what is `known` each time."""
    step = max(PART, known)
    for first in range(0, max(1, frame.height), step):
        yield first, frame[first : first + step]


def _returned(frame: pl.DataFrame, selected: pl.DataFrame, ties: str) -> pl.Series:
    """Return 1 for candidates that are among the first K of their query, 0 for others."""
    keys = [name for name in selected.columns if name != K]
    coded = selected.with_row_index(CODE)
    query, k = np.empty(frame.height, dtype=np.int64), np.empty(frame.height, dtype=np.int64)
    for first, part in _parts(frame.select(keys), coded.height):
        found = part.join(coded, on=keys, how="left", maintain_order="left")
        rows = slice(first, first + part.height)
        query[rows], k[rows] = found[CODE].to_numpy(), found[K].to_numpy()
    items = frame["item"] if ties == "docno_desc" else None
    rank = rank_candidates(query, frame["score"].to_numpy(), items)
    return pl.Series("returned", (rank <= k).astype(np.int8))


def _csv_text(frame: pl.DataFrame, *, header: bool) -> bytes:
    """Return the bytes of a CSV file."""
    buffer = BytesIO()
    frame.write_csv(buffer, include_header=header)
    return buffer.getvalue()


def tune_frame(sources: Sources) -> pl.DataFrame:
    """TUNE as a table: post, fold where there are folds, probability and label."""
    tune = sources.tune
    assert tune is not None, "write_tables() asks only where there is one"
    columns = {"post_id": np.array(tune.posts.labels, dtype=object)[tune.posts.codes].tolist()}
    if tune.folds is not None:
        columns["fold"] = np.array(tune.folds.labels, dtype=object)[tune.folds.codes].tolist()
    frame = pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))
    return frame.with_columns(pl.Series("prob", tune.prob), pl.Series("label", tune.label.astype(np.int8)))


def per_post(queries: pl.DataFrame) -> pl.DataFrame:
    """Return one row per post: its queries, how many have evidence, and the decisions."""
    counts = [pl.len().alias("queries"), pl.col("has_evidence").sum().alias("evidence")]
    if "selected_k" in queries.columns:
        said, true = pl.col("selected_k") >= 1, pl.col("has_evidence") == 1
        counts += [
            (said & true).sum().alias("tp"),
            (said & ~true).sum().alias("fp"),
            (~said & true).sum().alias("fn"),
            (~said & ~true).sum().alias("tn"),
            (said == true).all().cast(pl.Int8).alias("exact_match"),
            (said == true).mean().alias("hamming_score"),
        ]
    fold = ["fold"] if "fold" in queries.columns else []
    return queries.group_by("post_id", *fold, maintain_order=True).agg(counts)
