"""Which field of a log holds what: recognised by common names, or named by `map`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from assay.data.logs.log_fields import (
    REQUIRED,
    ROLES,
    SINGLE,
    Check,
    field_of,
    in_percent,
    is_id,
    is_number,
    probability,
    squeezed,
)
from assay.data.logs.log_records import Records
from assay.errors import Fault, InputError, shown

PARTS = ("metadata", "additional_metadata", "additionalMetadata", "store", "output")
"""Fields whose own fields are searched too, as in `metadata.gold`."""
SHOWN_FIELDS = 24
WANTED = {
    "confidence": "a number in [0, 1]; if it is in percent, use `map='confidence={0}%'`",
    "answered": "true or false",
    "scores": "a list of numbers",
}
"""What a message expects of the values of a role."""
PRESETS: Mapping[str, Mapping[str, str]] = {
    "ragas": {
        "question": "user_input",
        "retrieved": "retrieved_context_ids retrieved_contexts",
        "texts": "retrieved_contexts",
        "gold": "reference_context_ids reference_contexts",
    },
    "deepeval": {"question": "input", "id": "name", "retrieved": "retrieval_context", "gold": "context"},
    "inspect": {"question": "input", "id": "id", "group": "group"},
}
"""Names that a format itself has; other roles are recognised as in any log."""

LIST_OF_FIELDS = re.compile(r" \(fields: .*\)")
SOURCES = ("source", "sourceid", "file", "filename", "path", "url", "uri", "title", "key")
"""Names of metadata of a chunk that may be what gold calls it."""
DEPTH = 4
"""How deep a message looks for fields inside of fields."""
SAMPLE = 20
"""How many records are searched for them."""


def recognise(records: Records, named: Mapping[str, str]) -> dict[str, str]:
    """Return the field of each role; a role that nothing holds is missing.

    `named` takes precedence over common names; an empty name leaves a role out.
    """
    seen = _seen(records)
    known = [*dict.fromkeys((*seen, *nested_fields(records)))]
    faults, found = [], {}
    for role, path in named.items():
        if path and not any(field_of(row.fields, in_percent(path)[0]) is not None for row in records.rows):
            problem = f"no field {shown(path)} for {role}"
            faults.append(Fault(records.source, "", problem, _expected(role, known)))
        elif path:
            found[role] = path
    own = PRESETS.get(records.format, {})
    taken = set(found.values())
    for role, (check, names) in ROLES.items():
        if role in named:
            continue
        common = _first(own.get(role, names).split(), seen, check, taken if role != "texts" else set())
        if common is not None and not (role == "texts" and common == found.get("retrieved")):
            found[role] = common
            taken.add(common)
    faults += [
        Fault(records.source, "", f"no field for {role}{_unfit(role, seen)}", _expected(role, known))
        for role in REQUIRED
        if role not in found and role not in named
    ]
    if "question" not in found and "id" not in found:
        faults.append(Fault(records.source, "", "no field for question or id", _expected("question", known)))
    if faults:
        faults = [faults[0], *(replace(each, expected=_shortened(each.expected)) for each in faults[1:])]
        similar = similar_fields(records, [role for role in ROLES if role not in found and role not in named])
        if similar:
            given = {role: path for role, path in named.items() if role in found or not path}
            how = ",".join(f"{role}={path}" for role, path in {**given, **similar}.items())
            faults.append(Fault(records.source, "", "other fields have familiar names", f"try `map='{how}'`"))
        raise InputError(faults)
    return {role: found[role] for role in ROLES if role in found}


def _unfit(role: str, seen: Mapping[str, list[Any]]) -> str:
    """Return which field is called so and holds no lists, in parentheses."""
    called = _first(ROLES[role][1].split(), seen, lambda _: True, set())
    one_id = f"; if it holds one id, use `map='gold={called}'`" if role == "gold" else ""
    return f" ({called} has no lists{one_id})" if called else ""


def not_used(records: Records, fields: Mapping[str, str], named: Mapping[str, str]) -> Iterator[str]:
    """Yield a sentence for each field that is called like a role and holds other values."""
    seen = _seen(records)
    for role in ("confidence", "answered", "scores"):
        if role in fields or role in named:
            continue
        check, names = ROLES[role]
        wanted = " ".join(each for each in names.split() if each != "score")
        found = _first(wanted.split(), seen, lambda _: True, set(fields.values()))
        if found is not None:
            wrong = next(each for each in seen[found] if not check(each))
            yield f"field {found} is not used: {_said(wrong)} is not {WANTED[role].format(found)}"


def _said(value: Any) -> str:
    return f"{value:g}" if is_number(value) else "a text" if isinstance(value, str) else "a value"


def _seen(records: Records) -> dict[str, list[Any]]:
    """Return the values of every field that are not null, those of `metadata` under `metadata.NAME`."""
    seen: dict[str, list[Any]] = {}
    for row in records.rows:
        for name, value in row.fields.items():
            if value is not None:
                seen.setdefault(name, []).append(value)
        for part in PARTS:
            inner = row.fields.get(part)
            for name, value in inner.items() if isinstance(inner, dict) else ():
                if value is not None:
                    seen.setdefault(f"{part}.{name}", []).append(value)
    return seen


def _first(names: Iterable[str], seen: Mapping[str, list[Any]], check: Check, taken: set[str]) -> str | None:
    """Return the first common name that a field has and whose values fit."""
    fields: dict[str, str] = {}
    for path in sorted(seen, key=_inner):  # those of the record itself come first
        fields.setdefault(squeezed(_inner(path) or path), path)
    for name in names:
        found = fields.get(squeezed(name))
        if found is not None and found not in taken and _fits(name, check, seen[found]):
            return found
    return None


def _fits(name: str, check: Check, values: list[Any]) -> bool:
    """Return whether most values fit, so that the others are reported and not a reason to look elsewhere.

    A `score` can be many things: all of its values must be probabilities. A `name` is an id if it
    differs, and not the name of the step that was logged.
    """
    if name == "name":
        return all(map(check, values)) and len(set(values)) == len(values)
    right = sum(map(is_id if name in SINGLE else check, values))
    return right == len(values) if name == "score" else 2 * right > len(values)


def _inner(path: str) -> str:
    """Return the name of a field of `metadata` or another part; empty for one of the record itself."""
    part, _, name = path.partition(".")
    return name if part in PARTS else ""


def _shortened(expected: str) -> str:
    """Return what was expected without the list of fields, which is shown once."""
    return LIST_OF_FIELDS.sub("", expected)


def _expected(role: str, known: Sequence[str]) -> str:
    extra = "; ids of the relevant chunks, an empty list where there are none" if role == "gold" else ""
    return f"name one with `map='{role}=FIELD'` (fields: {_listed(known)}){extra}"


def _listed(known: Sequence[str]) -> str:
    names = [name if len(name) <= 40 else f"{name[:40]}…" for name in known[:SHOWN_FIELDS]]
    rest = len(known) - len(names)
    return ", ".join(names) + (f" and {rest} more" if rest > 0 else "")


def nested_fields(records: Records) -> dict[str, list[Any]]:
    """Return the values of fields inside of other fields, of the first records, by their path."""
    found: dict[str, list[Any]] = {}
    for row in records.rows[:SAMPLE]:
        for path in dict.fromkeys(_paths(row.fields, DEPTH)):
            value = field_of(row.fields, path)
            if "." in path and value is not None:
                found.setdefault(path, []).append(value)
    return found


def _paths(value: Any, depth: int) -> Iterator[str]:
    for each in value if isinstance(value, list) else [value]:
        for name, inner in each.items() if isinstance(each, dict) and depth else ():
            yield str(name)
            yield from (f"{name}.{path}" for path in _paths(inner, depth - 1))


def ids_inside(records: Records, fields: Mapping[str, str]) -> str:
    """Return the option that names a field inside of chunks that can be their id, such as a source."""
    for role in REQUIRED:
        for path, values in nested_fields(records).items():
            name = squeezed(path.rsplit(".", 1)[-1])
            if path.startswith(f"{fields[role]}.") and name in SOURCES and all(map(_are_ids, values)):
                return f"{role}={path}"
    return "retrieved=docs.metadata.id"


def _are_ids(value: Any) -> bool:
    return isinstance(value, list) and all(map(is_id, value))


def similar_fields(records: Records, roles: Sequence[str]) -> dict[str, str]:
    """Return fields inside of other fields that have common names and values of roles that nothing holds."""
    nested = nested_fields(records)
    by_name: dict[str, str] = {}
    for path in sorted(nested, key=lambda path: path.count(".")):
        by_name.setdefault(squeezed(path.rsplit(".", 1)[-1]), path)
    found: dict[str, str] = {}
    for role in roles:
        check, names = ROLES[role]
        for name in names.split():
            path = by_name.get(squeezed(name), "")
            if not path or path in found.values():
                continue
            if _fits(name, check, nested[path]):
                found[role] = path
                break
            if role == "confidence" and None not in [probability(one, percent=True) for one in nested[path]]:
                found[role] = f"{path}%"
                break
    return found
