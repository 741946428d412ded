"""SQuAD 2.0: the official data, `id: answer` predictions and no-answer probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from assay.data.tasks.squad2_answers import exact_and_f1, expected_answers
from assay.data.tasks.task_files import floats, grouped, is_number, json_object, lacking, system_name
from assay.data.tasks.task_input import EVIDENCE, TaskInput
from assay.errors import Fault, InputError, shown
from assay.files.input_file import InputFile

CONTRACT = "squad2/1"
PREDICTIONS = "an object from question id to answer text"
NUMBER = "expected a number from -1e300 to 1e300"
NA_PROB = "an object from question id to no-answer probability"


class Question(NamedTuple):
    """A question: its paragraph, the article, the answers that count, and whether there is one."""

    paragraph: str
    article: str
    expected: list[str]
    answerable: bool


def read_squad2_files(
    data: str | Path,
    predictions: str | Path,
    *,
    na_prob: str | Path | None = None,
    na_prob_thresh: float | None = None,
) -> list[TaskInput]:
    """Return the predictions of one system, compared with the answers of the data set."""
    files = [InputFile(path) for path in (data, predictions, *([na_prob] if na_prob is not None else []))]
    questions = questions_of(json_object(files[0], "the data of SQuAD 2.0"), files[0].name)
    answers = json_object(files[1], PREDICTIONS)
    faults = answer_faults(answers, questions, files[1].name)
    withheld: dict[str, Any] = {}
    if na_prob is not None:
        withheld = json_object(files[2], NA_PROB)
        faults += _na_prob_faults(withheld, questions, files[2].name)
    if faults:
        raise InputError(faults)
    scores = [exact_and_f1(answers[name], each.expected) for name, each in questions.items()]
    facts = {
        "answer_exact": floats(exact for exact, _ in scores),
        "answer_f1": floats(f1 for _, f1 in scores),
        "answer_given": floats(bool(answers[name]) for name in questions),
    }
    prob = None
    if na_prob is not None:
        places = {name: place for place, name in enumerate(withheld)}
        facts["na_prob"] = floats(withheld[name] for name in questions)
        facts["na_place"] = floats(places[name] for name in questions)
        if ((facts["na_prob"] >= 0) & (facts["na_prob"] <= 1)).all():
            prob = 1.0 - facts["na_prob"]
    found = [name for name, each in questions.items() if each.answerable]
    unknown = len(set(answers) - set(questions))
    made = TaskInput(
        name=system_name(predictions),
        contract=CONTRACT,
        queries=tuple(questions),
        facts=facts,
        groupings={
            "post_id": grouped([each.paragraph for each in questions.values()]),
            "article": grouped([each.article for each in questions.values()]),
        },
        gold=pl.DataFrame(
            {"query_id": found, "item": [EVIDENCE] * len(found), "grade": [1.0] * len(found)},
            schema={"query_id": pl.String, "item": pl.String, "grade": pl.Float64},
        ),
        prob=prob,
        options={} if na_prob_thresh is None else {"na_prob_thresh": na_prob_thresh},
        notes=(f"{unknown:,} predictions are for unknown questions: left out",) if unknown else (),
        files=tuple(files),
    )
    return [made]


def questions_of(document: Mapping[str, Any], source: str) -> dict[str, Question]:
    """Return the questions by id, in the order of the file."""
    articles = document.get("data")
    if not isinstance(articles, list):
        raise InputError.of(source, "has no list 'data'", "expected the data of SQuAD 2.0")
    found: dict[str, Question] = {}
    faults: list[Fault] = []
    number = 0
    for at, article in enumerate(articles, start=1):
        paragraphs = article.get("paragraphs") if isinstance(article, dict) else None
        if not isinstance(paragraphs, list):
            problem, expected = f"article {at} has no list of paragraphs", "expected the data of SQuAD 2.0"
            faults.append(Fault(source, "", problem, expected))
            continue
        for paragraph in paragraphs:
            number += 1
            title = str(article.get("title", f"article {at}"))
            faults += _add(found, paragraph, f"p{number}", title, source)
    if not found and not faults:
        faults.append(Fault(source, "", "has no question", "expected the data of SQuAD 2.0"))
    if faults:
        raise InputError(faults)
    return found


def _add(found: dict[str, Question], paragraph: Any, name: str, article: str, source: str) -> list[Fault]:
    """Add the questions of a paragraph, or return what is wrong with it."""
    expected = "expected qas with id and answers"
    try:
        for question in paragraph["qas"]:
            identity = question["id"]
            if not isinstance(identity, str):
                raise TypeError
            if identity in found:
                return [Fault(source, "", f"has the question {shown(identity)} twice", "expected each once")]
            texts = [answer["text"] for answer in question["answers"]]
            found[identity] = Question(name, article, expected_answers(texts), bool(texts))
    except (KeyError, TypeError, AttributeError) as error:
        problem = f"paragraph {name.removeprefix('p')} is malformed ({type(error).__name__})"
        return [Fault(source, "", problem, expected)]
    return []


def answer_faults(answers: Mapping[str, Any], questions: Mapping[str, Any], source: str) -> list[Fault]:
    """Return the questions without an answer, and the answers that are no text."""
    missing = [name for name in questions if name not in answers]
    expected = 'expected an answer to every question, "" where it is withheld'
    faults = lacking(source, missing, len(questions), "questions", expected)
    odd = [name for name in questions if name in answers and not isinstance(answers[name], str)]
    return faults + [
        Fault(
            source,
            "",
            f"the answer to {shown(name)} is {_kind(answers[name])}",
            'expected a text, "" for none',
        )
        for name in odd
    ]


def _na_prob_faults(withheld: Mapping[str, Any], questions: Mapping[str, Any], source: str) -> list[Fault]:
    missing = [name for name in questions if name not in withheld]
    expected = "expected a no-answer probability of every question"
    faults = lacking(source, missing, len(questions), "questions", expected)
    for name, value in withheld.items():
        if name not in questions:
            problem = f"{shown(name)} is not a question of the data"
            faults.append(Fault(source, "", problem, "expected ids of questions; remove the others"))
        elif not is_number(value):
            faults.append(Fault(source, "", f"{shown(name)} is {_kind(value)}", NUMBER))
    return faults


def _kind(value: Any) -> str:
    return "null" if value is None else shown(value) if is_number(value) else f"a {type(value).__name__}"
