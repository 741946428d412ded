"""What a log can hold: roles with their common names and values, and fields that `map` names."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from assay.errors import InputError, shown

NEGATED = ("abstained", "refused", "isabstained", "isrefused", "noanswer", "declined")
"""Names that say the opposite of `answered`."""
IMPOSSIBLE = ("isimpossible", "impossible", "unanswerable", "isunanswerable")
"""Names that say the opposite of `answerable`."""
YES, NO = ("true", "yes", "1", "1.0"), ("false", "no", "0", "0.0")
PROBABILITY = re.compile(r"[0-9]*\.?[0-9]+(?:[eE]-?[0-9]+)?%?")
SINGLE = (
    "gold_id",
    "gold_doc",
    "gold_doc_id",
    "gold_chunk_id",
    "relevant_id",
    "relevant_doc_id",
    "expected_id",
)
"""Names that hold one id of gold rather than a list."""
TEXT_FIELDS = (
    "retrievedcontexts",
    "contexts",
    "retrievalcontext",
    "referencecontexts",
    "context",
    "goldcontexts",
    "expectedcontexts",
    "groundtruthcontexts",
)
"""Names under which lists hold texts of chunks, not their ids."""


def in_percent(path: str) -> tuple[str, bool]:
    """Return the name of a field and whether it is in percent, as `confidence%` says."""
    return path.removesuffix("%"), path.endswith("%")


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


def probability(value: Any, *, percent: bool = False) -> float | None:
    """Return a number in [0, 1], also as text or in percent; None for anything else."""
    if isinstance(value, str):
        text = value.strip()
        if PROBABILITY.fullmatch(text) is None:
            return None
        percent = percent or text.endswith("%")
        value = float(text.removesuffix("%"))
    if not is_number(value):
        return None
    value = value / 100 if percent else float(value)
    return value if 0 <= value <= 1 else None


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
    "question": (
        _is_text,
        "question query q input user_input prompt question_text query_text user_query user_question",
    ),
    "id": (is_id, "question_id query_id qid q_id id sample_id request_id trace_id uuid name"),
    "retrieved": (
        is_list,
        "retrieved_context_ids retrieved_ids retrieved_doc_ids retrieved_chunk_ids retrieved retrieved_docs "
        "retrieved_documents retrieved_chunks retrieved_passages doc_ids document_ids chunk_ids passage_ids "
        "context_ids docs documents chunks passages results hits candidates ranking ranked "
        "retrieved_contexts contexts retrieval_context sources source_documents source_nodes",
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
        "positives gold_passages gold_chunks relevant_chunks relevant_chunk_ids relevant_documents "
        "relevant_passages expected_chunks expected_contexts expected_sources ground_truth_context_ids "
        "ground_truth_documents ground_truth_chunks ground_truth_passages expected_documents "
        f"ground_truth_docs reference_contexts ground_truth_contexts {' '.join(SINGLE)}",
    ),
    "confidence": (
        _is_probability,
        "confidence prob probability p_answerable answerable_prob answer_confidence score",
    ),
    "answered": (_is_decision, f"answered is_answered {' '.join(NEGATED)} is_refusal no_answer"),
    "answerable": (_is_decision, f"answerable is_answerable {' '.join(IMPOSSIBLE)}"),
    "group": (
        is_id,
        "group group_id conversation_id conversation session_id session thread_id chat_id user_id user",
    ),
    "fold": (is_id, "fold"),
}
"""What a log can hold: values that a field must have to be recognised, and its common names."""
NULL, NULL_GOLD = "null", ("unjudged", "unanswerable")
"""What a null or missing gold means, as in `map='null=unanswerable'`; by default that it is not judged."""
REQUIRED = ("retrieved", "gold")


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
    if fields.get(NULL, NULL_GOLD[0]) not in NULL_GOLD:
        raise InputError.of(
            "`map`", f"has {NULL}={shown(fields[NULL])}", f"expected one of {', '.join(NULL_GOLD)}"
        )
    unknown = [role for role in fields if role not in (*ROLES, NULL)]
    if unknown:
        problem = f"names {shown(unknown[0])}"
        raise InputError.of("`map`", problem, f"expected one of {', '.join(ROLES)} before the =")
    empty = [role for role in REQUIRED if fields.get(role) == ""]
    if empty:
        raise InputError.of("`map`", f"leaves out {empty[0]}", f"expected {empty[0]}=FIELD")
    return fields
