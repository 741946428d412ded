"""A result as plain numbers and texts, for JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.evaluation.result import Result, Value


def value_document(value: Value) -> dict[str, Any]:
    """Return a value as JSON has it; the range over orders of ties only where ties are averaged."""
    said = asdict(value)
    if value.tie_range is None:
        del said["tie_range"]
    return said


def result_document(result: Result) -> dict[str, Any]:
    """Return every value of a result, with its groups and thresholds, but without its queries."""
    return {
        "schema": "assay/result/1",
        "system": result.system,
        "contract": result.contract.id,
        "contract_hash": result.contract.hash,
        "counts": asdict(result.counts),
        "measures": [value_document(value) for value in result.measures],
        "absent": dict(result.absent),
        "unexpected": dict(result.unexpected),
        "selected_k": {
            group: {str(k): n for k, n in each.items()} for group, each in result.selected_k.items()
        },
        "thresholds": [each.to_dict() for each in result.thresholds],
        **({} if result.tune_split is None else {"tune_split": asdict(result.tune_split)}),
        "groups": {
            column: {
                label: {name: asdict(value) for name, value in row.items()} for label, row in rows.items()
            }
            for column, rows in result.groups.items()
        },
    }
