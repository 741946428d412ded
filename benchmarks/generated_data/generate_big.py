"""Write a large run in parts: `generate_big.py FOLDER QUERIES CANDIDATES parquet|trec …`.

Three relevant documents per query, one of them not retrieved. Scores of a query are distinct.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow.parquet as pq

SEED = 20261118
DOCUMENTS = 8_000_009  # a prime, so that multiples of any step are distinct
AT_ONCE = 1_000


def main(folder: Path, queries: int, candidates: int, forms: list[str]) -> None:
    generator = np.random.default_rng((SEED, queries, candidates))
    qrels = []
    writer = None
    text = (folder / "run.trec").open("wb") if "trec" in forms else None
    for first in range(0, queries, AT_ONCE):
        run, judged = part(generator, first, min(AT_ONCE, queries - first), candidates)
        qrels.append(judged)
        table = run.to_arrow(compat_level=pl.CompatLevel.oldest())
        writer = writer or pq.ParquetWriter(folder / "run.parquet", table.schema, compression="zstd")
        writer.write_table(table)
        if text is not None:
            constant = {"Q0": pl.lit("Q0"), "rank": pl.lit("1"), "tag": pl.lit("bench")}
            lines = run.with_columns(**constant).select("q_id", "Q0", "doc_id", "rank", "score", "tag")
            lines.write_csv(text, separator=" ", include_header=False, float_precision=4)
    if writer is not None:
        writer.close()
    if text is not None:
        text.close()
    whole = pl.concat(qrels)
    whole.write_parquet(folder / "qrels.parquet")
    lines = whole.select("q_id", pl.lit("0").alias("iteration"), "doc_id", "score")
    lines.write_csv(folder / "qrels.trec", separator=" ", include_header=False)


def part(
    generator: np.random.Generator, first: int, queries: int, candidates: int
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the candidates and judgements of consecutive queries."""
    names = np.arange(1_000_000 + first, 1_000_000 + first + queries)
    start, step = generator.integers(1, DOCUMENTS, (2, queries, 1))
    documents = (start + step * np.arange(candidates + 1)) % DOCUMENTS  # the last one is not retrieved
    drops = generator.integers(1, 9, (queries, candidates))
    scores = (10 * candidates - np.cumsum(drops, axis=1)) / 10_000
    ranks = np.sort((generator.random((queries, 2)) ** 3 * candidates / 2).astype(np.int64), axis=1)
    ranks[:, 1] += candidates // 2 * (ranks[:, 0] == ranks[:, 1])
    judged = np.column_stack((np.take_along_axis(documents, ranks, axis=1), documents[:, -1]))
    listed = np.repeat(names, candidates), documents[:, :-1].ravel(), scores.ravel()
    return frame(*listed), frame(np.repeat(names, 3), judged.ravel(), np.ones(3 * queries, dtype=np.int64))


def frame(queries: np.ndarray, documents: np.ndarray, scores: np.ndarray) -> pl.DataFrame:
    ids = pl.DataFrame({"q_id": queries, "doc_id": documents, "score": scores})
    document = pl.format("D{}", pl.col("doc_id").cast(pl.String).str.zfill(7)).alias("doc_id")
    return ids.with_columns(pl.col("q_id").cast(pl.String), document)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:])
