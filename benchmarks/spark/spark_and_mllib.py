"""assay on Spark next to one process and next to MLlib: values, CPU and shuffle bytes.

`make bench-spark` prints the table of docs/scale.md. Everything runs on this machine (local[2]), so
the CPU of all processes can be counted: Python, Java and Python workers.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import numpy as np
import polars as pl
import psutil

import assay
from assay.engines.spark_session import quiet_warnings

MEASURES = ["ndcg@10", "map", "precision@10", "recall@10"]
TREC = ["ndcg_cut_10", "map", "P_10", "recall_10"]
JUDGED = 10
REPEATS = 3


def write_inputs(folder: Path, queries: int, depth: int) -> None:
    """Write binary judgements and a run, sorted by query, and with its rows shuffled."""
    generator = np.random.default_rng(0)
    names = [f"q{number}" for number in range(queries)]
    items = np.array([f"d{number}" for number in range(depth)])
    scores = -np.sort(-generator.normal(size=(queries, depth)), axis=1)
    run = pl.DataFrame(
        {
            "query_id": np.repeat(names, depth),
            "doc_id": np.concatenate([generator.permutation(items) for _ in names]),
            "score": scores.ravel(),
        }
    )
    run.write_parquet(folder / "run.parquet", row_group_size=250_000)
    run.sample(fraction=1.0, shuffle=True, seed=1).write_parquet(folder / "shuffled.parquet")
    fields = ("query_id", pl.lit(" Q0 "), "doc_id", pl.lit(" 1 "), "score", pl.lit(" t"))
    lines = run.select(pl.concat_str(*fields)).to_series()
    (folder / "run.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    chosen = ((name, item) for name in names for item in generator.choice(items, JUDGED, replace=False))
    judged = [f"{name} 0 {item} 1\n" for name, item in chosen]
    (folder / "qrels.txt").write_text("".join(judged), encoding="utf-8")


def cpu_seconds() -> float:
    """CPU of this process and of all that it started, those that ended too."""
    total = 0.0
    for process in [psutil.Process(), *psutil.Process().children(recursive=True)]:
        times = process.cpu_times()
        total += times.user + times.system
        if process.pid != os.getpid():
            total += times.children_user + times.children_system
    return total


def measured(label: str, work: Callable[[], Any], session: Any) -> Any:
    """Print the medians of three runs; return the result of the last one."""
    rows = []
    for _ in range(REPEATS):
        before, shuffled = cpu_seconds(), shuffle_bytes(session)
        begin = time.perf_counter()
        result = work()
        wall = time.perf_counter() - begin
        rows.append((wall, cpu_seconds() - before, (shuffle_bytes(session) - shuffled) / 1e6))
    wall, cpu, shuffled = np.median(rows, axis=0)
    print(f"{label:48} {wall:8.1f} {cpu:8.1f} {shuffled:11.1f}", flush=True)
    return result


def shuffle_bytes(session: Any) -> int:
    """Bytes that all stages wrote for a shuffle, by Spark's own count."""
    time.sleep(0.3)  # the counts arrive a little later
    context = session.sparkContext
    address = f"{context.uiWebUrl}/api/v1/applications/{context.applicationId}/stages"
    with urlopen(address) as answer:
        return sum(stage["shuffleWriteBytes"] for stage in json.load(answer))


def mllib_lists(session: Any, folder: Path) -> Any:
    """Predicted and relevant ids of each query as arrays of numbers, which is what MLlib takes."""
    from pyspark.sql import functions as sql

    def number(column: str) -> Any:
        return sql.substring(column, 2, 20).cast("double")

    run = session.read.parquet(f"file:{folder / 'shuffled.parquet'}")
    schema = "q string, z int, d string, g int"
    qrels = session.read.csv(f"file:{folder / 'qrels.txt'}", sep=" ", schema=schema).filter("g > 0")
    pair = sql.struct((-sql.col("score")).alias("s"), number("doc_id").alias("d"))
    ranked = sql.transform(sql.sort_array(sql.collect_list(pair)), lambda each: each["d"])
    predicted = run.groupBy("query_id").agg(ranked.alias("prediction"))
    by_query = qrels.groupBy(sql.col("q").alias("query_id"))
    return by_query.agg(sql.collect_list(number("d")).alias("label")).join(predicted, "query_id")


def with_metrics(lists: Any) -> dict[str, float]:
    """Return four values of RankingMetrics, from lists that are kept in memory."""
    from pyspark.mllib.evaluation import RankingMetrics

    pairs = lists.select("prediction", "label").rdd.map(tuple).cache()
    metrics: Any = RankingMetrics(pairs)
    found = {
        "ndcg@10": metrics.ndcgAt(10),
        "map": metrics.meanAveragePrecision,
        "precision@10": metrics.precisionAt(10),
        "recall@10": metrics.recallAt(10),
    }
    pairs.unpersist()
    return found


def with_evaluator(lists: Any) -> dict[str, float]:
    """Return four values of RankingEvaluator, from lists that are kept in memory."""
    from pyspark.ml.evaluation import RankingEvaluator

    kept = lists.cache()
    of = dict(zip(MEASURES, ("ndcgAtK", "meanAveragePrecision", "precisionAtK", "recallAtK"), strict=True))
    evaluator: Any = RankingEvaluator
    found = {name: evaluator(metricName=metric, k=10).evaluate(kept) for name, metric in of.items()}
    kept.unpersist()
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--queries", type=int, default=2000)
    parser.add_argument("--depth", type=int, default=1000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_inputs(folder, options.queries, options.depth)
        run(folder, f"{options.queries:,} queries × {options.depth:,} candidates")


def run(folder: Path, size: str) -> None:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    with quiet_warnings():
        from pyspark.sql import SparkSession

        builder = SparkSession.builder.master("local[2]").appName("bench-spark")
        for key, value in {
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.host": "127.0.0.1",
            "spark.ui.showConsoleProgress": "false",
            "spark.log.level": "ERROR",
            "spark.executorEnv.POLARS_MAX_THREADS": "1",
            "spark.sql.execution.arrow.maxRecordsPerBatch": "100000",
        }.items():
            builder = builder.config(key, value)
        session = builder.getOrCreate()
    qrels = folder / "qrels.txt"

    def scored(path: str, engine: Any = None) -> Callable[[], Any]:
        return lambda: assay.evaluate(
            folder / path, qrels=qrels, measures=TREC, contract="trec_eval/10", engine=engine
        )

    scored("run.parquet", session)()  # warm
    print(f"{size}; CPU of all processes\n{'what':48} {'wall s':>8} {'CPU s':>8} {'shuffle MB':>11}")
    values: dict[str, dict[str, float]] = {}
    for label, work in {
        "assay, one process, Parquet": scored("run.parquet"),
        "assay, Spark, Parquet": scored("run.parquet", session),
        "assay, one process, shuffled Parquet": scored("shuffled.parquet"),
        "assay, Spark, shuffled Parquet": scored("shuffled.parquet", session),
        "assay, one process, TREC text": scored("run.txt"),
        "assay, Spark, TREC text": scored("run.txt", session),
        "MLlib RankingMetrics, 4 values": lambda: with_metrics(mllib_lists(session, folder)),
        "MLlib RankingEvaluator, 4 values": lambda: with_evaluator(mllib_lists(session, folder)),
    }.items():
        with quiet_warnings():
            result = measured(label, work, session)
        if isinstance(result, dict):
            values[label] = result
        else:
            values[label] = {short: result[long].value for short, long in zip(MEASURES, TREC, strict=True)}
    print(f"\n{'value':48} " + " ".join(f"{name:>22}" for name in MEASURES))
    for label, found in values.items():
        print(f"{label:48} " + " ".join(f"{found[name]:22.17g}" for name in MEASURES))
    session.stop()


if __name__ == "__main__":
    main()
