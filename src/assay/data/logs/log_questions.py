"""The records of a log as questions: each with its retrieved chunks, gold and decision."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assay.data.cases import LARGEST_GRADE
from assay.data.logs.log_answerable import ANSWERABLE, empty_unanswerable
from assay.data.logs.log_chunks import (
    GRADE,
    SCORE,
    Chunk,
    are_texts,
    as_text,
    chunks_of,
    id_of_text,
    says_none,
)
from assay.data.logs.log_fields import (
    NEGATED,
    decision,
    field_of,
    in_percent,
    is_id,
    is_number,
    probability,
    squeezed,
)
from assay.data.logs.log_recognition import ids_inside
from assay.data.logs.log_records import LogReading, Record, Records
from assay.data.logs.log_tables import Question
from assay.errors import Fault, shown


def read_questions(
    records: Records, fields: Mapping[str, str], *, named: Iterable[str] = (), null_is_empty: bool = False
) -> LogReading:
    """Return the questions of all records, and the faults of single records.

    `named`: roles whose field the caller names; `null_is_empty`: a question without a value for gold
    is unanswerable rather than not judged.
    """
    reading = LogReading(records.source, fields)
    lists = {
        role: _lists(reading, records, role, names) for role, names in (("retrieved", SCORE), ("gold", GRADE))
    }
    if not reading.faults:
        _without_gold(reading, lists)
        if ANSWERABLE in fields:
            empty_unanswerable(reading, records, lists["gold"], named=ANSWERABLE in named)
        if null_is_empty:
            reading.counts["null"] = lists["gold"].count(None)
            lists["gold"] = [[] if row is None else row for row in lists["gold"]]
        _as_texts(reading, records, lists)
    if not reading.faults:
        for at, row in enumerate(records.rows):
            _question(reading, row, lists["retrieved"][at], lists["gold"][at])
    return reading


def _lists(
    reading: LogReading, records: Records, role: str, numbers: Sequence[str]
) -> list[list[Chunk] | None]:
    """Return the chunks of a role for every record; None where its field is missing or null."""
    made: list[list[Chunk] | None] = []
    expected = "expected a list of ids, of texts, or of objects with id, text or score"
    name = reading.fields[role]
    for row in records.rows:
        value = reading.value(row, role)
        chunks = None if value is None else chunks_of(value, numbers, empty=role == "gold")
        if value is not None and chunks is None:
            reading.wrong(row, f"{name} has an element that is not a chunk{_keys(value)}", expected)
        if role == "gold" and not all(0 <= (each.number or 0) <= LARGEST_GRADE for each in chunks or ()):
            expected_grade = f"expected grades from 0 to {LARGEST_GRADE}"
            reading.wrong(row, f"{reading.fields[role]} has a grade out of range", expected_grade)
        made.append(chunks)
    return made


def _keys(value: Any) -> str:
    """Return the fields of the first object of a list, in parentheses."""
    first = (
        next((each for each in value if isinstance(each, dict)), None) if isinstance(value, list) else None
    )
    return f" (fields of its objects: {', '.join(map(shown, first))})" if first else ""


def _without_gold(reading: LogReading, lists: dict[str, list[list[Chunk] | None]]) -> None:
    """Empty the gold that says in words that there is none, unless a chunk has that id."""
    known = {each.id for row in lists["retrieved"] if row for each in row}
    for at, row in enumerate(lists["gold"]):
        if row is not None and len(row) == 1 and says_none(row[0]) and row[0].key not in known:
            lists["gold"][at] = []
            reading.counts["said none"] += 1


def _as_texts(reading: LogReading, records: Records, lists: dict[str, list[list[Chunk] | None]]) -> None:
    """Take strings for texts, and compare both lists by their words, where one has no ids."""
    if "texts" in reading.fields:
        return  # the strings of `retrieved` are ids then
    held = {role: [each for each in rows if each] for role, rows in lists.items()}
    named = any(are_texts(reading.fields[role], rows) for role, rows in held.items())
    without_ids = any(rows and not any(each.key for row in rows for each in row) for rows in held.values())
    given = any(each.key and not each.loose for rows in held.values() for row in rows for each in row)
    if not (named or without_ids) or (given and _share(lists)):
        return
    ids = any(not are_texts(reading.fields[role], rows) and _no_words(rows) for role, rows in held.items())
    for role, rows in lists.items():
        lists[role] = [None if row is None else [as_text(each) for each in row] for row in rows]
    if (ids or not named) and not _share(lists):
        problem = f"{reading.fields['retrieved']} and {reading.fields['gold']} cannot be compared"
        option = ids_inside(records, reading.fields)
        how = f"one has texts, the other ids; name the ids, such as `map='{option}'`"
        reading.faults.append(Fault(reading.source, "", problem, how))


def _no_words(rows: Sequence[Sequence[Chunk]]) -> bool:
    """Return whether all strings are single words, as ids are."""
    strings = [each.key for row in rows for each in row if each.loose and each.key is not None]
    return bool(strings) and not any(re.search(r"\s", each) for each in strings)


def _share(lists: Mapping[str, Sequence[Sequence[Chunk] | None]]) -> bool:
    """Return whether any chunk of gold was retrieved for any question."""
    found = ({each.id for row in rows if row for each in row} for rows in lists.values())
    return bool(set.intersection(*found))


def _question(
    reading: LogReading, row: Record, retrieved: list[Chunk] | None, gold: list[Chunk] | None
) -> None:
    if gold is None:
        reading.counts["unjudged"] += 1
        return
    text, name = reading.value(row, "question"), reading.value(row, "id")
    if text is not None and not isinstance(text, str):
        reading.wrong(row, f"{reading.fields['question']} is not text", "expected one question")
        return
    group, fold = (reading.value(row, role) for role in ("group", "fold"))
    for role, value in (("id", name), ("group", group), ("fold", fold)):
        if value is not None and not is_id(value):
            reading.wrong(row, f"{reading.fields[role]} is not an id", "expected text or a whole number")
            return
    for role in ("group", "fold"):
        if str(reading.value(row, role)).strip() == "":  # without a value, a question is its own group
            reading.wrong(row, f"{reading.fields[role]} is empty", "expected an id")
            return
    has_id = name is not None and str(name).strip() != ""
    if not has_id:
        if not text:
            reading.wrong(row, "has neither a question nor an id", "expected one of them")
            return
        name = id_of_text("q", text)
    chunks = _scored(reading, row, _unique(reading, _with_texts(reading, row, retrieved or [])))
    answered = _answered(reading, row)
    reading.questions.append(
        Question(
            place=row.place,
            id=str(name),
            own_id=has_id,
            text=text,
            post=None if group is None else str(group),
            fold=None if fold is None else str(fold),
            retrieved=chunks,
            gold=_unique(None, gold),
            prob=_confidence(reading, row),
            # Who answers returns every retrieved chunk.
            selected_k=None if answered is None else answered * len(chunks),
        )
    )


def _with_texts(reading: LogReading, row: Record, chunks: list[Chunk]) -> list[Chunk]:
    """Add the parallel lists of scores and texts."""
    for role in ("scores", "texts"):
        values = reading.value(row, role)
        if values is None or (not chunks and not values):
            continue
        if not isinstance(values, list) or len(values) != len(chunks):
            many = f"{len(values)} elements" if isinstance(values, list) else "no list"
            expected = f"expected one per chunk of {reading.fields['retrieved']}, which has {len(chunks)}"
            reading.wrong(row, f"{reading.fields[role]} has {many}", expected)
            return chunks
        if role == "texts":
            pairs = zip(chunks, values, strict=True)
            chunks = [
                Chunk(each.key, text if isinstance(text, str) else each.text, each.number)
                for each, text in pairs
            ]
        elif all(map(is_number, values)):
            pairs = zip(chunks, values, strict=True)
            chunks = [Chunk(each.key, each.text, float(number)) for each, number in pairs]
        else:
            reading.wrong(row, f"{reading.fields[role]} has a value that is no number", "expected scores")
            return chunks
    return chunks


def _unique(reading: LogReading | None, chunks: list[Chunk]) -> list[Chunk]:
    """Return each chunk once, at its first place."""
    kept = {each.id: each for each in reversed(chunks)}
    if reading is not None and len(kept) < len(chunks):
        reading.counts["repeated"] += len(chunks) - len(kept)
    return [kept[name] for name in dict.fromkeys(each.id for each in chunks)]


def _scored(reading: LogReading, row: Record, chunks: list[Chunk]) -> list[Chunk]:
    """Return the chunks, their scores checked: all have a finite one, or none has one."""
    numbers = [each.number for each in chunks if each.number is not None]
    if "scores" in reading.fields or numbers:
        if len(numbers) < len(chunks):
            reading.wrong(row, "some retrieved chunks have no score", "expected a score for all, or for none")
        elif not all(map(math.isfinite, numbers)):
            reading.wrong(row, "a score is not finite", "expected a finite number")
    return chunks


def _confidence(reading: LogReading, row: Record) -> float | None:
    if "confidence" not in reading.fields:
        return None
    name, percent = in_percent(reading.fields["confidence"])
    value = field_of(row.fields, name)
    found = probability(value, percent=percent)
    if found is None:
        said = "missing" if value is None else shown(value)
        expected = f"expected a number in [0, {100 if percent else 1}]"
        if probability(value, percent=True) is not None:
            expected += f"; if it is in percent, use `map='confidence={name}%'`"
        reading.wrong(row, f"{name} is {said}", expected)
    return found


def _answered(reading: LogReading, row: Record) -> bool | None:
    if "answered" not in reading.fields:
        return None
    name = reading.fields["answered"]
    value = reading.value(row, "answered")
    found = decision(value)
    if found is None:
        said = "missing" if value is None else shown(value)
        reading.wrong(row, f"{name} is {said}", "expected true or false")
        return None
    said_no = squeezed(name.rsplit(".", 1)[-1]) in NEGATED
    return found != said_no
