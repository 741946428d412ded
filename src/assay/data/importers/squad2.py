"""SQuAD 2.0: a paragraph is a post, a question a criterion, unanswerable ones have no evidence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from assay.data.importers.imported_corpus import Imported
from assay.data.importers.sentence_split import sentences_of
from assay.data.readers.json_toml import read_json
from assay.errors import InputError


def read_squad2(path: Path) -> Imported:
    """Import paragraphs as posts; gold is the sentences that an answer's span overlaps."""
    made = Imported([], [], [], [])
    document = read_json(path)
    if not isinstance(document, dict) or not isinstance(document.get("data"), list):
        raise InputError.of(path.name, "has no list 'data'", "expected SQuAD 2.0")
    number = 0
    for at, article in enumerate(document["data"], start=1):
        paragraphs = article.get("paragraphs", []) if isinstance(article, dict) else None
        if not isinstance(paragraphs, list):
            problem = f"article {at} has no list of paragraphs"
            raise InputError.of(path.name, problem, "expected SQuAD 2.0")
        for paragraph in paragraphs:
            number += 1
            try:
                _paragraph(made, f"p{number}", paragraph)
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                problem = f"paragraph {number} is malformed ({type(error).__name__})"
                expected = "expected context and qas with id, question, answers"
                raise InputError.of(path.name, problem, expected) from None
    return made


def _paragraph(made: Imported, post: str, paragraph: dict[str, Any]) -> None:
    sentences = sentences_of(paragraph["context"])
    if not sentences:
        made.notes.append(f"{post} has no sentence; left out")
        return
    made.sentences.extend((post, f"{post}_{at}", at, each.text) for at, each in enumerate(sentences))
    for question in paragraph["qas"]:
        name = str(question["id"])
        made.criteria.append((name, question["question"].strip()))
        if made.queries is not None:
            made.queries.append((post, name))
        hits = {
            at
            for answer in question["answers"]
            for at, each in enumerate(sentences)
            if each.start < answer["answer_start"] + max(len(answer["text"]), 1)
            and answer["answer_start"] < each.end
        }
        made.gold.extend((post, name, f"{post}_{at}") for at in sorted(hits))
