"""Check a result for internal consistency: ranges, identities, one value per definition."""

from __future__ import annotations

import json
from dataclasses import dataclass

from assay.evaluation.result import Result
from assay.metrics.core.registry import metric
from assay.verification.lint.lint import lint
from assay.verification.recompute.number_findings import TOLERANCE


@dataclass(frozen=True, slots=True)
class Inconsistency:
    """Values of one result that contradict each other, or are unusual."""

    kind: str  # range, identity, definition, unusual
    what: str


def consistency(result: Result, *, graded: bool = False) -> list[Inconsistency]:
    """Return every broken rule of a result; `graded` if gold has grades other than 0 and 1."""
    return [*_ranges(result), *_definitions(result), *_identities(result, graded=graded)]


def _ranges(result: Result) -> list[Inconsistency]:
    found = []
    for value in result.measures:
        low, high = metric(value.definition).range
        for what, number in (("value", value.value), ("pooled", value.pooled)):
            if not low - TOLERANCE <= number <= high + TOLERANCE:
                text = f"{value.name}: {what} {number} is outside [{low}, {high}]"
                found.append(Inconsistency("range", text))
    return found


def _definitions(result: Result) -> list[Inconsistency]:
    """Check that names with the same definition have the same value."""
    seen: dict[str, tuple[str, float]] = {}
    found = []
    for value in result.measures:
        name, known = seen.setdefault(value.definition, (value.name, value.pooled))
        if abs(known - value.pooled) > TOLERANCE:
            text = f"{name} and {value.name} are both {value.definition}, but differ"
            found.append(Inconsistency("definition", text))
    return found


def _identities(result: Result, *, graded: bool) -> list[Inconsistency]:
    """Apply the lint rules to the unrounded values."""
    report = lint(json.loads(json.dumps(result.to_dict())), graded=graded)
    kinds = {"impossible": "identity", "unusual": "unusual"}
    return [
        Inconsistency(kinds[each.kind], f"{each.code} {each.place}: {each.rule} ({each.numbers})")
        for each in report
    ]
