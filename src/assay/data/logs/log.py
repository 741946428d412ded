"""`read_log`: the log of a RAG or QA system as a corpus and predictions."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay.data.cases import LARGEST_GRADE
from assay.data.corpus import Corpus
from assay.data.logs.log_chunks import GRADE, SCORE, Chunk, are_texts, as_text, chunks_of, id_of_text
from assay.data.logs.log_fields import NEGATED, field_of, fields_of, is_id, is_number, recognise, squeezed
from assay.data.logs.log_records import Record, Records, read_records
from assay.data.logs.log_tables import Question, corpus_of, predictions_of
from assay.data.predictions import Predictions
from assay.errors import Fault, InputError, shown
from assay.files.input_file import InputFile

TRUE, FALSE = (True, 1, "true", "True"), (False, 0, "false", "False")


@dataclass(frozen=True, slots=True)
class Log:
    """A log as what was asked and what was answered, and how it was read."""

    corpus: Corpus
    predictions: Predictions
    format: str
    fields: Mapping[str, str]  # by role: question, retrieved, gold, …
    notes: tuple[str, ...]


@dataclass(slots=True)
class _Reading:
    """What is collected while the records are read."""

    source: str
    fields: Mapping[str, str]
    questions: list[Question] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def wrong(self, row: Record, problem: str, expected: str) -> None:
        self.faults.append(Fault(self.source, row.place, problem, expected))

    def value(self, row: Record, role: str) -> Any:
        return field_of(row.fields, self.fields[role]) if role in self.fields else None


def read_log(
    path: str | Path,
    *,
    map: Mapping[str, str] | str | None = None,  # noqa: A002 (the name of the option)
    format: str = "auto",  # noqa: A002 (likewise)
) -> Log:
    """Return the log of a RAG or QA system as a corpus and predictions.

    Each question is a query, with the chunks that were retrieved for it as candidates. It is its
    own post, or part of the post that its group names, such as a conversation.

    Parameters
    ----------
    path
        JSON lines or a JSON list with one object per question, or a file of ragas, DeepEval or
        Inspect.
    map
        The field of each role that is not recognised by its name: question, id, retrieved, scores,
        texts, gold, confidence, answered, group, fold; a mapping, or "question=q,retrieved=docs".
        `metadata.docs` is a field of a field, and an empty name leaves a role out.
    format
        "log", "ragas", "deepeval" or "inspect"; detected by default.

    Returns
    -------
    Log
        `corpus` and `predictions`, the `fields` that were used, and `notes`.

    Raises
    ------
    InputError
        With all faults of the log.

    Examples
    --------
    >>> from pathlib import Path
    >>> _ = Path("log.jsonl").write_text('{"q": "Who?", "docs": ["a", "b"], "truth": ["b"]}')
    >>> log = assay.read_log("log.jsonl", map={"gold": "truth"})
    >>> log.fields["retrieved"], assay.evaluate(log)["mrr"].value
    ('docs', 0.5)

    """
    records = read_records(InputFile(path), format)
    fields = recognise(records, fields_of(map))
    reading = _Reading(records.source, fields)
    lists = {
        role: _lists(reading, records, role, names) for role, names in (("retrieved", SCORE), ("gold", GRADE))
    }
    if not reading.faults:
        _as_texts(fields, lists)
        for at, row in enumerate(records.rows):
            _question(reading, row, lists["retrieved"][at], lists["gold"][at])
        _check_questions(reading)
    if reading.faults:
        raise InputError(reading.faults)
    corpus, texts = corpus_of(reading.questions, records.source, records.file)
    predictions = predictions_of(reading.questions, records.source, records.file)
    return Log(corpus, predictions, records.format, fields, tuple(_notes(reading, texts)))


def is_log(given: object) -> bool:
    """Return whether something is the path of a file that can be a log."""
    if not isinstance(given, str | Path):
        return False
    name = str(given).lower().removesuffix(".gz")
    return name.endswith((".jsonl", ".json", ".ndjson")) and Path(given).is_file()


def log_parts(given: Log | str | Path, corpus: object) -> tuple[Predictions | str | Path, Corpus | None]:
    """Return predictions and corpus of a log, or of the path to one; a folder is not a log."""
    if corpus is not None:
        problem = "has no effect next to a log, which has its own judgements"
        raise InputError.of("corpus", problem, "leave it out")
    if not isinstance(given, Log):
        if Path(given).is_dir():
            return given, None
        given = read_log(given)
    return given.predictions, given.corpus


def _lists(
    reading: _Reading, records: Records, role: str, numbers: Sequence[str]
) -> list[list[Chunk] | None]:
    """Return the chunks of a role for every record; None where its field is missing or null."""
    made: list[list[Chunk] | None] = []
    expected = "expected a list of ids, of texts, or of objects with id, text or score"
    for row in records.rows:
        value = reading.value(row, role)
        chunks = None if value is None else chunks_of(value, numbers)
        if value is not None and chunks is None:
            name = reading.fields[role]
            reading.wrong(row, f"{name} has an element that is no chunk", expected)
        if role == "gold" and not all(0 <= (each.number or 0) <= LARGEST_GRADE for each in chunks or ()):
            expected_grade = f"expected grades from 0 to {LARGEST_GRADE}"
            reading.wrong(row, f"{reading.fields[role]} has a grade out of range", expected_grade)
        made.append(chunks)
    return made


def _as_texts(fields: Mapping[str, str], lists: dict[str, list[list[Chunk] | None]]) -> None:
    """Take strings for texts, in both lists alike, where those of either are."""
    if "texts" in fields:
        return  # the strings of `retrieved` are ids then
    held = {role: [each for each in rows if each] for role, rows in lists.items()}
    if any(are_texts(fields[role], rows) for role, rows in held.items()):
        for role, rows in lists.items():
            lists[role] = [None if row is None else [as_text(each) for each in row] for row in rows]


def _question(
    reading: _Reading, row: Record, retrieved: list[Chunk] | None, gold: list[Chunk] | None
) -> None:
    if gold is None:
        reading.counts["unjudged"] += 1
        return
    text, name = reading.value(row, "question"), reading.value(row, "id")
    if text is not None and not isinstance(text, str):
        reading.wrong(row, f"{reading.fields['question']} is not text", "expected one question")
        return
    group = reading.value(row, "group")
    for role, value in (("id", name), ("group", group)):
        if value is not None and not is_id(value):
            reading.wrong(row, f"{reading.fields[role]} is not an id", "expected text or a whole number")
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
            fold=_label(reading.value(row, "fold")),
            retrieved=chunks,
            gold=_unique(None, gold),
            prob=_confidence(reading, row),
            # Who answers returns every retrieved chunk.
            selected_k=None if answered is None else answered * len(chunks),
        )
    )


def _label(value: Any) -> str | None:
    return None if value is None else str(value)


def _with_texts(reading: _Reading, row: Record, chunks: list[Chunk]) -> list[Chunk]:
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


def _unique(reading: _Reading | None, chunks: list[Chunk]) -> list[Chunk]:
    """Return each chunk once, at its first place."""
    kept = {each.id: each for each in reversed(chunks)}
    if reading is not None and len(kept) < len(chunks):
        reading.counts["repeated"] += len(chunks) - len(kept)
    return [kept[name] for name in dict.fromkeys(each.id for each in chunks)]


def _scored(reading: _Reading, row: Record, chunks: list[Chunk]) -> list[Chunk]:
    """Return the chunks, their scores checked: all have a finite one, or none has one."""
    numbers = [each.number for each in chunks if each.number is not None]
    if "scores" in reading.fields or numbers:
        if len(numbers) < len(chunks):
            reading.wrong(row, "some retrieved chunks have no score", "expected a score for all, or for none")
        elif not all(map(math.isfinite, numbers)):
            reading.wrong(row, "a score is not finite", "expected a finite number")
    return chunks


def _confidence(reading: _Reading, row: Record) -> float | None:
    if "confidence" not in reading.fields:
        return None
    value = reading.value(row, "confidence")
    if is_number(value) and 0 <= value <= 1:
        return float(value)
    said = "missing" if value is None else shown(value)
    reading.wrong(row, f"{reading.fields['confidence']} is {said}", "expected a number in [0, 1]")
    return None


def _answered(reading: _Reading, row: Record) -> bool | None:
    if "answered" not in reading.fields:
        return None
    name = reading.fields["answered"]
    value = reading.value(row, "answered")
    if isinstance(value, list | dict) or value not in (*TRUE, *FALSE):
        said = "missing" if value is None else shown(value)
        reading.wrong(row, f"{name} is {said}", "expected true or false")
        return None
    said_no = squeezed(name.rsplit(".", 1)[-1]) in NEGATED
    return (value in TRUE) != said_no


def _check_questions(reading: _Reading) -> None:
    """Check what no single record shows: ids that repeat, folds of a post, scores that are distances."""
    questions = reading.questions
    if not questions and not reading.faults:
        expected = "expected ids of the relevant chunks, an empty list where there are none"
        problem = f"no record has a value for gold ({reading.fields['gold']})"
        reading.faults.append(Fault(reading.source, "", problem, expected))
    made = Counter[str]()
    first: dict[str, str] = {}
    for at, each in enumerate(questions):
        made[each.id] += 1
        if made[each.id] == 1:
            first[each.id] = each.place
        elif each.own_id:
            problem = f"id {shown(each.id)} is that of {first[each.id]} too"
            reading.faults.append(Fault(reading.source, each.place, problem, "expected each id once"))
        else:  # the same question again
            questions[at] = each.numbered(made[each.id])
    _check_folds(reading)
    for role, empty in (("retrieved", "chunk was retrieved"), ("gold", "question has gold")):
        if questions and not any(getattr(each, role) for each in questions):
            problem = f"no {empty}"
            reading.faults.append(
                Fault(reading.source, "", problem, f"expected some in {reading.fields[role]}")
            )
    lists = [[each.number for each in one.retrieved] for one in questions]
    varied = [each for each in lists if None not in each and len(set(each)) > 1]
    if len(varied) >= 3 and all(each == sorted(each, key=float) for each in varied):  # type: ignore[arg-type]
        problem = "scores rise along every retrieved list, as distances do"
        how = "higher scores rank first; to rank by the order of the lists, use `map='scores='`"
        reading.faults.append(Fault(reading.source, "", problem, how))


def _check_folds(reading: _Reading) -> None:
    if "fold" not in reading.fields:
        return
    folds: dict[str, str] = {}
    for each in reading.questions:
        if each.fold is None:
            reading.faults.append(
                Fault(reading.source, each.place, "has no fold", "expected one per question")
            )
        elif folds.setdefault(each.post_id, each.fold) != each.fold:
            problem = f"group {shown(each.post_id)} is in fold {shown(folds[each.post_id])} too"
            reading.faults.append(Fault(reading.source, each.place, problem, "a group has one fold"))


def _notes(reading: _Reading, texts: int) -> Iterator[str]:
    counts = reading.counts
    yield "fields: " + ", ".join(f"{role} = {name}" for role, name in reading.fields.items())
    if counts["unjudged"]:
        yield f"{counts['unjudged']:,} records have no value for gold: left out as not judged"
    if counts["repeated"]:
        yield f"{counts['repeated']:,} retrieved chunks repeat one of their list: the first place counts"
    if texts:
        yield f"{texts:,} chunk ids have several texts: the first one is kept"
    if all(each.number is None for one in reading.questions for each in one.retrieved):
        yield (
            "no retrieval scores: the order of each list is used, and measures that compare scores between "
            "questions (pair_auroc, score_auroc, nauc) mean nothing"
        )
