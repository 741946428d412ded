"""One tool on a large Parquet run, in a separate process: `big_child.py polars-sum|duckdb FOLDER`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from adapters.definitions import CUTS, Values

RANKED = """
WITH gold AS (SELECT q_id, doc_id FROM '{folder}/qrels.parquet' WHERE score > 0),
sizes AS (SELECT q_id, count(*) AS r FROM gold GROUP BY q_id),
ranked AS (
  SELECT q_id, doc_id, row_number() OVER (PARTITION BY q_id ORDER BY score DESC, doc_id DESC) AS rank
  FROM '{folder}/run.parquet'),
hits AS (
  SELECT q_id, rank, row_number() OVER (PARTITION BY q_id ORDER BY rank) AS nth
  FROM ranked JOIN gold USING (q_id, doc_id)),
listed AS (SELECT q_id, r FROM sizes SEMI JOIN ranked USING (q_id)),
per_query AS (SELECT q_id, any_value(r) AS r, {columns} FROM listed LEFT JOIN hits USING (q_id) GROUP BY q_id)
SELECT {averages} FROM per_query
"""
COLUMNS = """
count(rank) FILTER (rank <= {k}) AS hits_{k},
coalesce(max(1 / rank) FILTER (rank <= {k}), 0) AS rr_{k},
coalesce(sum(nth / rank) FILTER (rank <= {k}), 0) AS ap_{k},
coalesce(sum(1 / log2(rank + 1)) FILTER (rank <= {k}), 0) AS dcg_{k}"""
AVERAGES = """
avg(hits_{k} / r) AS "recall@{k}", avg(hits_{k} / {k}) AS "precision@{k}",
avg((hits_{k} > 0)::INT) AS "hit@{k}", avg(rr_{k}) AS "mrr@{k}", avg(ap_{k} / r) AS "map@{k}",
avg(dcg_{k} / list_sum(list_transform(range(1, least(r, {k}) + 1), lambda i: 1 / log2(i + 1))))
  AS "ndcg@{k}" """


def duckdb_values(folder: Path) -> Values:
    """Rank by a window function and aggregate, with the settings DuckDB starts with."""
    import duckdb

    columns, averages = (",".join(each.format(k=k) for k in CUTS) for each in (COLUMNS, AVERAGES))
    with duckdb.connect(str(folder / "spill.duckdb")) as connection:
        found = connection.execute(RANKED.format(folder=folder, columns=columns, averages=averages))
        names = [column[0] for column in found.description or ()]
        row = found.fetchone()
    assert row is not None, "an aggregate without groups has one row"
    return dict(zip(names, map(float, row), strict=True))


def polars_sum(folder: Path) -> Values:
    """Read all three columns with Polars' streaming engine: lengths of ids, and scores, added."""
    import polars as pl

    lengths = (pl.col(name).str.len_bytes().sum() for name in ("q_id", "doc_id"))
    frame = pl.scan_parquet(folder / "run.parquet").select(*lengths, pl.col("score").sum())
    row = frame.collect(engine="streaming").row(0)
    return dict(zip(("q_id", "doc_id", "score"), map(float, row), strict=True))


if __name__ == "__main__":
    made = {"polars-sum": polars_sum, "duckdb": duckdb_values}[sys.argv[1]]
    print(json.dumps(made(Path(sys.argv[2]))))
