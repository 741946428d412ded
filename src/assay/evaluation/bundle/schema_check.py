"""Whether a document of a bundle has the shape that its JSON schema describes.

The part of JSON Schema that `assay.schemas` uses. Ranges of values are not checked (`allOf`): a
value out of range must be recomputed and shown as wrong, not refused.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from assay.errors import Fault, InputError, shown

LARGEST = 10**18
"""Whole numbers beyond it do not fit into 64 bits."""
SHOWN = 5
LATER = ("absent", "corrections", "corrected", "missing_evidence", "exact")
"""What bundles have only since they were first written: older ones are read too."""
KINDS: Mapping[str, Any] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "number": lambda value: _is_number(value) and abs(value) <= sys.float_info.max,  # also a whole number
    "integer": lambda value: _is_number(value) and isinstance(value, int),
}


def check_document(document: Any, schema: str, source: str) -> None:
    """Raise the first faults of a document against a schema of `assay.schemas`."""
    faults = []
    for place, problem, expected in _faults(document, _schema(schema), ""):
        faults.append(Fault(source, place, problem, expected))
        if len(faults) == SHOWN:
            break
    if faults:
        raise InputError(faults)


@cache
def _schema(name: str) -> dict[str, Any]:
    text = files("assay.schemas").joinpath(f"{name}.schema.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


Found = tuple[str, str, str]  # place, problem, what was expected


def _faults(value: Any, schema: Mapping[str, Any], place: str) -> Iterator[Found]:
    kinds = schema.get("type")
    if kinds is not None:
        named = [kinds] if isinstance(kinds, str) else kinds
        if not any(KINDS[kind](value) for kind in named):
            yield place, f"is {shown(value)}", f"expected {' or '.join(named)}"
            return
    if "const" in schema and value != schema["const"]:
        yield place, f"is {shown(value)}", f"expected {schema['const']}"
    if "enum" in schema and not any(_same(value, each) for each in schema["enum"]):
        yield place, f"is {shown(value)}", f"expected one of {', '.join(map(str, schema['enum']))}"
    if "anyOf" in schema:
        yield from _any(value, schema["anyOf"], place)
    if isinstance(value, str):
        if "pattern" in schema and re.search(schema["pattern"], value) is None:
            yield place, f"is {shown(value)}", "expected a text of another form"
    elif _is_number(value):
        yield from _bounds(value, schema, place)
    elif isinstance(value, dict):
        yield from _members(value, schema, place)
    elif isinstance(value, list) and "items" in schema:
        for at, each in enumerate(value):
            yield from _faults(each, schema["items"], f"{place}/{at}")


def _any(value: Any, choices: list[Mapping[str, Any]], place: str) -> Iterator[Found]:
    """Give the faults against the choice that comes closest, where none of them fits."""
    found: list[Found] = []
    for choice in choices:
        found = list(_faults(value, choice, place))
        if not found:
            return
    if isinstance(value, str):
        yield place, f"is {shown(value)}", "expected a text of another form"
    else:
        yield from found


def _members(value: dict[str, Any], schema: Mapping[str, Any], place: str) -> Iterator[Found]:
    known = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value and name not in LATER:
            yield place, f"has no {name}", "this key is required"
    more = schema.get("additionalProperties", True)
    names = schema.get("propertyNames")
    for name, each in value.items():
        inside = f"{place}/{shown(name)[1:-1]}"
        if name in known:
            yield from _faults(each, known[name], inside)
        elif more is False:
            yield place, f"has {shown(name)}", "expected only what the schema lists"
        elif isinstance(more, dict):
            yield from _faults(each, more, inside)
        if names is not None:
            yield from _faults(name, names, inside)


def _bounds(value: float, schema: Mapping[str, Any], place: str) -> Iterator[Found]:
    low, high = schema.get("minimum", -LARGEST), schema.get("maximum", LARGEST)
    if not isinstance(value, int) and "minimum" not in schema:
        return
    if not low <= value <= high:
        yield place, f"is {shown(value)}", f"expected {low:g} to {high:g}"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _same(value: Any, other: Any) -> bool:
    return type(value) is type(other) and value == other
