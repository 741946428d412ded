"""Which field of a log holds what: recognised by common names, or named by `map`."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from assay.data.logs.log_records import Records
from assay.errors import Fault, InputError, shown

PARTS = ("metadata", "additional_metadata", "additionalMetadata", "store", "output")
"""Fields whose own fields are searched too, as in `metadata.gold`."""
SHOWN_FIELDS = 20
NEGATED = ("abstained", "refused", "isabstained", "isrefused", "noanswer", "declined")
"""Names that say the opposite of `answered`."""
YES, NO = ("true", "yes", "1", "1.0"), ("false", "no", "0", "0.0")
PROBABILITY = re.compile(r"[0-9]*\.?[0-9]+(?:[eE]-?[0-9]+)?%?")
TEXT_FIELDS = ("retrievedcontexts", "contexts", "retrievalcontext", "referencecontexts", "context")
"""Names under which lists hold texts of chunks, not their ids."""


def is_list(value: Any) -> bool:
    """Return whether a value can be a list of chunks."""
    return isinstance(value, list | dict)


def is_id(value: Any) -> bool:
    """Return whether a value can be an id."""
    return isinstance(value, str | int) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """Return whether a value is a number that a float can hold."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return isinstance(value, float) or abs(value) <= sys.float_info.max


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def probability(value: Any) -> float | None:
    """Return a number in [0, 1], also as text or with a percent sign; None for anything else."""
    if isinstance(value, str):
        text = value.strip()
        if PROBABILITY.fullmatch(text) is None:
            return None
        value = float(text.removesuffix("%")) / 100 if text.endswith("%") else float(text)
    return float(value) if is_number(value) and 0 <= value <= 1 else None


def decision(value: Any) -> bool | None:
    """Return whether a value says yes or no; None where it says neither."""
    if isinstance(value, list | dict) or value is None:
        return None
    said = str(value).strip().lower()
    return True if said in YES else False if said in NO else None


def _is_probability(value: Any) -> bool:
    return probability(value) is not None


def _is_decision(value: Any) -> bool:
    return decision(value) is not None


def _is_flat(value: Any) -> bool:
    return isinstance(value, list) and not any(isinstance(each, dict | list) for each in value)


def _are_numbers(value: Any) -> bool:
    return isinstance(value, list) and all(is_number(each) for each in value)


Check = Callable[[Any], bool]
ROLES: Mapping[str, tuple[Check, str]] = {
    "question": (_is_text, "question query q input user_input prompt question_text query_text"),
    "id": (is_id, "question_id query_id qid q_id id sample_id request_id trace_id uuid name"),
    "retrieved": (
        is_list,
        "retrieved_context_ids retrieved_ids retrieved_doc_ids retrieved_chunk_ids retrieved retrieved_docs "
        "retrieved_documents retrieved_chunks retrieved_passages doc_ids document_ids chunk_ids passage_ids "
        "context_ids docs documents chunks passages results hits candidates ranking ranked "
        "retrieved_contexts contexts retrieval_context sources",
    ),
    "scores": (_are_numbers, "retrieved_scores retrieval_scores doc_scores chunk_scores scores similarities"),
    "texts": (
        _is_flat,
        "retrieved_texts retrieved_contexts contexts chunk_texts doc_texts texts retrieval_context",
    ),
    "gold": (
        is_list,
        "gold gold_ids gold_doc_ids gold_chunk_ids gold_docs gold_documents gold_contexts expected "
        "expected_ids expected_docs relevant relevant_ids relevant_docs relevant_doc_ids "
        "reference_context_ids reference_ids references reference ground_truth_ids evidence qrels "
        "positives reference_contexts",
    ),
    "confidence": (
        _is_probability,
        "confidence prob probability p_answerable answerable_prob answer_confidence score",
    ),
    "answered": (_is_decision, f"answered is_answered {' '.join(NEGATED)} is_refusal no_answer"),
    "group": (
        is_id,
        "group group_id conversation_id conversation session_id session thread_id chat_id user_id user",
    ),
    "fold": (is_id, "fold"),
}
"""What a log can hold: values that a field must have to be recognised, and its common names."""
REQUIRED = ("retrieved", "gold")
WANTED = {
    "confidence": "a number in [0, 1]; divide percent by 100",
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


@lru_cache(maxsize=1024)  # the fields of 200,000 chunks have the same few names
def squeezed(name: str) -> str:
    """Return the letters and digits of a name, lower case: `questionId` is `question_id`."""
    return "".join(each for each in name.lower() if each.isalnum())


def field_of(fields: Mapping[str, Any], path: str) -> Any:
    """Return the value of a field, of `metadata.gold`, or of `docs.metadata.id` for each of a list."""
    if path in fields:
        return fields[path]
    found: Any = fields
    for part in path.split("."):
        found = [_inside(each, part) for each in found] if isinstance(found, list) else _inside(found, part)
    return found


def _inside(value: Any, part: str) -> Any:
    return value.get(part) if isinstance(value, dict) else None


def fields_of(named: Mapping[str, str] | str | None) -> dict[str, str]:
    """Return the fields that `question=q,retrieved=docs` or a mapping names, checked."""
    fields: dict[str, str] = {}
    if isinstance(named, str):
        for part in named.split(","):
            role, equals, name = (each.strip() for each in part.partition("="))
            if not equals or role in fields:
                problem = f"names {shown(role)} twice" if role in fields else f"has {shown(part)}"
                raise InputError.of(
                    "`map`", problem, "expected ROLE=FIELD, such as question=q,retrieved=docs"
                )
            fields[role] = name
    else:
        fields = {str(role): str(name) for role, name in (named or {}).items()}
    unknown = [role for role in fields if role not in ROLES]
    if unknown:
        problem = f"names {shown(unknown[0])}"
        raise InputError.of("`map`", problem, f"expected one of {', '.join(ROLES)} before the =")
    empty = [role for role in REQUIRED if fields.get(role) == ""]
    if empty:
        raise InputError.of("`map`", f"leaves out {empty[0]}", f"expected {empty[0]}=FIELD")
    return fields


def recognise(records: Records, named: Mapping[str, str]) -> dict[str, str]:
    """Return the field of each role; a role that nothing holds is missing.

    `named` takes precedence over common names; an empty name leaves a role out.
    """
    seen = _seen(records)
    faults, found = [], {}
    for role, path in named.items():
        if path and not any(field_of(row.fields, path) is not None for row in records.rows):
            problem = f"no field {shown(path)} for {role}"
            faults.append(Fault(records.source, "", problem, _expected(role, seen)))
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
        Fault(records.source, "", f"no field for {role}{_unfit(role, seen)}", _expected(role, seen))
        for role in REQUIRED
        if role not in found and role not in named
    ]
    if "question" not in found and "id" not in found:
        faults.append(Fault(records.source, "", "no field for question or id", _expected("question", seen)))
    if faults:
        raise InputError(faults)
    return {role: found[role] for role in ROLES if role in found}


def _unfit(role: str, seen: Mapping[str, list[Any]]) -> str:
    """Return which field is called so and holds no lists, in parentheses."""
    called = _first(ROLES[role][1].split(), seen, lambda _: True, set())
    return f" ({called} has no lists)" if called else ""


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
            yield f"field {found} is not used: {_said(wrong)} is not {WANTED[role]}"


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

    A `score` can be many things: all of its values must be probabilities.
    """
    right = sum(map(check, values))
    return right == len(values) if name == "score" else 2 * right > len(values)


def _inner(path: str) -> str:
    """Return the name of a field of `metadata` or another part; empty for one of the record itself."""
    part, _, name = path.partition(".")
    return name if part in PARTS else ""


def _expected(role: str, seen: Mapping[str, list[Any]]) -> str:
    extra = "; ids of the relevant chunks, an empty list where there are none" if role == "gold" else ""
    return f"name one with `map='{role}=FIELD'` (fields: {_listed(seen)}){extra}"


def _listed(seen: Mapping[str, list[Any]]) -> str:
    names = [name if len(name) <= 40 else f"{name[:40]}…" for name in list(seen)[:SHOWN_FIELDS]]
    rest = len(seen) - len(names)
    return ", ".join(names) + (f" and {rest} more" if rest > 0 else "")
