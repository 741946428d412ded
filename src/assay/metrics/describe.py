"""Measures as plain data: what docs, JSON and the terminal show of an entry."""

from __future__ import annotations

from typing import Any

from assay.metrics.catalogue import FAMILIES, metric
from assay.metrics.entry import REASONS, Metric

SAMPLE_CUT = {"required": "@10", "optional": "", "point": "@0.10", "none": ""}


def sample(name: str) -> Metric:
    """A family at a usual cut-off with its default parameters."""
    return metric(name + SAMPLE_CUT[FAMILIES[name].cut])


def describe(one: Metric) -> dict[str, Any]:
    """Everything that an entry says, as JSON can carry it."""
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
