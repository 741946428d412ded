"""Criteria with enough evidence of their own, and one regression for each of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.array_types import Bools, Floats, Ints
from assay.pipeline.regressions.logistic_batch import Task, fit_batch
from assay.pipeline.regressions.logistic_regression import Logistic
from assay.pipeline.settings import Settings, setting
from assay.pipeline.views import Labelled, Unlabelled

OWN = 2
"""Queries with evidence from which a criterion gets its own model."""
CODED = 5
"""Queries with evidence from which trees over all criteria tell a criterion from the others."""
MOST_OWN = 32
"""Criteria whose scores are features of the other criteria of the same post."""
SCARCE = 5.0
"""Queries with evidence at which the score of a whole query by its own model counts half."""
TOLERANCE = 5e-4  # of the solver: beyond it, the fit mostly follows noise of TRAIN


@dataclass(frozen=True, slots=True)
class ScorerSettings(Settings):
    """`strength` is the inverse of the penalty (scikit-learn's C); tokens in fewer than `least`
    sentences are ignored. `contrast`: smoothing of the second fit, see `fit_own`; 0: one fit.
    """

    strength: float = setting(3.0, low=1e-6, high=1e6)
    least: int = setting(2, low=1)
    iterations: int = setting(100, low=1)
    contrast: float = setting(0.1, low=0, high=1e6)


def evidence_counts(labelled: Labelled) -> Ints:
    """Return for each criterion how many queries with evidence may be learned from."""
    criterion = labelled.view.layout.query_criterion[labelled.known & labelled.evidence]
    return np.bincount(criterion, minlength=len(labelled.view.criteria))


def taught_criteria(labelled: Labelled) -> Bools:
    """Return of each criterion whether any of its queries may be learned from."""
    criterion = labelled.view.layout.query_criterion[labelled.known]
    return np.bincount(criterion, minlength=len(labelled.view.criteria)) > 0


def ranked_criteria(labelled: Labelled, least: int = OWN) -> Ints:
    """Return the criteria that have enough evidence for sentences to be learned alone."""
    return np.flatnonzero(evidence_counts(labelled) >= least)


def own_criteria(labelled: Labelled) -> Ints:
    """Return the criteria that have enough queries with evidence, and any without, to be learned alone."""
    counts = evidence_counts(labelled)
    known = labelled.view.layout.query_criterion[labelled.known]
    asked = np.bincount(known, minlength=len(counts))
    return np.flatnonzero((counts >= OWN) & (asked > counts))


def trust(counts: Ints, half: float) -> Floats:
    """Return how much a model learned from so many queries with evidence counts: n / (n + half)."""
    return np.asarray(counts / (counts + half))


class KnownCriteria:
    """What TRAIN says about each criterion, as features of trees over all criteria.

    `closed`: criteria with enough evidence of their own, at most `MOST_OWN`. `codes`: their places
    in that list, NaN for all others. `amount`: log(1 + number of queries with evidence).
    `learned`: whether a criterion, or another one without its own model, was learned from.
    """

    def __init__(self, labelled: Labelled) -> None:
        counts, own = evidence_counts(labelled), ranked_criteria(labelled, CODED)
        self.closed = np.sort(own[np.argsort(-counts[own], kind="stable")][:MOST_OWN])
        self.codes = np.full(len(counts), np.nan)
        self.codes[self.closed] = np.arange(len(self.closed))
        self.amount = np.log1p(np.where(np.isin(np.arange(len(counts)), own), counts, 0.0))
        others = np.setdiff1d(np.arange(len(counts)), own)
        self.learned = np.ones(len(counts), dtype=bool)
        self.learned[others] = int(counts[others].sum()) >= CODED

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return everything as plain arrays."""
        return {"closed": self.closed, "codes": self.codes, "amount": self.amount, "learned": self.learned}

    @classmethod
    def restored(cls, arrays: Mapping[str, NDArray[Any]]) -> KnownCriteria:
        """Return what `arrays` was called on."""
        made = cls.__new__(cls)
        made.closed, made.codes = arrays["closed"], arrays["codes"]
        made.amount, made.learned = arrays["amount"], arrays["learned"]
        return made


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """What is scored: the criterion of each pair or query, and its row among the features."""

    criterion: Ints
    row: Ints

    def groups(self, chosen: Ints) -> Iterator[tuple[int, Ints]]:
        """Yield each of the chosen criteria with the places of its items, in order."""
        order = np.argsort(self.criterion, kind="stable")
        ordered = self.criterion[order]
        first = np.searchsorted(ordered, chosen)
        last = np.searchsorted(ordered, chosen, side="right")
        for criterion, begin, end in zip(chosen.tolist(), first, last, strict=True):
            yield criterion, order[begin:end]


def pair_items(view: Unlabelled) -> Items:
    """Return the pairs, whose features are those of sentences."""
    return Items(view.layout.pair_criterion, view.layout.pair_sentence)


def post_items(view: Unlabelled) -> Items:
    """Return the queries, whose features are those of posts."""
    return Items(view.layout.query_criterion, view.layout.query_post)


def fit_own(features: Any, golds: Sequence[Bools], told: ScorerSettings) -> list[Logistic]:
    """Fit a regression for each of several criteria, or the mean of two: one with equal penalties, and
    one with lower penalties for features whose share differs between the two classes.
    """
    kinds = (0.0, told.contrast) if told.contrast else (0.0,)
    tasks = [Task(gold, kind) for gold in golds for kind in kinds]
    made: list[Logistic | None] = [None] * len(golds)
    for place, each in fit_batch(features, tasks, told.strength, TOLERANCE, told.iterations):
        before, part = made[place // len(kinds)], each.times(1 / len(kinds))
        made[place // len(kinds)] = part if before is None else before.plus(part)
    return [each for each in made if each is not None]


class OwnModels:
    """A linear model per criterion, fitted on its own items."""

    def __init__(self, settings: ScorerSettings) -> None:
        self._settings = settings
        self._models: dict[int, Logistic] = {}

    def fit(self, items: Items, gold: Bools, chosen: Ints, features: Any) -> None:
        """Fit a regression for each of the chosen criteria that has both classes."""
        self._models = {}
        for rows, group in _same_rows(items, gold, chosen):
            if features.shape[1] and group:
                made = fit_own(_rows(features, rows), list(group.values()), self._settings)
                self._models |= dict(zip(group, made, strict=True))

    def learned(self) -> Ints:
        """Return the criteria that have a model."""
        return np.array(sorted(self._models), dtype=np.int64)

    def __bool__(self) -> bool:
        """Return whether any criterion has a model."""
        return bool(self._models)

    def fill(self, items: Items, features: Any, out: Floats) -> Floats:
        """Put the scores of the learned criteria in their places, and return the array."""
        for criterion, at in items.groups(self.learned()):
            if len(at):
                rows = _rows(features, items.row[at])
                out[at] = self._models[criterion].decision_function(rows)
        return out

    def first(self, count: int) -> OwnModels:
        """Return the models with the weights of the first features only."""
        made = OwnModels(self._settings)
        for criterion, each in self._models.items():
            made._models[criterion] = replace(each, weights=each.weights[:count].copy())
        return made

    def weighed(self, features: Any, items: Items) -> Any:
        """Return w·x of each item in parts, as a sparse matrix.

        Items of criteria without a model have no parts.
        """
        made = features.astype(np.float64).tocsr(copy=True)
        length = np.diff(made.indptr)
        factor = np.zeros(len(made.data))
        own = np.repeat(items.criterion, length)
        for criterion in self.learned():
            mine = own == criterion
            factor[mine] = self._models[int(criterion)].weights[made.indices[mine]]
        made.data *= factor
        return made


def _same_rows(items: Items, gold: Bools, chosen: Ints) -> Iterator[tuple[Ints, dict[int, Bools]]]:
    """Yield rows, and the classes of the criteria that have items in just these rows.

    Criteria with one class are left out.
    """
    rows, group = np.zeros(0, dtype=np.int64), dict[int, Bools]()
    for criterion, at in items.groups(chosen):
        own, marks = items.row[at], gold[at]
        if not np.array_equal(own, rows):
            yield rows, group
            rows, group = own, {}
        if marks.any() and not marks.all():
            group[criterion] = marks
    yield rows, group


def _rows(features: Any, rows: Ints) -> Any:
    """Return some rows, without a copy if they are all."""
    whole = len(rows) == features.shape[0] and bool((np.diff(rows) == 1).all())
    return features if whole else features[rows]
