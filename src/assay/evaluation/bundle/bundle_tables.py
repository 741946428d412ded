"""The tables of a bundle: everything that its numbers can be recomputed from."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import polars as pl

from assay.data.alignment.ranks import rank_candidates
from assay.evaluation.inputs.aligned_input import Sources
from assay.evaluation.result import Result
from assay.files.scratch import write_new

LEVEL = 6


def write_tables(result: Result, sources: Sources, folder: Path) -> None:
    """`per_query.csv`, `candidates.csv.gz`, `gold.csv`, and `tune.csv` and `per_post.csv`."""
    flags = pl.selectors.boolean().cast(pl.Int8)
    queries = result.query_table.with_columns(flags)
    gold = sources.gold()
    write_new(folder / "per_query.csv", queries.write_csv())
    write_new(folder / "gold.csv", gold.write_csv())
    _write_candidates(result, sources, gold, folder / "candidates.csv.gz")
    if sources.tune is not None:
        write_new(folder / "tune.csv", tune_frame(sources).write_csv())
    if "post_id" in queries.columns:
        write_new(folder / "per_post.csv", per_post(queries).write_csv())


def _write_candidates(result: Result, sources: Sources, gold: pl.DataFrame, path: Path) -> None:
    """In parts, with a fixed header of the gzip file so that the bytes follow from the rows."""
    keys = list(result.query_keys)
    ties = result.contract.ranking.ties
    selected = None
    if "selected_k" in result.query_table.columns:
        selected = result.query_table.select(*keys, "selected_k")
    with path.open("xb") as raw, gzip.GzipFile("", "wb", LEVEL, raw, mtime=0) as packed:
        for number, frame in enumerate(sources.candidates()):
            rows = frame.join(gold, on=[*keys, "item"], how="left", maintain_order="left")
            returned = _returned(rows, keys, selected, ties)
            part = rows.select(*keys, "item", "score", "grade").with_columns(returned)
            packed.write(part.write_csv(include_header=number == 0).encode())


def _returned(rows: pl.DataFrame, keys: list[str], selected: pl.DataFrame | None, ties: str) -> pl.Series:
    """1 where a candidate is among the first K of its query; nothing where no K was selected."""
    if selected is None:
        return pl.Series("returned", [None] * len(rows), dtype=pl.Int8)
    query = rows.select(pl.struct(keys).rank("dense")).to_series().to_numpy().astype(np.int64)
    items = rows["item"] if ties == "docno_desc" else None
    rank = rank_candidates(query, rows["score"].to_numpy(), items)
    k = rows.join(selected, on=keys, how="left", maintain_order="left")["selected_k"].to_numpy()
    return pl.Series("returned", (rank <= k).astype(np.int8))


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
