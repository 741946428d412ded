"""NoMIRACL: responses of models on queries with and without a relevant passage."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import polars as pl

from assay.data.tasks.task_files import Lines, floats, grouped, json_lines
from assay.data.tasks.task_input import EVIDENCE, NO_GOLD, TaskInput
from assay.errors import Fault, InputError, shown
from assay.files.input_file import InputFile

CONTRACT = "nomiracl/1"
ANSWERABLE, UNANSWERABLE, INVALID = "answerable", "unanswerable", "invalid"
YES, DONT_KNOW = "yes, answer is present", "i don't know"
PASSAGE = re.compile(r"\[\d+\]")
SHORT = 10
"""A response of fewer characters that cites a passage is an answer."""
SUBSETS = ("relevant", "non_relevant")


class Response(NamedTuple):
    """How a response was read, of a query of a subset."""

    query: str
    subset: str
    said: str


def read_response(text: str) -> str:
    """Return what a response says: that the passages have an answer, that they have none, or neither.

    >>> read_response("I don't know."), read_response("see [2]"), read_response("No")
    ('unanswerable', 'answerable', 'invalid')
    """
    said = text.replace("\n", " ").replace("\t", " ").lower()
    if DONT_KNOW in said:
        return INVALID if YES in said else UNANSWERABLE
    if "answer is present" in said:
        return ANSWERABLE
    if "answer is not present" in said:
        return UNANSWERABLE
    return ANSWERABLE if len(said) < SHORT and PASSAGE.search(said) else INVALID


def read_nomiracl(
    relevant: str | Path | None = None,
    non_relevant: str | Path | None = None,
    *,
    models: Sequence[str] | None = None,
) -> list[TaskInput]:
    """Return each model with its responses on one subset or both; `models` selects some of them."""
    paths = [(subset, path) for subset, path in zip(SUBSETS, (relevant, non_relevant), strict=True) if path]
    if not paths:
        expected = "expected `relevant`, `non_relevant` or both"
        raise InputError.of("nomiracl", "no file with responses was given", expected)
    files = [InputFile(path) for _, path in paths]
    responses: dict[str, list[Response]] = {}
    faults: list[Fault] = []
    for (subset, _), file in zip(paths, files, strict=True):
        faults += _read(responses, json_lines(file, "responses per line"), subset, file.name)
    if faults:
        raise InputError(faults)
    unknown = [name for name in models or () if name not in responses]
    if unknown:
        expected = f"expected one of {', '.join(sorted(responses))}"
        raise InputError.of("`model`", f"{shown(unknown[0])} has no response", expected)
    return [_task(name, responses[name], files) for name in models or responses]


def _read(responses: dict[str, list[Response]], rows: Lines, subset: str, source: str) -> list[Fault]:
    """Add the responses of a file by model, or return what is wrong with it."""
    faults = []
    seen: set[str] = set()
    for number, row in rows:
        query, results = row.get("query_id"), row.get("results")
        problem = ""
        if not isinstance(query, str | int):
            problem = f"query_id is {shown(query)}" if "query_id" in row else "has no query_id"
        elif not isinstance(results, dict) or not results:
            problem = "has no results"
        elif str(query) in seen:
            problem = f"has the query {shown(query)} again"
        elif not all(isinstance(text, str) for text in results.values()):
            name = next(name for name, text in results.items() if not isinstance(text, str))
            problem = f"the response of {shown(name)} is not text"
        if problem:
            expected = "expected query_id and results, an object from model to response"
            faults.append(Fault(source, f"line {number}", problem, expected))
            continue
        seen.add(str(query))
        assert isinstance(results, dict), "it was checked above"
        for name, text in results.items():
            responses.setdefault(name, []).append(Response(str(query), subset, read_response(text)))
    return faults


def _task(name: str, responses: Sequence[Response], files: Sequence[InputFile]) -> TaskInput:
    queries = [f"{each.subset}/{each.query}" for each in responses]
    found = [query for query, each in zip(queries, responses, strict=True) if each.subset == SUBSETS[0]]
    gold = pl.DataFrame(
        {"query_id": found, "item": [EVIDENCE] * len(found), "grade": [1.0] * len(found)},
        schema=NO_GOLD.schema,
    )
    return TaskInput(
        name=name,
        contract=CONTRACT,
        queries=tuple(queries),
        facts={
            "said_answerable": floats(each.said == ANSWERABLE for each in responses),
            "said_unanswerable": floats(each.said == UNANSWERABLE for each in responses),
        },
        groupings={
            "subset": grouped([each.subset for each in responses]),
            "said": grouped([each.said for each in responses]),
        },
        gold=gold,
        files=tuple(files),
    )
