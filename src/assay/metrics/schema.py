"""The JSON schema of a result, derived from the catalogue: names, parameters and ranges."""

from __future__ import annotations

import re
from typing import Any

from assay.metrics.catalogue import FAMILIES
from assay.metrics.describe import sample
from assay.metrics.entry import REASONS, Population
from assay.metrics.family import DECISIONS, Family, Parameter

CUTS = {
    "required": r"@([1-9][0-9]*|all)",
    "optional": r"(@([1-9][0-9]*|all))?",
    "point": r"@[0-9.]+",
    "none": "",
}
NUMBER = r"[0-9]+(\.[0-9]+)?"
NULLABLE = {"type": ["number", "null"]}
COUNT = {"type": "integer", "minimum": 0}
TEXT = {"type": "string"}


def _closed(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


INTERVAL = {
    "anyOf": [
        {"type": "null"},
        _closed(
            {
                "low": {"type": "number"},
                "high": {"type": "number"},
                "level": {"type": "number"},
                "method": {"enum": ["percentile", "bca"]},
                "unit": {"enum": ["post", "query"]},
                "resamples": COUNT,
                "by_convention": COUNT,
            }
        ),
    ]
}


def result_schema() -> dict[str, Any]:
    """What `assay evaluate --json` prints for one system."""
    reasons = sorted(REASONS.values())
    measure = _closed(
        {
            "name": TEXT,
            "definition": {"anyOf": [{"pattern": pattern(each)} for each in FAMILIES.values()]},
            "title": TEXT,
            "value": {"type": "number"},
            "aggregate": {"enum": ["pooled", "fold_mean"]},
            "pooled": {"type": "number"},
            "population": {"enum": [str(each) for each in Population]},
            "n": COUNT,
            "better": {"enum": ["higher", "lower", "neither"]},
            "by_convention": {
                "type": "object",
                "propertyNames": {"enum": reasons},
                "additionalProperties": COUNT,
            },
            "convention": {"enum": [None, *reasons]},
            "spread": {
                "anyOf": [
                    {"type": "null"},
                    _closed(dict.fromkeys(("std", "median", "p25", "p75"), NULLABLE)),
                ]
            },
            "folds": {
                "anyOf": [
                    {"type": "null"},
                    _closed(
                        {
                            "values": {
                                "type": "object",
                                "additionalProperties": {"type": "number"},
                            },
                            "mean": {"type": "number"},
                            "std": NULLABLE,
                            "by_convention": COUNT,
                        }
                    ),
                ]
            },
            "tie_sensitive": {"type": ["integer", "null"], "minimum": 0},
            "k_role": {"enum": [None, "primary", "optional", "ceiling"]},
            "interval": INTERVAL,
        }
    )
    measure["allOf"] = [_range(each) for each in FAMILIES.values()]
    group = _closed(
        {
            "value": {"type": "number"},
            "n": COUNT,
            "convention": {"enum": [None, *reasons]},
            "interval": INTERVAL,
        }
    )
    counts = ("queries", "evidence", "missing", "left_out", "resorted", "candidates", "excluded")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "assay/result/1",
        **_closed(
            {
                "schema": {"const": "assay/result/1"},
                "system": TEXT,
                "contract": TEXT,
                "contract_hash": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
                "counts": _closed(dict.fromkeys(counts, COUNT)),
                "measures": {"type": "array", "items": measure},
                "absent": {"type": "object", "additionalProperties": TEXT},
                "unexpected": {"type": "object", "additionalProperties": COUNT},
                "groups": _object(_object(_object(group))),
            }
        ),
    }


def pattern(family: Family) -> str:
    """A regular expression of the definition ids of a family."""
    spelled = ",".join(f"{each.name}={_values(each)}" for each in family.parameters)
    return f"^{re.escape(family.name)}{CUTS[family.cut]}:{spelled}$"


def _values(parameter: Parameter) -> str:
    if parameter.values:
        return f"({'|'.join(parameter.values)})"
    words = "|".join(DECISIONS)
    return f"({words}|{NUMBER})" if parameter.number == "decision" else NUMBER


def _range(family: Family) -> dict[str, Any]:
    low, high = sample(family.name).range
    weights = any(each.number == "cost" for each in family.parameters)  # they scale the range
    bounds: dict[str, float] = {}
    if low != float("-inf") and not weights:
        bounds["minimum"] = low
    if high != float("inf") and not weights:
        bounds["maximum"] = high
    return {
        "if": {"properties": {"definition": {"pattern": pattern(family)}}},
        "then": {"properties": {"value": bounds, "pooled": bounds}},
    }


def _object(values: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": values}
