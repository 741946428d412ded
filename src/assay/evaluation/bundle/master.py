"""`metrics_master.json`: the source of truth. Every number, what it means and where it is from."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import polars as pl

from assay.contracts.contract import Contract
from assay.contracts.contract_text import faithful_text
from assay.contracts.contract_toml import last_correction
from assay.data.corpus import SHARED
from assay.evaluation.inputs.aligned_input import Sources
from assay.evaluation.result import Baseline, Result
from assay.version import VERSION

SCHEMA = "assay/bundle/1"


def master(result: Result, sources: Sources, baselines: Sequence[Baseline]) -> dict[str, Any]:
    """Return the result, with its contract in full, its inputs by hash, the seed and the versions."""
    numbers = result.to_dict()
    contract = result.contract
    return {
        "schema": SCHEMA,
        "system": numbers.pop("system"),
        "versions": {
            "assay": VERSION,
            "python": platform.python_version(),
            "numpy": np.__version__,
            "polars": pl.__version__,
        },
        "contract": contract_dict(contract),
        "inputs": [asdict(file.record()) for file in sources.files],
        "keys": list(result.query_keys),
        **({SHARED: True} if sources.shared_candidates else {}),
        **({PREDICTED_LISTS: True} if sources.predicted_lists else {}),
        "tune_reused": result.tune_reused,
        "bootstrap": None if result.bootstrap is None else asdict(result.bootstrap),
        **{name: numbers[name] for name in NUMBERS},
        **{name: numbers[name] for name in OPTIONAL if name in numbers},
        BASELINES: [asdict(each) for each in baselines],
    }


PREDICTED_LISTS = "predicted_lists"
"""Only in bundles whose lists are what the system predicted: they may repeat an item."""
BASELINES = "baselines"
OPTIONAL = ("tune_split",)
"""Parts that only some bundles have."""
NUMBERS = ("counts", "measures", "absent", "unexpected", "groups", "thresholds", "selected_k")


def contract_dict(contract: Contract) -> dict[str, Any]:
    """Return a contract in full: what a reader needs to repeat the work, and its own text."""
    return {
        "id": contract.id,
        "title": contract.title,
        "hash": contract.hash,
        "ties": contract.ranking.ties,
        "depth": contract.ranking.depth,
        "unjudged_queries": contract.ranking.unjudged_queries,
        "exclude_criteria": list(contract.ranking.exclude_criteria),
        "aggregate": contract.aggregate,
        "k": list(contract.k),
        "k_primary": list(contract.k_primary),
        "k_optional": list(contract.k_optional),
        "k_ceiling": contract.k_ceiling,
        "patterns": dict(contract.measures),
        "deployment": contract.deployment,
        "confidence": contract.confidence,
        "measures": dict(contract.names),
        "expected": dict(contract.expected),
        "targets": dict(contract.targets),
        "absent": dict(contract.absent),
        "corrections": contract.content()["corrections"],
        "corrected": last_correction(),
        "text": faithful_text(contract),
    }


def summary(document: dict[str, Any]) -> dict[str, Any]:
    """Return the short form: names, values and intervals."""
    return {
        "schema": "assay/summary/1",
        "system": document["system"],
        "contract": document["contract"]["id"],
        "queries": document["counts"]["queries"],
        "evidence": document["counts"]["evidence"],
        "measures": {
            each["name"]: {
                "value": each["value"],
                "low": each["interval"] and each["interval"]["low"],
                "high": each["interval"] and each["interval"]["high"],
            }
            for each in document["measures"]
        },
    }
