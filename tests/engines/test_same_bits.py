"""Spark gives the bits of one process: every measure, interval, group, fold, comparison and bundle."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import assay
from assay.engines.spark_session import quiet_warnings

pytestmark = pytest.mark.full


def numbers(result: Any) -> dict[str, Any]:
    """Everything that a result says, apart from the name of the system."""
    said: dict[str, Any] = result.to_dict()
    return {key: value for key, value in said.items() if key != "system"}


@pytest.mark.parametrize("name", ["run.txt", "run.parquet", "parts.parquet", "scattered.txt"])
def test_a_run(spark: Any, runs: Path, name: str) -> None:
    there = assay.evaluate(runs / name, qrels=runs / "qrels.txt", engine=spark, bootstrap=50)
    same = "run.txt" if name == "parts.parquet" else name
    here = assay.evaluate(runs / same, qrels=runs / "qrels.txt", bootstrap=50)
    assert numbers(there) == numbers(here)
    assert there.query_table.equals(here.query_table)


@pytest.mark.parametrize("contract", ["trec_eval/10", "ir/1"])
@pytest.mark.parametrize("name", ["run.txt", "scattered.txt"])
def test_other_contracts(spark: Any, runs: Path, contract: str, name: str) -> None:
    """Ties by id, run queries without judgements in the order of the run, and a depth."""
    options: dict[str, Any] = {"qrels": runs / "qrels.txt", "contract": contract, "depth": 40}
    there = assay.evaluate(runs / name, engine=spark, **options)
    here = assay.evaluate(runs / name, **options)
    assert numbers(there) == numbers(here)
    assert there.query_table.equals(here.query_table)


def test_confidence_by_score(spark: Any, runs: Path) -> None:
    measures = [f"nauc@10:of=ndcg,by={by},on=all" for by in ("max", "std", "diff1")]
    options: dict[str, Any] = {"qrels": runs / "qrels.txt", "measures": measures}
    here = assay.evaluate(runs / "run.txt", **options)
    assert numbers(assay.evaluate(runs / "run.txt", engine=spark, **options)) == numbers(here)


def test_data_frames_and_tables(spark: Any, runs: Path) -> None:
    here = assay.evaluate(runs / "run.txt", qrels=runs / "qrels.txt", measures="ndcg@10")
    table = pl.read_parquet(runs / "run.parquet").to_arrow(compat_level=pl.CompatLevel.oldest())
    with quiet_warnings():
        frame = spark.createDataFrame(table)
    there = assay.evaluate(frame, qrels=runs / "qrels.txt", measures="ndcg@10", engine=spark)
    assert numbers(there) == numbers(here)
    frame.createOrReplaceTempView("my_run")
    there = assay.evaluate("table:my_run", qrels=runs / "qrels.txt", measures="ndcg@10", engine="spark")
    assert numbers(there) == numbers(here)


@pytest.mark.parametrize("system", ["a", "b"])
def test_a_corpus_with_decisions(spark: Any, corpus: Path, system: str) -> None:
    options: dict[str, Any] = {"by": ("criterion_id", "has_evidence"), "bootstrap": 100}
    there = assay.evaluate(corpus / system, corpus / "corpus", engine=spark, **options)
    here = assay.evaluate(corpus / system, corpus / "corpus", **options)
    assert "pair_auroc" in here
    assert here.thresholds
    assert numbers(there) == numbers(here)
    assert there.query_table.equals(here.query_table)


def test_a_measure_of_the_user(spark: Any, corpus: Path) -> None:
    def top_score(cases: Any) -> Any:
        top = np.zeros(len(cases))
        np.maximum.at(top, cases.pairs.query, cases.pairs.score)
        return top

    assay.define_measure("spark_top_grade", lambda grades, gold, k: max(grades, default=0), cut=True)
    assay.define_measure("spark_top_score", top_score, vectorised=True, on="all")
    options: dict[str, Any] = {"measures": ["spark_top_grade@3", "spark_top_score"], "bootstrap": 20}
    there = assay.evaluate(corpus / "a", corpus / "corpus", engine=spark, **options)
    assert numbers(there) == numbers(assay.evaluate(corpus / "a", corpus / "corpus", **options))


def test_comparisons(spark: Any, runs: Path, corpus: Path) -> None:
    options: dict[str, Any] = {"qrels": runs / "qrels.txt", "resamples": 50}
    pair = (runs / "run.txt", runs / "other.txt")
    assert (
        assay.compare(*pair, engine=spark, **options).to_dict() == assay.compare(*pair, **options).to_dict()
    )
    options = {"corpus": corpus / "corpus", "resamples": 50}
    both = (corpus / "a", corpus / "b")
    assert (
        assay.compare(*both, engine=spark, **options).to_dict() == assay.compare(*both, **options).to_dict()
    )


@pytest.mark.parametrize("name", ["run.txt", "scattered.txt"])
def test_the_bundle_of_a_run(spark: Any, runs: Path, tmp_path: Path, name: str) -> None:
    options: dict[str, Any] = {"qrels": runs / "qrels.txt", "measures": "map@10", "bootstrap": 20}
    assay.evaluate(runs / name, system="s", engine=spark, **options).save(tmp_path / "there")
    assay.evaluate(runs / name, system="s", **options).save(tmp_path / "here")
    assert files(tmp_path / "there") == files(tmp_path / "here")


@pytest.mark.parametrize("system", ["a", "b"])
def test_the_bundle_of_a_corpus(spark: Any, corpus: Path, tmp_path: Path, system: str) -> None:
    assay.evaluate(corpus / system, corpus / "corpus", engine=spark).save(tmp_path / "there")
    assay.evaluate(corpus / system, corpus / "corpus").save(tmp_path / "here")
    assert files(tmp_path / "there") == files(tmp_path / "here")


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_one_query_with_five_million_candidates(spark: Any, tmp_path: Path) -> None:
    """It is cut into many pieces, and its rows are brought together again."""
    rows = 5_000_000
    scores = np.random.default_rng(5).random(rows).astype(np.float32).astype(np.float64)
    frame = pl.DataFrame({"query_id": ["q"] * rows, "n": np.arange(rows), "score": scores})
    frame = frame.select("query_id", ("d" + pl.col("n").cast(pl.String)).alias("doc_id"), "score")
    frame.write_parquet(tmp_path / "run.parquet")
    qrels = {"q": {f"d{item}": 1 + item % 3 for item in range(0, rows, 250_000)}}
    spark.conf.set("spark.sql.files.maxPartitionBytes", "20m")
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "50000")
    try:
        there = assay.evaluate(tmp_path / "run.parquet", qrels=qrels, engine=spark)
    finally:
        spark.conf.set("spark.sql.files.maxPartitionBytes", "300k")
        spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "777")
    assert numbers(there) == numbers(assay.evaluate(tmp_path / "run.parquet", qrels=qrels))
