"""Recompute `metrics_master.json` from the bundle's tables with assay itself: numbers and text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from assay.contracts.contract import Contract
from assay.data.cases import Cases
from assay.data.tune_queries import Tune
from assay.evaluation.bundle.master import BASELINES, NUMBERS, OPTIONAL, contract_dict, summary
from assay.evaluation.progress import Progress
from assay.evaluation.result import Baseline, Result
from assay.evaluation.scoring.score_all import evaluate_cases
from assay.metrics.core.registry import is_defined, is_user_defined
from assay.verification.recompute.bundle_history import is_later, is_older
from assay.verification.recompute.number_findings import NumberFinding

FAR = 1e300


def user_defined(result: Result) -> tuple[str, ...]:
    """Return the user-defined measures of a result; none hides behind a name of the contract."""
    return tuple(
        value.name
        for value in result.measures
        if is_user_defined(value.definition)
        and value.name in (value.definition, value.definition.partition(":")[0])
        and value.name not in result.contract.names
    )


def unknown_here(result: Result) -> set[str]:
    """Return the user-defined measures that this process cannot compute."""
    users = user_defined(result)
    return {each.name for each in result.measures if each.name in users and not is_defined(each.definition)}


def evaluated_again(
    result: Result, cases: Cases, tune: Tune | None, progress: Progress | None, *, targets: bool
) -> Result:
    """Evaluate the tables under the bundle's own contract, groups, seed and TUNE queries."""
    unknown = unknown_here(result)
    return evaluate_cases(
        cases,
        result.contract,
        system=result.system,
        by=list(result.groups),
        measures=[*(each.name for each in result.measures if each.name not in unknown), *result.absent],
        bootstrap=result.bootstrap,
        tune=tune,
        tune_reused=result.tune_reused,
        tune_share=None if result.tune_split is None else result.tune_split.share,
        targets=targets,
        progress=progress,
    )


def document_findings(
    document: dict[str, Any], short: Any, result: Result, again: Result, baselines: Sequence[Baseline]
) -> list[NumberFinding]:
    """Return every place at which the document differs from its recomputation, if only by rounding.

    Without any, the one finding is that the document came out the same.
    """
    fresh = again.to_dict()
    wanted: dict[str, Any] = {name: fresh[name] for name in NUMBERS}
    wanted |= {name: fresh.get(name) for name in OPTIONAL if name in fresh or name in document}
    wanted["keys"] = list(again.query_keys)
    if BASELINES in document:  # they were added later
        wanted[BASELINES] = [asdict(each) for each in baselines]
    wanted["contract"] = _contract(document["contract"], result.contract)
    given = _without({name: document.get(name) for name in wanted}, unknown_here(result))
    places = [*apart(given, wanted, ""), *apart(short, summary(document), "summary/")]
    if is_older(document):
        places = [(place, old, new) for place, old, new in places if not is_later(place, old)]
    if not places:
        return [NumberFinding.statement("document", True, "")]
    return [_finding(place, old, new) for place, old, new in places]


def _without(document: dict[str, Any], names: set[str]) -> dict[str, Any]:
    """Return a document without some of its measures."""
    groups = {
        column: {
            label: {name: value for name, value in row.items() if name not in names}
            for label, row in rows.items()
        }
        for column, rows in document["groups"].items()
    }
    measures = [each for each in document["measures"] if each["name"] not in names]
    return {**document, "measures": measures, "groups": groups}


def _contract(given: dict[str, Any], contract: Contract) -> dict[str, Any]:
    """Return the definitions and rules of the contract; `standing` judges text, hash, history."""
    history = ("hash", "text", "absent", "corrections", "corrected")
    made = contract_dict(contract)
    return {**made, **{name: given.get(name) for name in history}}


def apart(old: Any, new: Any, place: str, tolerance: float = 0.0) -> Iterator[tuple[str, Any, Any]]:
    """Yield every leaf at which two documents differ, numbers by more than `tolerance`."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys([*old, *new]):
            yield from apart(old.get(key), new.get(key), f"{place}{key}/", tolerance)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for at, (first, second) in enumerate(zip(old, new, strict=True)):
            name = first.get("name", at) if isinstance(first, dict) else at
            yield from apart(first, second, f"{place}{name}/", tolerance)
    elif _number(old) and _number(new):
        if abs(old - new) > tolerance:
            yield place.rstrip("/"), old, new
    elif old != new or type(old) is not type(new):
        yield place.rstrip("/"), old, new


def _number(value: Any) -> bool:
    """Return whether a value can be compared as a float: integers in JSON can be of any size."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < FAR


def _finding(place: str, old: Any, new: Any) -> NumberFinding:
    if _number(old) and _number(new):
        return NumberFinding(place, float(old), float(new), by="assay")
    reason = "the tables give something else"
    first = float(old) if _number(old) else None
    second = float(new) if _number(new) else None
    return NumberFinding(place, first, second, reason, by="assay")
