"""What must hold of every result: ranges, confusion counts, identities, one value for one id."""

from __future__ import annotations

import json
from dataclasses import dataclass

from assay.evaluation.result import Result
from assay.metrics.catalogue import metric
from assay.verify.findings import TOLERANCE
from assay.verify.lint.api import lint


@dataclass(frozen=True, slots=True)
class Inconsistency:
    """Figures of one result that cannot stand together, or are worth a question."""

    kind: str  # range, identity, definition, unusual
    what: str


def consistency(result: Result, *, graded: bool = False) -> list[Inconsistency]:
    """Everything of a result that breaks a rule; `graded`: gold has grades beyond 0 and 1."""
    return [*_ranges(result), *_definitions(result), *_identities(result, graded=graded)]


def _ranges(result: Result) -> list[Inconsistency]:
    found = []
    for value in result:
        low, high = metric(value.definition).range
        for what, number in (("value", value.value), ("pooled", value.pooled)):
            if not low - TOLERANCE <= number <= high + TOLERANCE:
                text = f"{value.name}: {what} {number} lies outside [{low}, {high}]"
                found.append(Inconsistency("range", text))
    return found


def _definitions(result: Result) -> list[Inconsistency]:
    """Two names of one definition have one value."""
    seen: dict[str, tuple[str, float]] = {}
    found = []
    for value in result:
        name, known = seen.setdefault(value.definition, (value.name, value.pooled))
        if abs(known - value.pooled) > TOLERANCE:
            text = f"{name} and {value.name} are both {value.definition}, and differ"
            found.append(Inconsistency("definition", text))
    return found


def _identities(result: Result, *, graded: bool) -> list[Inconsistency]:
    """The rules of the lint, with nothing rounded."""
    report = lint(json.loads(json.dumps(result.to_dict())), graded=graded)
    kinds = {"impossible": "identity", "unusual": "unusual"}
    return [
        Inconsistency(kinds[each.kind], f"{each.code} {each.place}: {each.rule} ({each.numbers})")
        for each in report
    ]
