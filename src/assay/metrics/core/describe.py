"""An entry as plain data, for JSON and the terminal."""

from __future__ import annotations

from typing import Any

from assay.metrics.core.entry import REASONS, Metric


def describe(one: Metric) -> dict[str, Any]:
    """Return all that an entry says as JSON values."""
    return {
        "name": one.name,
        "definition": one.id,
        "title": one.title,
        "formula": one.formula,
        "latex": one.latex,
        "meaning": one.meaning,
        "notes": list(one.notes),
        "population": str(one.population),
        "range": [None if abs(end) == float("inf") else end for end in one.range],
        "better": one.better,
        "reduce": one.reduce.kind,
        "holds": sorted(each.name for each in one.holds),
        "fails": {
            each.name: {"case": witness.case.written(), "why": witness.why}
            for each, witness in one.fails.items()
        },
        "edges": [
            {
                "case": edge.case.written(),
                "value": edge.value,
                "why": edge.why,
                "convention": REASONS[edge.convention] if edge.convention else None,
            }
            for edge in one.edges
        ],
    }
