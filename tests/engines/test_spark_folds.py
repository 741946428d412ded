"""Folds of a pipeline as tasks of Spark: the bytes of a run in one process, also if a worker is killed."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.experiment import spark_folds
from assay.experiment.ablation.ablate import ablate
from assay.experiment.ablation.learning_curve import learning_curve
from assay.experiment.run_folds import run_folds
from tests.engines.cluster import Cluster
from tests.pipeline.protocols.test_folds import short
from tests.pipeline.test_run import configured, contents

SLOW_STAGE = """
import time
import assay

class Slow(assay.Stage):
    name, needs, gives = "slow", ("score",), ("late",)

    def apply(self, view):
        time.sleep(1.5)
        return {"late": view.column("score")}
"""
CHEAT = SLOW_STAGE.replace("time.sleep(1.5)", "raise ValueError('a bug of mine')")


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A configuration, and its run in one process."""
    folder = tmp_path_factory.mktemp("plain")
    path = configured(folder)
    assay.run(assay.read_plan(path), folder / "here", processes=1)
    return path, folder / "here"


@pytest.mark.full
def test_a_run_has_the_bytes_of_one_process(spark: Any, plain: tuple[Path, Path], tmp_path: Path) -> None:
    path, here = plain
    assay.run(assay.read_plan(path), tmp_path / "there", engine=spark)
    assert contents(tmp_path / "there") == contents(here)


@pytest.mark.full
def test_some_folds_on_spark_and_the_others_here(
    spark: Any, plain: tuple[Path, Path], tmp_path: Path
) -> None:
    path, here = plain
    plan = assay.read_plan(path)
    first, *rest = run_folds(plan, tmp_path / "there", ["0"], engine=spark).left
    assert run_folds(plan, tmp_path / "there", [first], processes=1).left == tuple(rest)
    assay.run(plan, tmp_path / "there", engine=spark)
    assert contents(tmp_path / "there") == contents(here)


@pytest.mark.full
def test_a_worker_is_killed_during_a_fold(cluster: Cluster, spark: Any, tmp_path: Path) -> None:
    """Spark gives the fold to another executor; the stage waits, so that the kill comes in its midst."""
    (tmp_path / "slow_stage.py").write_text(SLOW_STAGE)
    plan = short(tmp_path)
    path = tmp_path / "toy.toml"
    path.write_text(path.read_text().replace('"scorer"]', '"scorer", "slow_stage:Slow"]'))
    plan = assay.read_plan(path)
    assay.run(plan, tmp_path / "here", processes=1)
    cluster.wait_for_executors(spark)
    failed: list[Exception] = []

    def there() -> None:
        try:
            assay.run(plan, tmp_path / "there", engine=spark)
        except Exception as error:
            failed.append(error)

    thread = threading.Thread(target=there)
    thread.start()
    while thread.is_alive() and not spark.sparkContext.statusTracker().getActiveStageIds():
        time.sleep(0.01)
    time.sleep(2)
    assert thread.is_alive(), "the folds must still be at work"
    cluster.kill_worker(0)
    thread.join(240)
    cluster.replace_worker(0)
    assert not failed, failed
    assert contents(tmp_path / "there") == contents(tmp_path / "here")


@pytest.mark.full
def test_all_configurations_of_an_ablation(spark: Any, plain: tuple[Path, Path], tmp_path: Path) -> None:
    path, here = plain
    plan = assay.read_plan(path)
    stages = ablate(plan, here / "cache", processes=1)
    assert ablate(plan, tmp_path / "cache", engine=spark).document == stages.document
    curve = learning_curve(plan, here / "cache", sizes=(10,), processes=1)
    assert learning_curve(plan, tmp_path / "cache", sizes=(10,), engine=spark).document == curve.document


@pytest.mark.full
def test_a_bug_of_a_stage_is_one_sentence(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "broken_stage.py").write_text(CHEAT.replace('"slow"', '"broken"').replace("Slow", "Broken"))
    short(tmp_path)
    path = tmp_path / "toy.toml"
    path.write_text(path.read_text().replace('"scorer"]', '"scorer", "broken_stage:Broken"]'))
    with pytest.raises(assay.AssayError) as here:
        assay.run(assay.read_plan(path), tmp_path / "here", processes=1)
    with pytest.raises(assay.AssayError) as there:
        assay.run(assay.read_plan(path), tmp_path / "there", engine=spark)
    assert (type(there.value), str(there.value)) == (type(here.value), str(here.value))
    assert "a bug of mine" in str(there.value)
    assert not (tmp_path / "there" / "bundle").exists()


def test_a_cache_that_workers_do_not_share_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spark_folds, "spark_map", lambda *_: None)  # as if each wrote to its own disk
    with pytest.raises(
        assay.InputError, match="3 of 3 folds that Spark computed are not there; expected a fold"
    ):
        assay.run(short(tmp_path), tmp_path / "out", engine="local[2]")


def test_processes_are_refused_next_to_spark(tmp_path: Path) -> None:
    with pytest.raises(assay.InputError, match="`processes`: has no effect where Spark computes the folds"):
        assay.run(short(tmp_path), tmp_path / "out", engine="local[2]", processes=2)
