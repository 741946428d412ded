"""The records of a log: JSON lines, a JSON list, or the files that ragas, DeepEval and Inspect write."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from assay.data.logs.log_fields import ROLES, field_of, squeezed
from assay.data.logs.log_tables import Question
from assay.data.readers.file_kinds import JSON, LINES
from assay.data.readers.file_kinds import read_records as read_json_records
from assay.data.readers.text_blocks import head_of
from assay.errors import Fault, InputError
from assay.files.input_file import InputFile

FORMATS = ("auto", "log", "ragas", "deepeval", "inspect")
LINE_ENDINGS = (".jsonl", ".ndjson")
ZIP = b"PK\x03\x04"
CASES = ("testCases", "test_cases", "goldens")
"""Fields of a DeepEval test run or data set that hold its test cases."""
WRAPPED = "testRunData"
"""The field of DeepEval's `.latest_test_run.json` that holds the test run."""
QUESTIONS = {squeezed(name) for name in ROLES["question"][1].split()}
NOT_INSPECT = "expected a JSON log with samples; `inspect log convert` writes one"


@dataclass(frozen=True, slots=True)
class Record:
    """One question of a log, and where it is."""

    place: str
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Records:
    """The records of a file and the format that they are in."""

    source: str
    format: str
    rows: list[Record]
    file: InputFile | None


@dataclass(slots=True)
class LogReading:
    """What is collected while the records are read."""

    source: str
    fields: Mapping[str, str]
    questions: list[Question] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    contradicted: str = ""  # why a field that was recognised is not used

    def wrong(self, row: Record, problem: str, expected: str) -> None:
        """Add a fault of a record."""
        self.faults.append(Fault(self.source, row.place, problem, expected))

    def value(self, row: Record, role: str) -> Any:
        """Return the value of the field that has a role; None where there is none."""
        return field_of(row.fields, self.fields[role]) if role in self.fields else None


def read_records(file: InputFile, chosen: str) -> Records:
    """Return the records of a log; `chosen` is one of FORMATS."""
    if chosen not in FORMATS:
        expected = f"expected one of {', '.join(FORMATS)}"
        raise InputError.of("`format`", f"is {chosen!r}", expected)
    _refuse_archive(file)
    kind, listed = _format(_document(file), chosen, file.name)
    rows = [each for each in listed if isinstance(each.fields, dict)]
    if len(rows) < len(listed):
        wrong = (each for each in listed if not isinstance(each.fields, dict))
        raise InputError(
            Fault(file.name, each.place, "is not an object", "expected fields in braces") for each in wrong
        )
    if not rows:
        raise InputError.of(file.name, "has no record", "expected at least one question")
    if kind == "inspect":
        rows = _inspect(rows)
    return Records(file.name, kind, rows, file)


def _refuse_archive(file: InputFile) -> None:
    if head_of(file).startswith(ZIP):
        raise InputError.of(file.name, "is a zip archive, such as an .eval log of Inspect", NOT_INSPECT)


def _document(file: InputFile) -> Any:
    """Return the records of JSON lines, or the whole document where the file is a single one."""
    kind = LINES if file.name.lower().removesuffix(".gz").endswith(LINE_ENDINGS) else JSON
    document, lines = read_json_records(file, kind)
    if len(lines) < 2:
        return document[0] if lines else document
    return [Record(f"line {number}", row) for number, row in zip(lines, document, strict=True)]


def _format(document: Any, chosen: str, source: str) -> tuple[str, list[Record]]:
    """Return the format of a document and its records."""
    if isinstance(document, list) and all(isinstance(each, Record) for each in document):
        kind = chosen if chosen != "auto" else by_fields(each.fields for each in document)
        return kind, document
    if isinstance(document, dict):
        if isinstance(document.get(WRAPPED), dict):
            document = document[WRAPPED]
        if isinstance(document.get("samples"), list) and "eval" in document and chosen in ("auto", "inspect"):
            return "inspect", _numbered(document["samples"], "sample")
        cases = next((name for name in CASES if isinstance(document.get(name), list)), None)
        if cases is not None and chosen in ("auto", "deepeval"):
            return "deepeval", _numbered(document[cases], "test case")
    if chosen == "inspect":
        raise InputError.of(source, "is not an Inspect log", NOT_INSPECT)
    document = _unwrapped(document)
    if isinstance(document, list):
        kind = chosen if chosen != "auto" else by_fields(document)
        return kind, _numbered(document, "record")
    kind = chosen if chosen != "auto" else by_fields([document])
    return kind, [Record("line 1", document)]


def _unwrapped(document: Any) -> Any:
    """Return the only list of objects of a document that is no question itself, as in `{"data": […]}`."""
    if not isinstance(document, dict) or {squeezed(str(name)) for name in document} & QUESTIONS:
        return document
    lists = [
        each
        for each in document.values()
        if isinstance(each, list) and each and all(isinstance(row, dict) for row in each)
    ]
    return lists[0] if len(lists) == 1 else document


def _numbered(rows: Iterable[Any], what: str) -> list[Record]:
    return [Record(f"{what} {number}", row) for number, row in enumerate(rows, start=1)]


def by_fields(rows: Iterable[Any]) -> str:
    """Return the format that the names of fields show."""
    names = {name for row in rows if isinstance(row, dict) for name in row}
    if "user_input" in names and names & {"retrieved_contexts", "retrieved_context_ids"}:
        return "ragas"
    if "input" in names and names & {"retrieval_context", "retrievalContext"}:
        return "deepeval"
    return "log"


def _inspect(rows: list[Record]) -> list[Record]:
    """Return samples with the text of their input; the epochs of a sample are one group."""
    many = len({str(row.fields.get("epoch")) for row in rows}) > 1
    made = []
    for row in rows:
        fields = {**row.fields, "input": _prompt(row.fields.get("input"))}
        if many:
            name = row.fields.get("id")
            fields |= {"id": f"{name} epoch {row.fields.get('epoch')}", "group": name}
        made.append(Record(row.place, fields))
    return made


def _prompt(given: Any) -> Any:
    """Return the text of the last user message of a conversation."""
    if not isinstance(given, list):
        return given
    asked = [each for each in given if isinstance(each, dict) and each.get("role") == "user"]
    content = asked[-1].get("content") if asked else None
    if isinstance(content, list):
        parts = [each.get("text") for each in content if isinstance(each, dict)]
        content = "\n".join(part for part in parts if isinstance(part, str))
    return content
