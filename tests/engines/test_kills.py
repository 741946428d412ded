"""A worker is killed together with its executor while it works; the result has the same bits."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.engines import spark_jobs
from tests.engines.cluster import Cluster
from tests.engines.test_same_bits import numbers

pytestmark = pytest.mark.full


def evaluated_while(
    cluster: Cluster, spark: Any, run: Path, kill_when: Callable[[Any], bool], number: int
) -> tuple[Any, bool]:
    """Evaluate a run and kill a worker once a condition holds; also return whether work was going on then."""
    cluster.wait_for_executors(spark)
    found: list[Any] = []
    thread = threading.Thread(
        target=lambda: found.append(
            assay.evaluate(run, qrels=run.parent / "qrels.txt", engine=spark, bootstrap=20)
        )
    )
    thread.start()
    while thread.is_alive() and not kill_when(spark.sparkContext.statusTracker()):
        time.sleep(0.005)
    was_at_work = thread.is_alive()
    cluster.kill_worker(number)
    thread.join(240)
    cluster.replace_worker(number)
    assert found, "the evaluation failed"
    return found[0], was_at_work


def some_tasks_done(tracker: Any, at_least: int = 2) -> bool:
    stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
    return any(stage and at_least <= stage.numCompletedTasks < stage.numTasks for stage in stages)


def test_during_the_map(cluster: Cluster, spark: Any, runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spark.conf.set("spark.sql.files.maxPartitionBytes", "20k")  # many tasks
    try:
        there, was_at_work = evaluated_while(cluster, spark, runs / "run.txt", some_tasks_done, 0)
    finally:
        spark.conf.set("spark.sql.files.maxPartitionBytes", "300k")
    assert was_at_work
    here = assay.evaluate(runs / "run.txt", qrels=runs / "qrels.txt", bootstrap=20)
    assert numbers(there) == numbers(here)


def test_during_a_shuffle(cluster: Cluster, spark: Any, runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows that the dead executor had sorted by query are gone, and are made again."""
    monkeypatch.setattr(spark_jobs, "BUCKET_ROWS", 300)  # many buckets
    seen: set[int] = set()

    def in_the_buckets(tracker: Any) -> bool:
        stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
        seen.update(stage.stageId for stage in stages if stage)
        many = [stage for stage in stages if stage and stage.numTasks > 50]
        return any(stage.numCompletedTasks >= 1 for stage in many)

    there, was_at_work = evaluated_while(cluster, spark, runs / "scattered.txt", in_the_buckets, 1)
    assert was_at_work
    assert len(seen) >= 3, "the rows, the shuffle, the buckets"
    here = assay.evaluate(runs / "scattered.txt", qrels=runs / "qrels.txt", bootstrap=20)
    assert numbers(there) == numbers(here)
