"""`read_log`: the log of a RAG or QA system as a corpus and predictions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from assay.data.corpus import Corpus
from assay.data.input_types import TableLike
from assay.data.logs.log_checks import check_questions
from assay.data.logs.log_fields import NULL, NULL_GOLD, fields_of
from assay.data.logs.log_questions import read_questions
from assay.data.logs.log_recognition import not_used, recognise
from assay.data.logs.log_records import LogReading, read_records
from assay.data.logs.log_rows import holds_log, is_table_file, read_rows
from assay.data.logs.log_tables import corpus_of, predictions_of
from assay.data.predictions import Predictions
from assay.errors import InputError, shown
from assay.files.input_file import InputFile

MANY, LONG = 3, 30
"""Questions with the same gold, and characters of it, that are worth a note; longer ones may be text."""


@dataclass(frozen=True, slots=True, repr=False)
class Log:
    """A log as what was asked and what was answered, and how it was read."""

    corpus: Corpus
    predictions: Predictions
    format: str
    fields: Mapping[str, str]  # by role: question, retrieved, gold, …
    notes: tuple[str, ...]

    def __repr__(self) -> str:
        """Return its name, its size and how it was read, without the texts."""
        head = f"Log({self.corpus.name!r}, {self.corpus.queries.frame.height:,} questions)"
        return "\n".join(
            (head, *(repr(note)[1:-1] for note in self.notes))
        )  # repr: names of fields may be odd


def read_log(
    path: str | Path | TableLike,
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
        Inspect; also a CSV or Parquet file, a data frame or a list of dicts, with one row per question.
    map
        The field of each role that is not recognised by its name: question, id, retrieved, scores,
        texts, gold, confidence, answered, answerable, group, fold; a mapping, or "question=q,retrieved=docs".
        `metadata.docs` is a field of a field, `confidence=p%` one in percent, and an empty name leaves
        a role out. "null=unanswerable" takes a null or missing gold for an empty list.
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
    named = fields_of(map)
    if isinstance(path, str | Path) and not is_table_file(path):
        records = read_records(InputFile(path), format)
    else:
        records = read_rows(path, named, format)
    null = named.pop(NULL, NULL_GOLD[0])
    fields = recognise(records, named)
    reading = read_questions(records, fields, named=named, null_is_empty=null == NULL_GOLD[1])
    if not reading.faults:
        check_questions(reading)
    if reading.faults:
        raise InputError(reading.faults)
    corpus, texts = corpus_of(reading.questions, records.source, records.file)
    predictions = predictions_of(reading.questions, records.source, records.file)
    return Log(
        corpus,
        predictions,
        records.format,
        reading.fields,
        (*_notes(reading, texts), *not_used(records, fields, named)),
    )


def is_log(given: object) -> bool:
    """Return whether something is the path of a file that can be a log, or a table that is one."""
    if not isinstance(given, str | Path) or is_table_file(given):
        return holds_log(given)
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


def _notes(reading: LogReading, texts: int) -> Iterator[str]:
    counts = reading.counts
    yield "fields: " + ", ".join(f"{role} = {name}" for role, name in reading.fields.items())
    if counts["unjudged"]:
        yield (
            f"{_have(counts['unjudged'])} no value for gold: left out as not judged; if they are "
            f"unanswerable, use `map='{NULL}={NULL_GOLD[1]}'`"
        )
    if counts["unanswerable"]:
        yield (
            f"{_have(counts['unanswerable'])} no value for gold: unanswerable, as "
            f"{reading.fields['answerable']} says"
        )
    if reading.contradicted:
        yield f"field {reading.contradicted}"
    if counts["null"]:
        yield f"{_have(counts['null'])} no value for gold: taken for unanswerable"
    if counts["said none"]:
        yield (
            f"{_have(counts['said none'])} a word such as N/A for gold: taken for an empty list, "
            "unanswerable; if they are not judged, write null"
        )
    if counts["repeated"]:
        yield f"{counts['repeated']:,} retrieved chunks repeat one of their list: the first place counts"
    retrieved, gold = (
        {each.id for one in reading.questions for each in getattr(one, role)}
        for role in ("retrieved", "gold")
    )
    if not retrieved & gold:
        yield "no chunk of gold was retrieved for any question: compare the ids (or texts) of both fields"
    yield from _repeated_gold(reading)
    if texts:
        yield f"{texts:,} chunk ids have several texts: the first one is kept"
    if all(each.number is None for one in reading.questions for each in one.retrieved):
        yield (
            "no retrieval scores: the order of each list is used, and measures that compare scores between "
            "questions (pair_auroc, score_auroc, nauc) mean nothing"
        )


def _repeated_gold(reading: LogReading) -> Iterator[str]:
    """Yield a sentence where many questions have the same single gold id, which was never retrieved."""
    retrieved = {each.id for one in reading.questions for each in one.retrieved}
    single = Counter(one.gold[0].key for one in reading.questions if len(one.gold) == 1)
    missed = {name: count for name, count in single.items() if name is not None and name not in retrieved}
    name = max(missed, key=missed.__getitem__, default="")
    often = missed.get(name, 0) >= MANY and len(reading.questions) <= 10 * missed[name]
    if often and len(name) <= LONG:
        yield (
            f"gold of {missed[name]:,} questions is {shown(name)} alone, which was never retrieved: if it "
            "means that there is none, write an empty list"
        )


def _have(count: int) -> str:
    return f"{count:,} {'record has' if count == 1 else 'records have'}"
