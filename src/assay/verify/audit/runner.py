"""`Runner`: a system that is asked about every fold, with the gold as it is or altered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256

from assay.data.corpus import Corpus
from assay.verify.audit.gather import Answers
from assay.verify.audit.views import Predict, answers_of, labelled_of, posts_of

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
    """A system with the corpus and the folds that it is asked about."""

    predict: Predict
    corpus: Corpus
    folds: tuple[Fold, ...]
    whole: bool

    def ask(self, relabel: Relabel | None = None) -> list[Answers]:
        """What the system answers in each fold, when the corpus is labelled so."""
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


def changed_folds(runner: Runner, first: list[Answers], again: list[Answers]) -> list[str]:
    """Folds in which two rounds of answers are not the same bytes."""
    return [
        f"fold {fold.name}"
        for fold, one, other in zip(runner.folds, first, again, strict=True)
        if _digest(one) != _digest(other)
    ]


def _digest(answers: Answers) -> str:
    """A hash of every byte of the answers."""
    made = sha256()
    for frame in (answers.candidates, answers.decisions):
        made.update(b"\0" if frame is None else frame.write_csv().encode())
    return made.hexdigest()
