"""A matching model shared by all queries: ranks candidates, and decides if any is evidence.

Gradient boosting on pair features ranks; a second one on query features is the gate. Whatever one
model reads from another is cross-fitted inside TRAIN by post.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.array_types import Bools, Floats, Ints
from assay.pipeline.matching.alignment import Alignment
from assay.pipeline.matching.pair_features import Matrix, PairFeatures
from assay.pipeline.matching.pairs import Pairs
from assay.pipeline.matching.query_features import query_features, question_facts
from assay.pipeline.matching.question_words import (
    HashedLogistic,
    frequent_words,
    kind_features,
    wording_features,
)
from assay.pipeline.matching.surface import Surface, Vocabulary, ragged
from assay.pipeline.models.boosting import Boosted, BoostingSettings
from assay.pipeline.settings import Settings, setting

KIND = "answer_kind"


@dataclass(frozen=True, slots=True)
class MatchingSettings(Settings):
    """Inner folds, which parts to use, and the size of the boosted trees.

    `enough`: queries with evidence in TRAIN from which a criterion no longer needs this model.
    `most`: pairs it is fitted on.
    """

    enough: int = setting(20, low=1)
    most: int = setting(30_000, low=1000)
    folds: int = setting(3, low=2)
    wording: bool = setting(True)
    kind: bool = setting(False)
    evidence_only: bool = setting(True)  # rank-train on queries with evidence
    trees: int = setting(80, low=1)
    gate_trees: int = setting(60, low=1)
    gate_rate: float = setting(0.06, low=1e-4, high=1)
    gate_leaves: int = setting(8, low=2)
    wording_strength: float = setting(2.0, low=1e-6)
    kind_strength: float = setting(1.0, low=1e-6)


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Unlabelled queries: their texts as words, candidates, alignment and other pair scores.

    `extra` are arrays with one value per pair, such as the cosine of a sentence encoder.
    """

    sentences: Surface
    criteria: Surface
    vocabulary: Vocabulary
    pairs: Pairs
    alignment: Alignment
    extra: tuple[Floats, ...] = ()

    def take(self, queries: Ints) -> Candidates:
        """Return some of the queries; the texts stay."""
        if len(queries) == len(self.pairs.criterion):
            return self
        kept, _ = ragged(self.pairs.offsets, queries)
        extra = tuple(each[kept] for each in self.extra)
        alignment = self.alignment.take(kept)
        return replace(self, pairs=self.pairs.take(queries), alignment=alignment, extra=extra)


class MatchingModel:
    """The fitted ranker and gate.

    Parameters
    ----------
    settings
        Sizes of the models.
    seed
        Of the inner folds and of the boosting.
    train
        TRAIN queries. Rarity of words is learnt from their sentences.
    gold
        Whether each pair is evidence.
    post
        The post of each query, any integers.

    """

    def __init__(
        self, settings: MatchingSettings, seed: int, train: Candidates, gold: Bools, post: Ints
    ) -> None:
        self._settings, self._seed = settings, seed
        pairs = train.pairs
        query = pairs.query
        has = np.bincount(query, gold, len(pairs.criterion)) > 0
        said = train.sentences.take(np.unique(pairs.sentence))
        asked = train.criteria.take(np.unique(pairs.criterion))
        self._learnt = PairFeatures.fit(said, train.vocabulary, asked)
        self._frequent = frequent_words(said, train.vocabulary)
        fold = _folds(post, settings.folds, seed)
        used = has[query] if settings.evidence_only and has.any() else np.ones(len(gold), dtype=bool)
        features, names = self._features(train)
        if settings.kind:
            crossed = self._crossed_words(train)
            kind = _Crossfit(lambda at: self._kind(crossed, gold, at), fold[query], used)
            features, names = (
                np.column_stack([features, kind.inside(crossed)]).astype(np.float32),
                (*names, KIND),
            )
            self._kind_model = kind.final
        ranker = _Crossfit(lambda at: self._ranker(features, gold, at), fold[query], used)
        self._rank = ranker.final
        facts = question_facts(self._learnt, train.criteria, pairs, train.alignment)
        if settings.wording:
            words = wording_features(train.criteria, train.vocabulary)[pairs.criterion]
            everywhere = np.ones(len(has), dtype=bool)
            wording = _Crossfit(lambda at: self._wording(words, has, at), fold, everywhere)
            facts["wording"], self._wording_model = wording.inside(words), wording.final
        aggregates, self.query_names = query_features(facts, features, names, pairs, ranker.inside(features))
        self.pair_names = names
        self._gate = Boosted(self._boosting(gate=True), seed, aggregates, has, coded=False)

    def apply(self, candidates: Candidates) -> tuple[Floats, Floats]:
        """Return the log-odds of each pair, and of each query having evidence."""
        features, names = self._features(candidates)
        if self._settings.kind:
            kind = self._kind_model(self._crossed_words(candidates))
            features, names = np.column_stack([features, kind]).astype(np.float32), (*names, KIND)
        pairs = candidates.pairs
        match = self._rank(features) if len(pairs) else np.zeros(0)
        facts = question_facts(self._learnt, candidates.criteria, pairs, candidates.alignment)
        if self._settings.wording:
            words = wording_features(candidates.criteria, candidates.vocabulary)[pairs.criterion]
            facts["wording"] = self._wording_model(words)
        aggregates, _ = query_features(facts, features, names, pairs, match)
        return match, self._gate(aggregates) if len(aggregates) else np.zeros(0)

    def _features(self, part: Candidates) -> tuple[Matrix, tuple[str, ...]]:
        return self._learnt.of(part.sentences, part.criteria, part.pairs, part.alignment, *part.extra)

    def _crossed_words(self, part: Candidates) -> Any:
        return kind_features(
            part.sentences, part.criteria, part.vocabulary, part.pairs, part.alignment, self._frequent
        )

    def _kind(self, crossed: Any, gold: Bools, at: Ints) -> HashedLogistic:
        return HashedLogistic(crossed[at], gold[at], self._settings.kind_strength)

    def _wording(self, words: Any, has: Bools, at: Ints) -> HashedLogistic:
        return HashedLogistic(words[at], has[at], self._settings.wording_strength)

    def _ranker(self, features: Matrix, gold: Bools, at: Ints) -> Boosted:
        return Boosted(self._boosting(gate=False), self._seed, features[at], gold[at], coded=False)

    def _boosting(self, *, gate: bool) -> BoostingSettings:
        chosen = self._settings
        if gate:
            return BoostingSettings(trees=chosen.gate_trees, rate=chosen.gate_rate, leaves=chosen.gate_leaves)
        return BoostingSettings(trees=chosen.trees)


class _Crossfit:
    """One model per inner fold, fitted on the other folds, and one fitted on all of TRAIN."""

    def __init__(self, fit: Callable[[Ints], Callable[[Any], Floats]], fold: Ints, used: Bools) -> None:
        self._fold = fold
        self._models = {int(k): fit(np.flatnonzero(used & (fold != k))) for k in np.unique(fold)}
        self.final = fit(np.flatnonzero(used))

    def inside(self, features: Any) -> NDArray[Any]:
        """Return the output for each TRAIN row of the model that was not fitted on its fold."""
        out = np.zeros(len(self._fold))
        for k, model in self._models.items():
            at = np.flatnonzero(self._fold == k)
            out[at] = model(features[at])
        return out


def _folds(post: Ints, count: int, seed: int) -> Ints:
    """Return the inner fold of each query: posts shuffled and dealt out."""
    found, at = np.unique(post, return_inverse=True)
    order = np.random.default_rng(seed).permutation(len(found))
    return np.asarray((order % count)[at], dtype=np.int64)
