"""assay's own results (`assay evaluate --json`): definitions are spelled, nothing is rounded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.errors import Fault
from assay.metrics.family import is_whole
from assay.verify.lint.names import definition_name
from assay.verify.lint.numbers import Quantity, exactly
from assay.verify.lint.raw import Draft, Raw

SCHEMA = "assay/result/1"
BUNDLE = "assay/bundle/1"  # metrics_master.json: a result with its contract in full
MANY = 20  # queries in a fold
GRADED = ("ir/1", "trec_eval/10")  # contracts whose judgements have grades


def result_drafts(found: Mapping[str, Any], source: str) -> list[Draft]:
    """The headline figures, and the pooled ones where the headline is a mean over folds."""
    system, contract = str(found.get("system", "")), str(found.get("contract", ""))
    averages = any(
        isinstance(entry, dict) and entry.get("aggregate") == "fold_mean"
        for entry in found.get("measures", ())
    )
    headline = Draft(f"{system or 'result'} under {contract}", source, averaged=averages)
    pooled = Draft(f"{headline.name}, pooled", source)
    for at, entry in enumerate(found.get("measures", ())):
        _entry(headline, pooled, entry, f"measures[{at}]", system)
    for draft in (headline, pooled):
        draft.graded = contract.partition("+")[0] in GRADED
        draft.counts = _counts(found.get("counts"))
    pooled.faults.clear()
    return [headline, pooled] if averages else [headline]


def _entry(headline: Draft, pooled: Draft, entry: Any, place: str, system: str) -> None:
    if not isinstance(entry, dict) or not isinstance(entry.get("definition"), str):
        headline.faults.append(
            Fault(headline.source, place, "has no definition", "expected an entry of a result")
        )
        return
    name = definition_name(entry["definition"])
    if name is None:
        headline.faults.append(
            Fault(headline.source, place, f"{entry['definition'][:60]!r} is not a known measure",
                  "expected a definition id of this version")
        )  # fmt: skip
        return
    label = str(entry.get("name", entry["definition"]))
    folds = entry.get("folds") or {}
    value = _number(entry.get("value"))
    own = Raw(system, label, name, value)
    if value is not None and entry.get("aggregate") == "fold_mean" and isinstance(folds, dict):
        own.std = _number(folds.get("std"))
        values = folds.get("values")
        own.folds = [
            made for each in (values.values() if isinstance(values, dict) else ())
            if (made := _number(each)) is not None
        ]  # fmt: skip
        own.is_fold_mean = True
    interval = entry.get("interval") or {}
    own.low, own.high = _number(interval.get("low")), _number(interval.get("high"))
    own.method = str(interval.get("method", ""))
    if _many(entry.get("n"), len(own.folds)):
        own.query_std = _number((entry.get("spread") or {}).get("std"))
    headline.figures.append(own)
    pooled.figures.append(Raw(system, label, name, _number(entry.get("pooled"))))


def _number(text: Any) -> Quantity | None:
    if not isinstance(text, str):
        return None
    try:
        return exactly(float(text), f"{float(text):.6g}")
    except (ValueError, OverflowError):
        return None


def _many(n: Any, folds: int) -> bool:
    """Whether a fold has so many queries that its mean varies less than they do."""
    return isinstance(n, str) and is_whole(n) and int(n) >= MANY * folds > 0


def _counts(found: Any) -> tuple[int, int] | None:
    try:
        return int(found["queries"]), int(found["evidence"])
    except (TypeError, KeyError, ValueError):
        return None
