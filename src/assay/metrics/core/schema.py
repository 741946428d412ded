"""JSON schemas of results and bundles, derived from the registry: names, parameters, ranges."""

from __future__ import annotations

import re
from typing import Any

from assay.metrics.core.entry import INFINITE, REASONS, Population
from assay.metrics.core.family import Family
from assay.metrics.core.names.parameter import DECISIONS, TUNED, Parameter
from assay.metrics.core.registry import ALIASES, FAMILIES, VERSION
from assay.metrics.core.threshold_rules import SPELLED

CUTS = {
    "required": r"@([1-9][0-9]*|all)",
    "optional": r"(@([1-9][0-9]*|all))?",
    "point": r"@[0-9.]+",
    "interior": r"@[0-9.]+",
    "none": "",
}
NUMBER = r"[0-9]+(\.[0-9]+)?"
NULLABLE = {"type": ["number", "null"]}
NUMERIC = {"type": "number"}
COUNT = {"type": "integer", "minimum": 0}
TEXT = {"type": "string"}

SPLIT_COUNTS = ("tune_rows", "tune_groups", "eval_rows", "eval_groups")


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
    """Return the schema of what `assay evaluate --json` prints for one system."""
    reasons = sorted(REASONS.values())
    patterns = [pattern(each) for each in FAMILIES.values()]
    measure = _closed(
        {
            "name": TEXT,
            "definition": {"anyOf": [{"pattern": each} for each in (*patterns, _user())]},
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
                "anyOf": [{"type": "null"}, _closed(dict.fromkeys(("std", "median", "p25", "p75"), NULLABLE))]
            },
            "folds": {
                "anyOf": [
                    {"type": "null"},
                    _closed(
                        {
                            "values": {"type": "object", "additionalProperties": {"type": "number"}},
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
    bounds = ("low", "high", "post_low", "post_high", "level", "units")
    exact = _closed(dict.fromkeys(bounds, NUMERIC) | {"hits": COUNT, "trials": COUNT})
    measure["properties"]["exact"] = group_exact = {"anyOf": [{"type": "null"}, exact]}
    target = _closed({"text": TEXT, "met": {"type": ["boolean", "null"]}, "reason": TEXT})
    measure["properties"]["target"] = {"anyOf": [{"type": "null"}, target]}
    measure["required"] += ["exact", "target"]
    measure["properties"]["tie_range"] = _closed({"low": NUMERIC, "high": NUMERIC})  # of averaged ties
    measure["allOf"] = [_range(each) for each in FAMILIES.values()]
    group = _closed(
        {
            "value": {"type": "number"},
            "n": COUNT,
            "convention": {"enum": [None, *reasons]},
            "interval": INTERVAL,
            "exact": group_exact,
        }
    )
    counts = (
        "queries",
        "evidence",
        "missing",
        "missing_evidence",
        "left_out",
        "resorted",
        "candidates",
        "excluded",
        "aside",
    )
    shape = _closed(
        {
            "schema": {"const": "assay/result/1"},
            "system": TEXT,
            "contract": TEXT,
            "contract_hash": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
            "counts": _closed(dict.fromkeys(counts, COUNT)),
            "measures": {"type": "array", "items": measure},
            "absent": {"type": "object", "additionalProperties": TEXT},
            "unexpected": {"type": "object", "additionalProperties": COUNT},
            "selected_k": _object(_object(COUNT)),
            "thresholds": {"type": "array", "items": _threshold()},
            "groups": _object(_object(_object(group))),
        }
    )
    split = {"share": NUMERIC, **dict.fromkeys(SPLIT_COUNTS, COUNT)}
    shape["properties"]["tune_split"] = _closed(split)  # only where a table was split
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "assay/result/1", **shape}


def bundle_schema() -> dict[str, Any]:
    """Return the schema of `metrics_master.json`: a result, its contract, inputs and versions."""
    result = result_schema()["properties"]
    numbers = {
        name: result[name]
        for name in ("counts", "measures", "absent", "unexpected", "groups", "thresholds", "selected_k")
    }
    sha = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
    correction = {
        **dict.fromkeys(("date", "title", "what", "why"), TEXT),
        "measures": {"type": "array", "items": TEXT},
        "before": sha,
    }
    contract = {
        "id": TEXT,
        "title": TEXT,
        "hash": sha,
        "ties": {"enum": ["stable", "docno_desc", "expected"]},
        "depth": {"type": ["integer", "null"], "minimum": 1},
        "unjudged_queries": {"enum": ["drop", "zero"]},
        "exclude_criteria": {"type": "array", "items": TEXT},
        "aggregate": {"enum": ["fold_mean", "pooled"]},
        "k": {"type": "array", "items": {"type": "integer", "minimum": 1}},
        "k_primary": {"type": "array", "items": COUNT},
        "k_optional": {"type": "array", "items": COUNT},
        "k_ceiling": {"type": "boolean"},
        "patterns": _object(TEXT),
        "deployment": {"type": ["string", "null"]},
        "confidence": NUMERIC,
        "measures": _object(TEXT),
        "expected": _object(COUNT),
        "targets": _object(TEXT),
        "absent": _object(TEXT),
        "corrections": {"type": "array", "items": _closed(correction)},
        "corrected": TEXT,
        "text": TEXT,
    }
    bootstrap = {
        "resamples": COUNT,
        "seed": {"type": "integer"},
        "unit": {"enum": ["post", "query"]},
        "method": {"enum": ["percentile", "bca"]},
        "level": NUMERIC,
    }
    inputs = _closed({"name": TEXT, "bytes": COUNT, "sha256": sha})
    shape = _closed(
        {
            "schema": {"const": "assay/bundle/1"},
            "system": TEXT,
            "versions": _closed(dict.fromkeys(("assay", "python", "numpy", "polars"), TEXT)),
            "contract": _closed(contract),
            "inputs": {"type": "array", "items": inputs},
            "keys": {"type": "array", "items": TEXT},
            "tune_reused": {"type": "boolean"},
            "bootstrap": {"anyOf": [{"type": "null"}, _closed(bootstrap)]},
            **numbers,
        }
    )
    baseline = _closed({**dict.fromkeys(("name", "title", "text"), TEXT), "values": _object(NUMERIC)})
    shape["properties"]["baselines"] = {"type": "array", "items": baseline}
    shape["properties"]["tune_split"] = result["tune_split"]  # only where a table was split
    shape["properties"]["shared_candidates"] = {"const": True}  # only where posts share candidates
    shape["properties"]["predicted_lists"] = {"const": True}  # only where lists may repeat an item
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "assay/bundle/1", **shape}


def _threshold() -> dict[str, Any]:
    """Return the schema of a threshold chosen on TUNE; null makes no decision positive."""
    return _closed(
        {
            "rule": {"type": "string", "pattern": f"^({SPELLED})$"},
            "value": NULLABLE,
            "fold": {"type": ["string", "null"]},
            "queries": COUNT,
            "positives": COUNT,
            "units": {"type": "number", "minimum": 0},
            "reached": {"type": "number", "minimum": 0, "maximum": 1},
            "confidence": NULLABLE,
            "certified": {"type": ["boolean", "null"]},
            "note": TEXT,
            "deployment": {"type": "boolean"},
            "posts": COUNT,
        }
    )


def pattern(family: Family) -> str:
    """Return a regular expression for the definition ids of a family."""
    *first, last = ((f"{each.name}={_values(each)}", each.later) for each in family.parameters)
    spelled = "".join(f"({text},)?" if later else f"{text}," for text, later in first)
    return f"^{re.escape(family.name)}{CUTS[family.cut]}:{spelled}{last[0]}$"


def _user() -> str:
    """Return a regular expression for the definition ids of user-defined measures."""
    shipped, populations = "|".join((*FAMILIES, *ALIASES)), "|".join(Population)
    name = f"(?!({shipped})[@:])[a-z][a-z0-9_]*"
    return f"^{name}{CUTS['optional']}:user={VERSION},on=({populations})$"


def _values(parameter: Parameter) -> str:
    if parameter.values:
        return f"({'|'.join(parameter.values)})"
    if parameter.number == "gains":
        return f"{NUMBER}:{NUMBER}(/{NUMBER}:{NUMBER})*"
    words = "|".join((*DECISIONS, f"{TUNED}({SPELLED})"))
    if parameter.number == "real":
        return f"-?{NUMBER}"
    return f"({words}|{NUMBER})" if parameter.number == "decision" else NUMBER


def _range(family: Family) -> dict[str, Any]:
    low, high = family.range
    bounds: dict[str, float] = {}
    if low != -INFINITE:
        bounds["minimum"] = low
    if high != INFINITE:
        bounds["maximum"] = high
    return {
        "if": {"properties": {"definition": {"pattern": pattern(family)}}},
        "then": {"properties": {"value": bounds, "pooled": bounds}},
    }


def _object(values: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": values}
