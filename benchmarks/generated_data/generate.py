"""Write one data set: `generate.py FOLDER QUERIES CANDIDATES` (in a separate process).

Binary judgements, 1–4 relevant documents per query, about a third of them not retrieved. Scores of
a query are distinct, also in the 4 printed decimals and as the 32-bit floats of trec_eval.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import polars as pl

SEED = 20240611
DOCUMENTS = 8_000_000
SCORES = 1_000_000


def distinct(generator: np.random.Generator, below: int, count: int) -> np.ndarray:
    """Return distinct whole numbers in random order."""
    drawn = np.unique(generator.integers(below, size=count + count // 8 + 16))
    if len(drawn) < count:
        drawn = generator.choice(below, size=count, replace=False)
    return generator.permutation(drawn)[:count]


def main(folder: Path, queries: int, candidates: int) -> None:
    generator = np.random.default_rng((SEED, queries, candidates))
    names = 100_000 + np.sort(generator.choice(10 * queries, size=queries, replace=False))
    documents, scores, judged_query, judged = [], [], [], []
    for query in range(queries):
        drawn = distinct(generator, DOCUMENTS, candidates + 4)
        documents.append(drawn[:candidates])
        scores.append(np.sort(distinct(generator, SCORES, candidates))[::-1] / 10_000)
        relevant = int(generator.integers(1, 5))
        # most gold is near the top, as in a realistic run
        ranks = np.unique((generator.random(relevant) ** 3 * candidates).astype(np.int64))
        missed = generator.random(relevant) < 1 / 3
        gold = np.where(missed, drawn[candidates : candidates + relevant], -1)
        gold[: len(ranks)] = np.where(missed[: len(ranks)], gold[: len(ranks)], drawn[ranks])
        gold = gold[gold >= 0] if (gold >= 0).any() else drawn[:1]
        judged.append(gold)
        judged_query.append(np.full(len(gold), query))
    listed = np.repeat(np.arange(queries), candidates)
    run = frame(names[listed], np.concatenate(documents), np.concatenate(scores))
    owner = np.concatenate(judged_query)
    qrels = frame(names[owner], np.concatenate(judged), np.ones(len(owner), dtype=np.int64))
    shuffled = run[np.lexsort((generator.random(len(run)), listed))]
    write(folder, run, qrels, shuffled, np.tile(np.arange(1, candidates + 1), queries))


def frame(queries: np.ndarray, documents: np.ndarray, scores: np.ndarray) -> pl.DataFrame:
    ids = pl.DataFrame({"q_id": queries, "doc_id": documents, "score": scores})
    return ids.with_columns(
        pl.col("q_id").cast(pl.String),
        pl.format("D{}", pl.col("doc_id").cast(pl.String).str.zfill(7)).alias("doc_id"),
    )


def write(
    folder: Path, run: pl.DataFrame, qrels: pl.DataFrame, shuffled: pl.DataFrame, ranks: np.ndarray
) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    run.write_parquet(folder / "run.parquet")
    shuffled.write_parquet(folder / "shuffled.parquet")
    qrels.write_parquet(folder / "qrels.parquet")
    lines = run.select("q_id", pl.lit("Q0").alias("Q0"), "doc_id", pl.Series("rank", ranks), "score")
    lines.with_columns(pl.lit("bench").alias("tag")).write_csv(
        folder / "run.trec", separator=" ", include_header=False, float_precision=4
    )
    qrels.select("q_id", pl.lit("0").alias("iteration"), "doc_id", "score").write_csv(
        folder / "qrels.trec", separator=" ", include_header=False
    )
    (folder / "complete").touch()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
