"""FEVER: claims with a label and groups of evidence sentences, one JSON object per line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from assay.data.tasks.task_files import Lines, distinct, floats, grouped, json_lines, system_name
from assay.data.tasks.task_input import TaskInput
from assay.errors import Fault, InputError, shown
from assay.files.input_file import InputFile

CONTRACT = "fever/1"
UNVERIFIABLE = "NOT ENOUGH INFO"
FORMAT = "expected a list of [page, line] with a text and a whole number"
GOLD_FORMAT = "expected groups of [annotation, evidence id, page, line]"
Sentence = list[Any]


class Claim(NamedTuple):
    """A claim as the scorer sees it; `groups` are the sentences of each gold group."""

    label: str
    predicted: str
    groups: list[list[str]]
    sentences: list[str]


def read_fever(predictions: str | Path, data: str | Path | None = None) -> list[TaskInput]:
    """Return the claims of one system.

    Gold is in the lines of the predictions, or in the same line of `data`.
    """
    files = [InputFile(path) for path in (predictions, *([data] if data is not None else []))]
    rows = json_lines(files[0], "a claim per line")
    faults: list[Fault] = []
    if data is not None:
        rows, faults = _with_gold(rows, json_lines(files[1], "a claim per line"), files)
    claims = []
    for number, row in rows:
        found = list(_faults(row, files[0].name, f"line {number}"))
        faults += found
        if not found:
            claims.append(_claim(row))
    if faults:
        raise InputError(faults)
    names = distinct([str(row.get("id", f"line {number}")) for number, row in rows])
    return [_task(system_name(predictions), names, claims, files)]


def _task(name: str, names: Sequence[str], claims: Sequence[Claim], files: Sequence[InputFile]) -> TaskInput:
    gold = [
        (query, item, 1.0, f"g{number}")
        for query, claim in zip(names, claims, strict=True)
        for number, group in enumerate(_different(claim.groups), start=1)
        for item in group
    ]
    listed = [
        (query, item, float(-place))
        for query, claim in zip(names, claims, strict=True)
        for place, item in enumerate(claim.sentences, start=1)
    ]
    text, number = pl.String, pl.Float64
    return TaskInput(
        name=name,
        contract=CONTRACT,
        queries=tuple(names),
        facts={
            "label_correct": floats(claim.label == claim.predicted for claim in claims),
            "verifiable": floats(claim.label != UNVERIFIABLE for claim in claims),
            "vacuous_evidence": floats(_vacuous(claim) for claim in claims),
        },
        groupings={
            "gold_label": grouped([claim.label for claim in claims]),
            "predicted_label": grouped([claim.predicted for claim in claims]),
        },
        gold=pl.DataFrame(
            gold, schema={"query_id": text, "item": text, "grade": number, "group": text}, orient="row"
        ),
        candidates=pl.DataFrame(
            listed, schema={"query_id": text, "item": text, "score": number}, orient="row"
        ),
        predicted_lists=True,
        files=tuple(files),
    )


def _claim(row: Mapping[str, Any]) -> Claim:
    label = row["label"].upper()
    judged = label != UNVERIFIABLE
    groups = [[_sentence(each[2:4]) for each in group] for group in row["evidence"]] if judged else []
    sentences = [_sentence(each) for each in row["predicted_evidence"]]
    return Claim(label, row["predicted_label"].upper(), groups, sentences)


def _vacuous(claim: Claim) -> int:
    """Return 1 where a verifiable claim has no group, 2 where a group has no sentence, else 0."""
    if claim.label == UNVERIFIABLE:
        return 0
    return 1 if not claim.groups else 2 if any(not group for group in claim.groups) else 0


def _different(groups: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return the groups without repeated ones, and each sentence once."""
    return [sorted(group) for group in dict.fromkeys(frozenset(group) for group in groups) if group]


def _sentence(given: Any) -> str:
    """Return the id of a sentence: equal where the lists are equal, as [page, true] and [page, 1] are."""
    if isinstance(given, list) and len(given) == 2 and isinstance(given[0], str):
        page, line = given
        if isinstance(line, bool | int) or (isinstance(line, float) and line.is_integer()):
            return f"{page}#{int(line)}"
    return json.dumps([given], ensure_ascii=False)  # ends in a bracket, which no other id does


def _with_gold(rows: Lines, gold: Lines, files: Sequence[InputFile]) -> tuple[Lines, list[Fault]]:
    """Return the predictions with label and evidence of the same line of the gold file."""
    if len(rows) != len(gold):
        problem = f"has {len(rows):,} claims, {files[1].name} has {len(gold):,}"
        raise InputError.of(files[0].name, problem, "expected the same claims in the same order")
    faults = []
    for (number, row), (_, known) in zip(rows, gold, strict=True):
        place = f"line {number}"
        if "id" in row and "id" in known and row["id"] != known["id"]:
            problem = f"id is {shown(row['id'])}, {files[1].name} has {shown(known['id'])} there"
            expected = "expected the same claims in the same order"
            faults.append(Fault(files[0].name, place, problem, expected))
        faults += [
            Fault(
                files[0].name, place, f"{name} is not that of {files[1].name}", "expected the same, or none"
            )
            for name in ("label", "evidence")
            if name in row and name in known and row[name] != known[name]
        ]
    made = [
        (number, {**row, **{name: known[name] for name in ("label", "evidence") if name in known}})
        for (number, row), (_, known) in zip(rows, gold, strict=True)
    ]
    return made, faults


def _faults(row: Mapping[str, Any], source: str, place: str) -> Iterator[Fault]:
    for name in ("label", "predicted_label"):
        if not isinstance(row.get(name), str):
            problem = f"{name} is {shown(row[name])}" if name in row else f"has no {name}"
            yield Fault(source, place, problem, "expected a label such as SUPPORTS")
    if "evidence" not in row:
        yield Fault(source, place, "has no evidence", "expected gold evidence, here or in `data`")
    elif not _unverifiable(row) and not _is_gold(row["evidence"]):
        yield Fault(source, place, "evidence has another form", GOLD_FORMAT)
    given = row.get("predicted_evidence")
    if not isinstance(given, list):
        problem = (
            "predicted_evidence is not a list" if "predicted_evidence" in row else "has no predicted_evidence"
        )
        yield Fault(source, place, problem, FORMAT)
    elif _right_label(row):  # the scorer looks at the form only then
        for number, each in enumerate(given, start=1):
            problem = _form(each)
            if problem:
                yield Fault(source, place, f"predicted sentence {number} {problem}", FORMAT)
    else:
        for number in _without_line(row, given):
            vague = f"predicted sentence {number} has no line, as in gold"
            yield Fault(source, place, vague, "expected sentences with a line")


def _right_label(row: Mapping[str, Any]) -> bool:
    label, predicted = row.get("label"), row.get("predicted_label")
    return isinstance(label, str) and isinstance(predicted, str) and label.upper() == predicted.upper()


def _unverifiable(row: Mapping[str, Any]) -> bool:
    return isinstance(row.get("label"), str) and row["label"].upper() == UNVERIFIABLE


def _without_line(row: Mapping[str, Any], given: Sequence[Any]) -> list[int]:
    """Return the predicted sentences that are gold without a line: right for recall, wrong for precision."""
    if _unverifiable(row) or not _is_gold(row.get("evidence")):
        return []
    vague = [each[2:4] for group in row["evidence"] for each in group if each[3] is None]
    return [number for number, each in enumerate(given, start=1) if each in vague]


def _is_gold(evidence: Any) -> bool:
    return isinstance(evidence, list) and all(
        isinstance(group, list) and all(isinstance(each, list) and len(each) >= 4 for each in group)
        for group in evidence
    )


def _form(sentence: Any) -> str:
    """Return what is wrong with a predicted sentence; empty where nothing is."""
    if not isinstance(sentence, list):
        return f"is {shown(sentence)}"
    if len(sentence) != 2:
        return f"has {len(sentence)} items"
    page, line = sentence
    if not isinstance(page, str):
        return f"has the page {shown(page)}"
    return "" if isinstance(line, int) else f"has the line {shown(line)}"
