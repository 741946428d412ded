"""`log_result` against the real MLflow with a local store, offline."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import assay

FRAME = {"label": [1, 0, 0, 1, 0, 1], "prob": [0.9, 0.4, 0.6, 0.7, 0.1, 0.2]}


@pytest.fixture
def mlflow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    monkeypatch.setenv("DO_NOT_TRACK", "true")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow = pytest.importorskip("mlflow", reason="mlflow-skinny is not installed: logging was not tested")
    before = mlflow.get_tracking_uri()
    mlflow.set_tracking_uri((tmp_path / "mlruns").as_uri())
    yield mlflow
    while mlflow.active_run():
        mlflow.end_run()
    mlflow.set_tracking_uri(before)


def result() -> assay.Result:
    table = assay.read_decisions(pl.DataFrame(FRAME))
    return assay.evaluate(table, bootstrap=assay.Bootstrap(resamples=200, seed=1))


@pytest.mark.filterwarnings("ignore")
def test_one_call_logs_values_intervals_and_the_document(mlflow: Any, tmp_path: Path) -> None:
    from assay.compat.mlflow import log_result, metric_key

    made = result()
    with mlflow.start_run() as run:
        logged = log_result(made, prefix="dev/", step=3)
    stored = mlflow.get_run(run.info.run_id)
    assert stored.data.metrics == logged
    for value in made.measures:
        assert logged["dev/" + metric_key(value.name)] == value.value
    interval = made["auroc"].interval
    assert interval is not None
    assert (logged["dev/auroc_low"], logged["dev/auroc_high"]) == (interval.low, interval.high)
    assert "dev/tpr_at_fpr_at_0.05" in logged
    assert stored.data.tags["assay.contract_hash"] == made.contract.hash
    history = mlflow.MlflowClient().get_metric_history(run.info.run_id, "dev/auroc")
    assert [(each.step, each.value) for each in history] == [(3, made["auroc"].value)]
    path = mlflow.artifacts.download_artifacts(
        run_id=run.info.run_id, artifact_path="assay/result.json", dst_path=str(tmp_path / "down")
    )
    assert json.loads(Path(path).read_text(encoding="utf-8")) == json.loads(json.dumps(made.to_dict()))


@pytest.mark.filterwarnings("ignore")
def test_a_finished_run_by_its_id(mlflow: Any) -> None:
    from assay.compat.mlflow import log_result

    with mlflow.start_run() as run:
        pass
    logged = log_result(result(), run_id=run.info.run_id)
    stored = mlflow.get_run(run.info.run_id)
    assert stored.data.metrics == logged
    assert stored.data.tags["assay.contract"] == "assay/1"
    assert mlflow.active_run() is None
