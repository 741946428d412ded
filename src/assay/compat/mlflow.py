"""Log a result to MLflow in one call; needs the extra `mlflow`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import mlflow

from assay.version import VERSION

if TYPE_CHECKING:
    from assay.evaluation.result import Result

__all__ = ["log_result", "metric_key"]

FILE = "assay/result.json"


def log_result(
    result: Result, *, prefix: str = "", step: int | None = None, run_id: str | None = None
) -> dict[str, float]:
    """Log all values, their intervals and the whole result as JSON; return what was logged as metrics.

    Parameters
    ----------
    result
        What `assay.evaluate` or `assay.load` returned.
    prefix
        Put in front of every metric, such as `"dev/"`.
    step
        The step of the metrics, such as an epoch.
    run_id
        The run to log to; without it the active run, which MLflow starts if there is none.

    Returns
    -------
    dict
        Metric keys and values. `ndcg@10` is `ndcg_at_10`, because MLflow refuses `@`; bounds of
        intervals end in `_low` and `_high`.

    """
    metrics: dict[str, float] = {}
    for value in result.measures:
        key = prefix + metric_key(value.name)
        metrics[key] = value.value
        if value.interval is not None:
            metrics |= {f"{key}_low": value.interval.low, f"{key}_high": value.interval.high}
    tags = {
        "assay.version": VERSION,
        "assay.system": result.system,
        "assay.contract": result.contract.id,
        "assay.contract_hash": result.contract.hash,
    }
    mlflow.log_metrics(metrics, step=step, run_id=run_id)
    mlflow.log_dict(result.to_dict(), FILE, run_id=run_id)
    if run_id is None:
        mlflow.set_tags(tags)
    else:
        for name, text in tags.items():
            mlflow.MlflowClient().set_tag(run_id, name, text)
    return metrics


def metric_key(name: str) -> str:
    """Return a name as a metric key that MLflow accepts.

    >>> metric_key("nDCG(dcg='exp-log2')@10")
    'nDCG_dcg_exp-log2_at_10'
    """
    return re.sub(r"([^\w./ -]|_)+", "_", name.replace("@", "_at_"), flags=re.ASCII)
