"""Lists of chunks in a log: strings, numbers, objects, pairs, or a mapping from ids to scores."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.data.logs.log_fields import TEXT_FIELDS, is_id, is_number, squeezed

ID = (
    "id",
    "docid",
    "chunkid",
    "documentid",
    "passageid",
    "contextid",
    "nodeid",
    "sentuid",
    "uid",
    "pid",
    "docno",
)
TEXT = ("text", "content", "pagecontent", "contents", "body", "passage", "chunk", "document")
SCORE = ("score", "similarity", "relevancescore", "relevance")
GRADE = ("grade", "rel", "relevance")
WRAPPERS = ("document", "node", "doc", "chunk", "passage", "payload", "entity")
"""Objects inside of an element that hold its id and its text, next to its score."""
NONE = (
    *("n/a", "na", "<na>", "nan", "none", "null", "nil", "-"),
    *("unanswerable", "not answerable", "no answer", "no gold"),
)
"""Words for gold that is not there."""
LONG = 100
"""Characters from which a string is the text of a chunk rather than its id."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A chunk as a log gives it: at least one of key and text; a score, or the grade of gold."""

    key: str | None
    text: str | None = None
    number: float | None = None
    loose: bool = False  # the key is a string of the log that may be a text as well

    @property
    def id(self) -> str:
        """Its own id, or one that follows from its text."""
        return id_of_text("c", self.text or "") if self.key is None else self.key


def id_of_text(kind: str, text: str) -> str:
    """Return an id that is the same for the same words, whatever the whitespace between them."""
    return f"{kind}-{hashlib.sha256(' '.join(text.split()).encode()).hexdigest()[:16]}"


def says_none(chunk: Chunk) -> bool:
    """Return whether a string in the place of gold says that there is none."""
    return chunk.loose and chunk.key is not None and " ".join(chunk.key.lower().split()) in NONE


def chunks_of(value: Any, numbers: Sequence[str], *, empty: bool = False) -> list[Chunk] | None:
    """Return the chunks of a list, its strings as ids; None where an element is none.

    `numbers` are the names of a score or a grade in objects; `empty`: an empty text is an empty list.
    """
    if empty and isinstance(value, str) and not value.strip():
        return []
    if isinstance(value, dict):
        pairs = [(str(name), number) for name, number in value.items()]
        if not all(is_number(number) for _, number in pairs):
            return None
        return [Chunk(name, None, float(number)) for name, number in pairs]
    made = [_chunk(each, numbers) for each in (value if isinstance(value, list) else [value])]
    return None if None in made else [each for each in made if each is not None]


def _chunk(value: Any, numbers: Sequence[str]) -> Chunk | None:
    if is_id(value):
        return Chunk(str(value), loose=isinstance(value, str)) if str(value).strip() else None
    if isinstance(value, list):
        pair = len(value) == 2 and is_id(value[0]) and is_number(value[1])
        return Chunk(str(value[0]), None, float(value[1])) if pair else None
    if not isinstance(value, dict):
        return None
    inner = value.get("metadata")
    names = {squeezed(str(name)): each for name, each in value.items()}
    wrapped = next((names[name] for name in WRAPPERS if isinstance(names.get(name), dict)), None)
    if wrapped is not None and _first(ID, names) is None:
        of_it = {squeezed(str(name)): each for name, each in wrapped.items()}
        names = {**of_it, **{name: each for name, each in names.items() if not isinstance(each, dict)}}
        inner = wrapped.get("metadata")
    more = {squeezed(str(name)): each for name, each in inner.items()} if isinstance(inner, dict) else {}
    key = _first(ID, names) if _first(ID, names) is not None else _first(ID, more)
    text, number = _first(TEXT, names), _first(numbers, names)
    if not (number is None or is_number(number)) or not (text is None or isinstance(text, str)):
        return None
    if key is None or not is_id(key) or not str(key).strip():
        return None if text is None else Chunk(None, text, None if number is None else float(number))
    return Chunk(str(key), text, None if number is None else float(number))


def _first(names: Sequence[str], fields: Mapping[str, Any]) -> Any:
    return next((fields[name] for name in names if fields.get(name) is not None), None)


def are_texts(field: str, lists: Sequence[Sequence[Chunk]]) -> bool:
    """Return whether the strings of a field are texts: by its name, or because one is long."""
    strings = [each.key for row in lists for each in row if each.loose and each.key is not None]
    if strings and squeezed(field.rsplit(".", 1)[-1]) in TEXT_FIELDS:
        return True
    return any(len(each) > LONG or "\n" in each for each in strings)


def as_text(chunk: Chunk) -> Chunk:
    """Return a chunk that is compared by its words, where it has any."""
    if chunk.loose:
        return Chunk(None, chunk.key, chunk.number)
    return chunk if chunk.text is None else Chunk(None, chunk.text, chunk.number)
