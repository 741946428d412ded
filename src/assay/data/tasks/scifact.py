"""SciFact: claims with evidence abstracts, each with a label and rationales of sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from assay.data.cases import FACTS
from assay.data.tasks.task_files import Lines, floats, json_lines, system_name
from assay.data.tasks.task_input import TaskInput
from assay.errors import Fault, InputError, shown
from assay.files.input_file import InputFile

CONTRACT = "scifact/1"
LEADERBOARD, PIPELINE = SCORERS = ("leaderboard", "pipeline")
LABELS = ("SUPPORT", "CONTRADICT")
KEPT = 3
"""Sentences of an abstract that count at abstract level, at least."""
GOLD_FORMAT = "expected evidence as {document: [{sentences, label}]}"
FORMAT = "expected evidence as {document: {sentences, label}}"
FROM_LEADERBOARD = ("abstracts_rationalized",)
"""Numbers that the pipeline's scorer does not have."""


class Abstract(NamedTuple):
    """An evidence abstract of a claim: its label and its rationales."""

    label: str
    rationales: list[list[int]]


class Predicted(NamedTuple):
    """A predicted abstract: its label and its sentences, in the order of the file."""

    label: str
    sentences: list[int]


Gold = dict[str, Abstract]
Answer = dict[str, Predicted]


def read_scifact(data: str | Path, predictions: str | Path, *, scorer: str = LEADERBOARD) -> list[TaskInput]:
    """Return the claims of one system.

    The leaderboard's scorer wants all claims in the order of the data; that of the research pipeline
    takes any, in any order, and scores them alone.
    """
    if scorer not in SCORERS:
        raise InputError.of("`scorer`", f"is {shown(scorer)}", f"expected {' or '.join(SCORERS)}")
    files = [InputFile(path) for path in (data, predictions)]
    data_rows, rows = (json_lines(file, "a claim per line") for file in files)
    known, faults = _gold(data_rows, files[0].name)
    answers, more = _answers(rows, files[1].name)
    faults += more
    if not faults:
        faults += _other_types(data_rows, rows, files)
    if not faults:
        faults += _other_claims(list(known), list(answers), files, scorer)
    if not faults:
        faults += _shared_sentences(known, answers, files[0].name)
    if faults:
        raise InputError(faults)
    return [_task(system_name(predictions), known, answers, scorer, files)]


def _task(
    name: str,
    known: Mapping[str, Gold],
    answers: Mapping[str, Answer],
    scorer: str,
    files: Sequence[InputFile],
) -> TaskInput:
    counted = [_counts(known[claim], answer) for claim, answer in answers.items()]
    gold = [
        (claim, f"{document}/{sentence}", 1.0, f"{document}/rationale {number}")
        for claim in answers
        for document, abstract in known[claim].items()
        for number, rationale in enumerate(abstract.rationales, start=1)
        for sentence in dict.fromkeys(rationale)
    ]
    listed = []
    for claim, answer in answers.items():
        items = [f"{document}/{each}" for document, found in answer.items() for each in found.sentences]
        listed += [(claim, item, float(-place)) for place, item in enumerate(items, start=1)]
    text, number = pl.String, pl.Float64
    names = [each for each in FACTS if each.startswith(("abstracts_", "rationales_"))]
    return TaskInput(
        name=name,
        contract=CONTRACT,
        queries=tuple(answers),
        facts={
            each: floats(counts[each] for counts in counted)
            for each in names
            if scorer == LEADERBOARD or each not in FROM_LEADERBOARD
        },
        groupings={},
        gold=pl.DataFrame(
            gold, schema={"query_id": text, "item": text, "grade": number, "group": text}, orient="row"
        ),
        candidates=pl.DataFrame(
            listed, schema={"query_id": text, "item": text, "score": number}, orient="row"
        ),
        predicted_lists=True,
        files=tuple(files),
    )


def _counts(gold: Gold, answer: Answer) -> dict[str, int]:
    """Return the counts of one claim, by their names in FACTS."""
    right = {name: found.label == gold[name].label for name, found in answer.items() if name in gold}
    credited = {name: _in_whole_rationales(gold[name], answer[name]) for name in right}
    return {
        "abstracts_relevant": len(gold),
        "abstracts_retrieved": len(answer),
        "abstracts_labelled": sum(right.values()),
        "abstracts_rationalized": sum(
            right[name] and _has_rationale(gold[name], answer[name], max(KEPT, _shortest(gold[name])))
            for name in right
        ),
        "abstracts_rationalized_3": sum(
            right[name] and _has_rationale(gold[name], answer[name], KEPT) for name in right
        ),
        "rationales_relevant": sum(len(each) for abstract in gold.values() for each in abstract.rationales),
        "rationales_retrieved": sum(len(found.sentences) for found in answer.values()),
        "rationales_selected": sum(credited.values()),
        "rationales_labelled": sum(credited[name] for name in right if right[name]),
    }


def _shortest(abstract: Abstract) -> int:
    return min(len(set(each)) for each in abstract.rationales)  # a sentence that is listed twice is one


def _has_rationale(abstract: Abstract, found: Predicted, kept: int) -> bool:
    """Return whether a whole rationale is among the first sentences."""
    first = set(found.sentences[:kept])
    return any(first.issuperset(rationale) for rationale in abstract.rationales)


def _in_whole_rationales(abstract: Abstract, found: Predicted) -> int:
    """Return how many sentences are in rationales that were predicted as a whole."""
    predicted = set(found.sentences)
    return sum(len(set(each)) for each in abstract.rationales if predicted.issuperset(each))


def _gold(rows: Lines, source: str) -> tuple[dict[str, Gold], list[Fault]]:
    made: dict[str, Gold] = {}
    faults = []
    for number, row in rows:
        problem = _claim_problem(row, made) or _gold_problem(row["evidence"])
        if problem:
            faults.append(Fault(source, f"line {number}", problem, GOLD_FORMAT))
        else:
            made[str(row["id"])] = {
                str(document): Abstract(found[0]["label"], [each["sentences"] for each in found])
                for document, found in row["evidence"].items()
            }
    return made, faults


def _answers(rows: Lines, source: str) -> tuple[dict[str, Answer], list[Fault]]:
    made: dict[str, Answer] = {}
    faults = []
    for number, row in rows:
        problem, expected = _claim_problem(row, made), FORMAT
        if not problem:
            problem, expected = _answer_problem(row["evidence"])
        if problem:
            faults.append(Fault(source, f"line {number}", problem, expected))
        else:
            made[str(row["id"])] = {
                str(document): Predicted(found["label"], found["sentences"])
                for document, found in row["evidence"].items()
            }
    return made, faults


def _claim_problem(row: Mapping[str, Any], known: Mapping[str, object]) -> str:
    """Return what is wrong with the id and the evidence of a line; empty where nothing is."""
    identity = row.get("id")
    if not isinstance(identity, int | str):
        return f"id is {shown(identity)}" if "id" in row else "has no id"
    if str(identity) in known:
        return f"has the claim {shown(identity)} again"
    return "" if isinstance(row.get("evidence"), dict) else "has no evidence object"


def _gold_problem(evidence: Mapping[str, Any]) -> str:
    for document, found in evidence.items():
        if not isinstance(found, list) or not found or not all(map(_is_rationale, found)):
            return f"the evidence in document {shown(document)} has another form"
        if len({each["label"] for each in found}) > 1:
            return f"the rationales of document {shown(document)} have different labels"
    return ""


def _answer_problem(evidence: Mapping[str, Any]) -> tuple[str, str]:
    for document, found in evidence.items():
        if not _is_rationale(found):
            return f"the evidence in document {shown(document)} has another form", FORMAT
        if found["label"] not in LABELS:
            expected = f"expected {' or '.join(LABELS)}; leave out documents without evidence"
            return f"the label of document {shown(document)} is {shown(found['label'])}", expected
    return "", ""


def _is_rationale(found: Any) -> bool:
    if not isinstance(found, dict) or not isinstance(found.get("label"), str):
        return False
    sentences = found.get("sentences")
    return isinstance(sentences, list) and all(
        isinstance(each, int) and not isinstance(each, bool) for each in sentences
    )


def _other_types(known: Lines, given: Lines, files: Sequence[InputFile]) -> list[Fault]:
    """Return a fault for each id that is a text in one file and a number in the other."""
    types = {str(row["id"]): type(row["id"]) for _, row in known}
    return [
        Fault(
            files[1].name,
            f"line {number}",
            f"id is {row['id']!r}, and of another type in {files[0].name}",
            "expected a number in both files, or a text in both",
        )
        for number, row in given
        if types.get(str(row["id"]), type(row["id"])) is not type(row["id"])
    ]


def _other_claims(
    known: Sequence[str], given: Sequence[str], files: Sequence[InputFile], scorer: str
) -> list[Fault]:
    """Return faults for claims that are not those of the data, or not in its order."""
    source, listed = files[1].name, set(known)
    unknown = [name for name in given if name not in listed]
    if unknown:
        problem = f"has {len(unknown):,} claims that {files[0].name} lacks, the first {shown(unknown[0])}"
        return [Fault(source, "", problem, "expected claims of the data")]
    if scorer == PIPELINE or known == given:
        return []
    if len(known) > len(given):
        listed = set(given)
        missing = next(name for name in known if name not in listed)
        problem = f"lacks {len(known) - len(given):,} of {len(known):,} claims, the first {shown(missing)}"
    else:
        first = next(at for at, (a, b) in enumerate(zip(known, given, strict=True)) if a != b)
        problem = f"has the claims in another order, from claim {shown(given[first])} on"
    expected = "expected all claims in the order of the data; `scorer='pipeline'` takes any"
    return [Fault(source, "", problem, expected)]


def _shared_sentences(known: Mapping[str, Gold], answers: Mapping[str, Answer], source: str) -> list[Fault]:
    """Return a fault for every predicted sentence that is in two rationales: its credit is undefined."""
    faults = []
    for claim, answer in answers.items():
        for document, found in answer.items():
            rationales = known[claim][document].rationales if document in known[claim] else []
            times = Counter(each for rationale in rationales for each in set(rationale))
            for each in dict.fromkeys(found.sentences):
                if times[each] > 1:
                    problem = f"claim {claim}: sentence {each} is in two rationales of {document}"
                    faults.append(Fault(source, "", problem, "expected one"))
    return faults
