"""`Runner`: call a system on every fold, with genuine or altered gold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256

import polars as pl

from assay.data.corpus import Corpus
from assay.verification.audit.gather_facts import Answers
from assay.verification.audit.system.audit_views import Predict, answers_of, labelled_of, posts_of

Relabel = Callable[[Corpus, "Fold", int], Corpus]


@dataclass(frozen=True, slots=True)
class Fold:
    """The posts of each role in one outer fold."""

    name: str
    train: tuple[str, ...]
    tune: tuple[str, ...]
    eval: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Runner:
    """A system with the corpus and the folds on which it is called."""

    predict: Predict
    corpus: Corpus
    folds: tuple[Fold, ...]
    whole: bool

    def ask(self, relabel: Relabel | None = None) -> list[Answers]:
        """Return the system's predictions in each fold for a corpus with this gold."""
        made = []
        for number, fold in enumerate(self.folds):
            corpus = self.corpus if relabel is None else relabel(self.corpus, fold, number)
            views = [
                labelled_of(corpus, fold.train),
                labelled_of(corpus, fold.tune),
                posts_of(corpus, fold.eval),
            ]
            more = [corpus] if self.whole else []
            made.append(answers_of(self.predict(*views, *more)))
        return made

    def roles(self) -> pl.DataFrame | None:
        """Return the role of each post of a single split; None if every post is EVAL in some fold."""
        if len(self.folds) > 1:
            return None
        (fold,) = self.folds
        roles = {"TRAIN": fold.train, "TUNE": fold.tune, "EVAL": fold.eval}
        named = [(post, role) for role, posts in roles.items() for post in posts]
        return pl.DataFrame(named, schema=["post_id", "role"], orient="row")


def changed_folds(runner: Runner, first: list[Answers], again: list[Answers]) -> list[str]:
    """Return the folds in which two rounds of predictions are not the same bytes."""
    return [
        f"fold {fold.name}"
        for fold, one, other in zip(runner.folds, first, again, strict=True)
        if _digest(one) != _digest(other)
    ]


def _digest(answers: Answers) -> str:
    """Return a hash of every byte of the predictions."""
    made = sha256()
    for frame in (answers.candidates, answers.decisions):
        made.update(b"\0" if frame is None else frame.write_csv().encode())
    return made.hexdigest()
