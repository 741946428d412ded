"""assay's own results (`assay evaluate --json`): full definitions, nothing rounded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.errors import Fault
from assay.metrics.core.names.parameter import is_whole
from assay.metrics.core.registry import is_user_defined
from assay.verification.lint.names.measure_names import definition_name
from assay.verification.lint.numbers import Quantity, exactly
from assay.verification.lint.tables.read_values import Draft, Raw

SCHEMA = "assay/result/1"
BUNDLE = "assay/bundle/1"  # metrics_master.json: a result with its full contract
MANY = 20  # queries in a fold
GRADED = ("ir/1", "trec_eval/10")  # contracts whose judgements have grades


def result_drafts(found: Mapping[str, Any], source: str) -> list[Draft]:
    """Return the headline values, and the pooled ones if the headline is a mean over folds."""
    system, contract = str(found.get("system", "")), str(found.get("contract", ""))
    entries = found.get("measures")
    entries = entries if isinstance(entries, list) else [entries]
    averages = any(_table(entry).get("aggregate") == "fold_mean" for entry in entries)
    headline = Draft(f"{system or 'result'} under {contract}", source, averaged=averages)
    pooled = Draft(f"{headline.name}, pooled", source)
    for at, entry in enumerate(entries):
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
    if is_user_defined(entry["definition"]):
        return  # nothing is known of it
    name = definition_name(entry["definition"])
    if name is None:
        headline.faults.append(
            Fault(
                headline.source,
                place,
                f"{entry['definition'][:60]!r} is not a known measure",
                "expected a definition id of this version",
            )
        )
        return
    label = str(entry.get("name", entry["definition"]))
    folds, interval, spread = (_table(entry.get(part)) for part in ("folds", "interval", "spread"))
    value = _number(entry.get("value"))
    own = Raw(system, label, name, value)
    if value is not None and entry.get("aggregate") == "fold_mean":
        own.std = _number(folds.get("std"))
        numbers = map(_number, _table(folds.get("values")).values())
        own.folds = [number for number in numbers if number is not None]
        own.is_fold_mean = True
    own.low, own.high = _number(interval.get("low")), _number(interval.get("high"))
    own.method = str(interval.get("method", ""))
    if _many(entry.get("n"), len(own.folds)):
        own.query_std = _number(spread.get("std"))
    headline.figures.append(own)
    pooled.figures.append(Raw(system, label, name, _number(entry.get("pooled"))))


def _table(part: Any) -> dict[str, Any]:
    """Return a part of an entry, empty where it is not a table."""
    return part if isinstance(part, dict) else {}


def _number(text: Any) -> Quantity | None:
    if not isinstance(text, str):
        return None
    try:
        return exactly(float(text), f"{float(text):.6g}")
    except (ValueError, OverflowError):
        return None


def _many(n: Any, folds: int) -> bool:
    """Return whether a fold has enough queries for its mean to vary less than they do."""
    return isinstance(n, str) and is_whole(n) and int(n) >= MANY * folds > 0


def _counts(found: Any) -> tuple[int, int] | None:
    try:
        return int(found["queries"]), int(found["evidence"])
    except (TypeError, KeyError, ValueError):
        return None
