"""Values from JSON: names with values, systems of them, lists of entries, or assay's results."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from assay.errors import InputError
from assay.verification.lint.formats.assay_results import BUNDLE, SCHEMA, result_drafts
from assay.verification.lint.names.measure_names import Name, definition_name
from assay.verification.lint.numbers import EXACT, Cell
from assay.verification.lint.tables.column_roles import role, suffixed
from assay.verification.lint.tables.header_labels import Label, average_of, read_label
from assay.verification.lint.tables.read_values import EXPECTED_NAME, Draft, Raw, RawChange, is_number

DEEPEST = 12
NAME_KEYS = ("name", "metric", "measure", "definition")
VALUE_KEYS = ("value", "mean", "estimate", "score", "pooled")


class Digits(str):
    """Return a JSON number as printed."""

    __slots__ = ()


def parse(text: str, source: str) -> Any:
    """Parse JSON with its numbers as printed; a repeated key is an error."""

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(items)
        if len(made) < len(items):
            twice = next(key for at, (key, _) in enumerate(items) if key in dict(items[:at]))
            raise InputError.of(source, f"has the key {twice[:60]!r} twice", "expected it once")
        return made

    try:
        return json.loads(
            text, parse_float=Digits, parse_int=Digits, parse_constant=Digits, object_pairs_hook=pairs
        )
    except (ValueError, RecursionError) as error:
        reason = "it nests too deeply" if isinstance(error, RecursionError) else str(error)
        raise InputError.of(source, f"is not JSON ({reason})", "expected an object or list") from None


def drafts(found: Any, source: str, ignore: frozenset[str]) -> tuple[list[Draft], list[str]]:
    """Return tables with values, and the names of parts without any known measure."""
    made: list[Draft] = []
    skipped: list[str] = []
    _walk(found, "values", (source, ignore, None), made, skipped, 0)
    return made, skipped


Setting = tuple[str, frozenset[str], tuple[int, int] | None]  # source, ignored, n and positives


def _walk(found: Any, path: str, setting: Setting, made: list[Draft], skipped: list[str], depth: int) -> None:
    if depth > DEEPEST:
        raise InputError.of(setting[0], f"nests deeper than {DEEPEST}", "expected tables of values")
    if isinstance(found, dict) and found.get("schema") == BUNDLE:
        found = {**found, "schema": SCHEMA, "contract": (found.get("contract") or {}).get("id", "")}
    if isinstance(found, dict) and found.get("schema") == SCHEMA:
        made.extend(result_drafts(found, setting[0]))
        return
    setting = (*setting[:2], _counts(found) or setting[2])
    if _is_class_report(found):
        made.append(_class_report(found, path, setting))
        return
    sheets = dict(_sheets(found))
    if sheets:
        made.append(_draft(sheets, path, setting))
    elif isinstance(found, dict | list) and found:
        skipped.append(path)
    for key, value in _children(found, sheets):
        before = len(made)
        _walk(value, key if path == "values" else f"{path}.{key}", setting, made, skipped, depth + 1)
        if len(made) > before and path in skipped:
            skipped.remove(path)


def _is_class_report(found: Any) -> bool:
    """Return whether an object comes from `classification_report(…, output_dict=True)`."""
    if not isinstance(found, dict):
        return False
    rows = [value for value in found.values() if isinstance(value, dict)]
    return (
        bool(rows)
        and any(map(average_of, found))
        and all({"precision", "recall", "f1-score"} <= set(row) for row in rows)
    )


def _class_report(found: Mapping[str, Any], path: str, setting: Setting) -> Draft:
    """Return one system per class or average; accuracy is a separate number."""
    made = Draft(path, setting[0], setting[1])
    for part, row in found.items():
        cells = row if isinstance(row, dict) else {"f1-score": row} if _is_figure(row) else {}
        for key, value in cells.items():
            label = read_label(key)
            if label is not None and _is_figure(value):
                raw = Raw(part, key, label.name, part=part)
                raw.take(made.cell(value, f"{path}.{part}.{key}"))
                made.figures.append(raw)
    _unrounded(made)
    return made


def _unrounded(made: Draft) -> None:
    """Return whether no rate was rounded: if one has all its digits, 0.9 is exactly 0.9."""
    values = [raw.value for raw in made.figures if raw.value is not None]
    if any(value.half <= EXACT for value in values):
        for raw in made.figures:
            if raw.value is not None:
                raw.value = replace(raw.value, half=min(raw.value.half, EXACT))


def _counts(found: Any) -> tuple[int, int] | None:
    """Return n and positives of an object, which also hold for the objects inside."""
    if not isinstance(found, dict):
        return None
    n, positives = found.get("n"), found.get("positives")
    if not all(isinstance(each, Digits) and each.isdigit() and len(each) < 10 for each in (n, positives)):
        return None
    return int(n), int(positives)  # type: ignore[arg-type] # both are digits


def _sheets(found: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield systems with their values: the object itself, or its children."""
    if isinstance(found, dict) and _has_measures(found):
        yield "", found
    elif isinstance(found, dict):
        for key, value in found.items():
            entries = _as_entries(value)
            if _has_measures(entries) and not _is_class_report(value):
                yield key, entries
    elif isinstance(found, list):
        entries = _as_entries(found)
        if _has_measures(entries):
            yield "", entries
            return
        for at, value in enumerate(found):
            if isinstance(value, dict) and value.get("schema") != SCHEMA and _has_measures(value):
                yield _record_name(value, at), value


def _children(found: Any, sheets: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    if isinstance(found, dict):
        for key, value in found.items():
            inside = key in sheets or ("" in sheets and _is_figure(value))
            if isinstance(value, dict | list) and not inside:
                yield key, value
    elif isinstance(found, list) and not sheets:
        for at, value in enumerate(found):
            if isinstance(value, dict | list):
                yield f"item {at + 1}", value


def _record_name(record: Mapping[str, Any], at: int) -> str:
    texts = [value for value in record.values() if isinstance(value, str) and not is_number(value)]
    return texts[0] if texts else f"item {at + 1}"


def _as_entries(found: Any) -> dict[str, Any]:
    """Return a list of {name, value, …} as an object; an object unchanged; nothing else."""
    if isinstance(found, dict):
        return found
    if not isinstance(found, list):
        return {}
    named: dict[str, Any] = {}
    for entry in found:
        key = (
            next((entry[key] for key in NAME_KEYS if isinstance(entry.get(key), str)), None)
            if (isinstance(entry, dict))
            else None
        )
        if key is None:
            return {}
        named[key] = entry
    return named


def _is_figure(value: Any) -> bool:
    if isinstance(value, dict):
        return any(key in value and isinstance(value[key], str) for key in VALUE_KEYS)
    return isinstance(value, str) and (isinstance(value, Digits) or is_number(value))


def _label(key: str, value: Any) -> Label | None:
    if isinstance(value, dict) and isinstance(value.get("definition"), str):
        return _plain(definition_name(value["definition"]))
    return read_label(key) or _plain(definition_name(key))


def _plain(name: Name | None) -> Label | None:
    return None if name is None else Label(name)


def _has_measures(entries: Mapping[str, Any]) -> bool:
    for key, value in entries.items():
        label = _label(key, value) or read_label(suffixed(key)[0])
        if _is_figure(value) and label is not None and not label.name.context:
            return True
    return False


def _draft(sheets: Mapping[str, Mapping[str, Any]], path: str, setting: Setting) -> Draft:
    source, ignore, counts = setting
    made = Draft(path, source, ignore, counts=counts)
    for system, entries in sheets.items():
        change = role(system) == "change"
        gathered: dict[str, Raw] = {}
        for key, value in entries.items():
            if not _is_figure(value) or made.ignored(key):
                continue
            place = f"{path}.{system}.{key}" if system else f"{path}.{key}"
            label, base, part = _label(key, value), key, ""
            if label is None:
                base, part = suffixed(key)
                label = read_label(base)
            if label is None:
                made.skip("", f"{place[:120]!r} is not a known measure", EXPECTED_NAME)
                continue
            raw = gathered.get(base)
            if raw is None:
                raw = gathered[base] = Raw(system, base, label.name, population=label.population)
                raw.part = system
            if isinstance(value, dict):
                _entry(made, raw, value, place)
            else:
                raw.take(made.cell(value, place), part)
        if not change:
            made.figures += gathered.values()
            continue
        for raw in gathered.values():
            if raw.value is not None:
                made.changes.append(
                    RawChange(raw.label, raw.name, system, raw.value, population=raw.population)
                )
    return made


def _entry(made: Draft, raw: Raw, entry: Mapping[str, Any], place: str) -> None:
    """Read {value or mean, std, ci or interval, folds} of one measure."""
    key = next(key for key in VALUE_KEYS if isinstance(entry.get(key), str))
    raw.take(made.cell(entry[key], place), "mean" if key == "mean" else "")
    for part, keys in {
        "std": ("std", "sd", "stdev"),
        "low": ("ci_low", "ci_lower", "lower", "low"),
        "high": ("ci_high", "ci_upper", "upper", "high"),
    }.items():
        for key in keys:
            if isinstance(entry.get(key), str):
                raw.take(made.cell(entry[key], place), part)
    for key in ("ci", "ci95", "interval", "ci_95", "confidence_interval"):
        ends = entry.get(key)
        if isinstance(ends, dict):
            ends = [ends.get("low", ends.get("lower")), ends.get("high", ends.get("upper"))]
        if isinstance(ends, list) and len(ends) == 2 and all(isinstance(end, str) for end in ends):
            raw.take(made.cell(ends[0], place), "low")
            raw.take(made.cell(ends[1], place), "high")
    folds = entry.get("folds", entry.get("fold_values", entry.get("per_fold")))
    values = list(folds.values()) if isinstance(folds, dict) else folds
    if isinstance(values, list) and all(isinstance(value, str) for value in values):
        for value in values:
            cell: Cell | None = made.cell(value, place)
            raw.take(cell, "fold")
