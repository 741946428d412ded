"""The questions of a log as the tables of a corpus and of predictions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from assay.data.corpus import Corpus
from assay.data.logs.log_chunks import Chunk
from assay.data.predictions import Predictions
from assay.files.input_file import InputFile

TEXT = pl.String
SENTENCES = {"post_id": TEXT, "sent_uid": TEXT, "text": TEXT}
CANDIDATES = {"post_id": TEXT, "criterion_id": TEXT, "sent_uid": TEXT, "score": pl.Float64}
GOLD = {"post_id": TEXT, "criterion_id": TEXT, "sent_uid": TEXT, "grade": pl.Float64}


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a log with what was retrieved for it and what should have been."""

    place: str
    id: str
    own_id: bool  # False: it follows from the text of the question
    text: str | None
    post: str | None  # its group
    fold: str | None
    retrieved: list[Chunk]
    gold: list[Chunk]
    prob: float | None = None
    selected_k: int | None = None
    state: str | None = None

    @property
    def post_id(self) -> str:
        """The group, or the question itself."""
        return self.id if self.post is None else self.post

    def numbered(self, time: int) -> Question:
        """Return the question as it is asked another time."""
        return replace(self, id=f"{self.id}-{time}")

    def ranked(self) -> list[tuple[str, float]]:
        """Return the retrieved ids with their scores; without scores, 1/rank by the order of the list.

        Every list then starts at the same score, so that no score reveals the length of its list.
        """
        return [
            (each.id, 1 / rank if each.number is None else each.number)
            for rank, each in enumerate(self.retrieved, start=1)
        ]


def corpus_of(questions: Sequence[Question], name: str, file: InputFile | None) -> tuple[Corpus, int]:
    """Return the corpus, and the number of chunks that have several texts."""
    texts, several = _texts(questions)
    posts: dict[str, set[str]] = {}
    for each in questions:
        ids = posts.setdefault(each.post_id, set())
        ids |= {chunk.id for chunk in each.retrieved} | {chunk.id for chunk in each.gold}
    # By id, not in the order of retrieval: that would list the gold of a good system first.
    sentences = _frame(
        ((post, uid, texts.get(uid)) for post, ids in posts.items() for uid in sorted(ids)), SENTENCES
    )
    gold = (
        (one.post_id, one.id, each.id, 1.0 if each.number is None else each.number)
        for one in questions
        for each in one.gold
    )
    criteria = {each.id: each.text for each in questions}
    folds = {each.post_id: each.fold for each in questions if each.fold is not None}
    tables: dict[str, Any] = {
        "sentences": sentences if texts else sentences.drop("text"),
        "criteria": _frame(criteria.items(), {"criterion_id": TEXT, "text": TEXT}),
        "gold": _frame(gold, GOLD),
        "queries": _frame(
            ((each.post_id, each.id) for each in questions), {"post_id": TEXT, "criterion_id": TEXT}
        ),
        "folds": _frame(folds.items(), {"post_id": TEXT, "fold": TEXT}) if folds else None,
    }
    if all(text is None for text in criteria.values()):
        tables["criteria"] = tables["criteria"].drop("text")
    made = Corpus.of(name, shared_candidates=True, **tables)
    return replace(made, gold=replace(made.gold, file=file)), several


def predictions_of(questions: Sequence[Question], name: str, file: InputFile | None) -> Predictions:
    """Return the retrieved chunks as candidates, and decisions where the log has any."""
    candidates = _frame(
        ((one.post_id, one.id, uid, score) for one in questions for uid, score in one.ranked()), CANDIDATES
    )
    made = Predictions.of(candidates, _decisions(questions), name=name)
    return replace(made, candidates=replace(made.candidates, file=file))


def _decisions(questions: Sequence[Question]) -> pl.DataFrame | None:
    """Return probability, selected K and state, those that the questions have."""
    columns: dict[str, Any] = {
        "post_id": [each.post_id for each in questions],
        "criterion_id": [each.id for each in questions],
    }
    for name in ("prob", "selected_k", "state"):
        values = [getattr(each, name) for each in questions]
        if values[0] is not None:
            columns[name] = values
    return pl.DataFrame(columns) if len(columns) > 2 else None


def _texts(questions: Iterable[Question]) -> tuple[dict[str, str], int]:
    """Return the first text of each chunk, and how many chunks have others."""
    texts: dict[str, str] = {}
    several: set[str] = set()
    for one in questions:
        for each in (*one.retrieved, *one.gold):
            if each.text is not None and texts.setdefault(each.id, each.text) != each.text:
                several.add(each.id)
    return texts, len(several)


def _frame(rows: Iterable[tuple[Any, ...]], schema: dict[str, Any]) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema=schema, orient="row")
