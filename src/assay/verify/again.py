"""The document again, by assay itself, from the bundle's tables: every figure and every word."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from assay.contracts.model import Contract
from assay.data.model import Cases
from assay.data.tuning import Tune
from assay.errors import InputError
from assay.evaluation.bundle.master import NUMBERS, contract_dict, summary
from assay.evaluation.progress import Progress
from assay.evaluation.result import Result
from assay.evaluation.run import evaluate_cases
from assay.verify.findings import TOLERANCE, Finding
from assay.verify.layout import is_later, is_older

FAR = 1e300


def evaluated_again(
    result: Result, cases: Cases, tune: Tune | None, progress: Progress | None
) -> Result:
    """The result of the tables, under the bundle's own contract, groups, seed and TUNE."""
    if result.rules is None:
        raise InputError.of("metrics_master.json", "names no contract", "expected it in full")
    return evaluate_cases(
        cases,
        result.rules,
        system=result.system,
        by=list(result.groups),
        measures=[*(value.name for value in result), *result.absent],
        bootstrap=result.bootstrap,
        tune=tune,
        clean=result.clean,
        progress=progress,
    )


def document_findings(
    document: dict[str, Any], short: Any, result: Result, again: Result
) -> list[Finding]:
    """Wherever the document says something else than what comes out; one finding where nothing."""
    contract = result.rules
    assert contract is not None, "evaluated_again() makes sure of it"
    fresh = again.to_dict()
    wanted: dict[str, Any] = {name: fresh[name] for name in NUMBERS}
    wanted["keys"] = list(again.keys)
    wanted["contract"] = _contract(document["contract"], contract)
    given = {name: document[name] for name in wanted}
    places = [*apart(given, wanted, ""), *apart(short, summary(document), "summary/")]
    if is_older(document):
        places = [(place, old, new) for place, old, new in places if not is_later(place, old)]
    if not places:
        return [Finding("document", 1.0, 1.0, by="assay")]
    return [_finding(place, old, new) for place, old, new in places]


def _contract(given: dict[str, Any], contract: Contract) -> dict[str, Any]:
    """What the contract's names follow from; `standing` judges its text, hash and history."""
    history = ("hash", "text", "absent", "corrections", "corrected")
    made = contract_dict(contract)
    return {**made, **{name: given.get(name) for name in history}}


def apart(old: Any, new: Any, place: str) -> Iterator[tuple[str, Any, Any]]:
    """Yield every leaf at which two documents differ; numbers may differ by rounding."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys([*old, *new]):
            yield from apart(old.get(key), new.get(key), f"{place}{key}/")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for at, (first, second) in enumerate(zip(old, new, strict=True)):
            name = first.get("name", at) if isinstance(first, dict) else at
            yield from apart(first, second, f"{place}{name}/")
    elif _number(old) and _number(new):
        if abs(old - new) > TOLERANCE:
            yield place.rstrip("/"), old, new
    elif old != new or type(old) is not type(new):
        yield place.rstrip("/"), old, new


def _number(value: Any) -> bool:
    """Whether a value can be compared as a float: JSON has whole numbers of any size."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < FAR


def _finding(place: str, old: Any, new: Any) -> Finding:
    if _number(old) and _number(new):
        return Finding(place, float(old), float(new), by="assay")
    reason = "the tables give something else"
    first = float(old) if _number(old) else None
    second = float(new) if _number(new) else None
    return Finding(place, first, second, reason, by="assay")
