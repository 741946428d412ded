"""A result in the schema of Every Eval Ever, for collections of evaluations."""

from __future__ import annotations

from datetime import UTC, datetime, time
from typing import Any

from assay.metrics.core.entry import INFINITE
from assay.metrics.core.registry import is_user_defined, metric
from assay.version import published

NAME = "every_eval_ever.json"
SCHEMA_VERSION = "0.3.0"


def every_eval(document: dict[str, Any], stamp: str | None = None) -> dict[str, Any]:
    """Return the measures of a `metrics_master.json`, one result each.

    What the schema has no place for (definition, population, count, folds) is in its details.
    """
    system, contract = document["system"], document["contract"]["id"]
    if stamp is None:
        stamp = str(int(datetime.combine(published(), time(), UTC).timestamp()))
    return {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": f"assay/{contract}/{system}/{stamp}",
        "retrieved_timestamp": stamp,
        "source_metadata": {
            "source_name": "assay",
            "source_type": "evaluation_run",
            "source_organization_name": "unknown",
            "evaluator_relationship": "other",
        },
        "eval_library": {"name": "assay", "version": document["versions"]["assay"]},
        "model_info": {
            "name": system,
            "id": system,
            "additional_details": {"deployment_type": "unknown", "model_availability": "unknown"},
        },
        "evaluation_results": [_result(each, document) for each in document["measures"]],
    }


def _result(each: dict[str, Any], document: dict[str, Any]) -> dict[str, Any]:
    entry = metric(each["definition"])
    users = is_user_defined(each["definition"])  # the same record whether it is defined here or not
    low, high = (-INFINITE, INFINITE) if users else entry.range
    counts = document["counts"]
    details = {
        "definition": each["definition"],
        "population": each["population"],
        "n": str(each["n"]),
        "aggregate": each["aggregate"],
        "contract": document["contract"]["id"],
        "contract_hash": document["contract"]["hash"],
    }
    score: dict[str, Any] = {"score": each["value"], "details": details}
    if each["interval"] is not None:
        score["uncertainty"] = {
            "confidence_interval": {
                "lower": each["interval"]["low"],
                "upper": each["interval"]["high"],
                "confidence_level": each["interval"]["level"],
                "method": f"{each['interval']['method']} bootstrap of {each['interval']['unit']}s",
            },
            "num_samples": each["n"],
            "num_bootstrap_samples": each["interval"]["resamples"],
        }
    return {
        "evaluation_result_id": each["definition"],
        "evaluation_name": each["name"],
        "source_data": {
            "dataset_name": "private",
            "source_type": "other",
            "additional_details": {"queries": str(counts["queries"]), "evidence": str(counts["evidence"])},
        },
        "metric_config": {
            "evaluation_description": "a user-defined measure" if users else entry.meaning,
            "metric_id": each["definition"],
            "metric_name": each["title"],
            "metric_kind": each["definition"].partition(":")[0].partition("@")[0],
            "metric_parameters": dict(entry.params),
            "lower_is_better": each["better"] == "lower",
            "score_type": "continuous",
            "min_score": "-Infinity" if low == float("-inf") else low,
            "max_score": "Infinity" if high == float("inf") else high,
        },
        "score_details": score,
    }
