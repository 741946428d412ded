"""A matching model shared by all queries: ranks candidates, and decides if any is evidence.

Gradient boosting on pair features ranks; a second one on query features is the gate. Whatever one
model reads from another is cross-fitted inside TRAIN by post.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from assay.array_types import Bools, Floats, Ints
from assay.pipeline.matching.pair_features import ALSO, Matrix, PairFeatures
from assay.pipeline.matching.pairs import Pairs
from assay.pipeline.matching.query_features import query_features, question_facts
from assay.pipeline.matching.question_words import (
    HashedLogistic,
    frequent_words,
    kind_features,
    wording_features,
)
from assay.pipeline.matching.word_arrays import Surface, Vocabulary, ragged
from assay.pipeline.matching.word_coverage import Alignment
from assay.pipeline.models.boosting import BoostingSettings
from assay.pipeline.models.shrunk_boosting import ShrunkBoosting
from assay.pipeline.query_arrays import varies
from assay.pipeline.settings import Settings, setting

KIND = "answer_kind"
FEW_OF_PAIRS = ("bm25", "bm25_stem", "cosine", "cover_stem", "cover_gram", "cover_vector", "cover_around")
"""Features of pairs in the regression towards which the trees are shrunk."""
FEW_OF_QUERIES = (
    "match_best", "cover_together", "idf_missing", "bm25_stem_largest", "cosine_largest", "wording",
)  # fmt: skip
"""The same of queries."""


@dataclass(frozen=True, slots=True)
class MatchingSettings(Settings):
    """Inner folds, which parts to use, and the size of the boosted trees.

    `enough`: queries with evidence in TRAIN from which a criterion no longer needs this model.
    `most`: pairs it is fitted on. `also`: further columns of pairs, such as the cosine of a model.
    `half` and `gate_half`: evidence sentences, and queries with evidence, at which the trees count half.
    """

    enough: int = setting(40, low=1)
    most: int = setting(30_000, low=1000)
    also: tuple[str, ...] = setting(())
    folds: int = setting(3, low=2)
    wording: bool = setting(True)
    kind: bool = setting(False)
    evidence_only: bool = setting(True)  # rank-train on queries with evidence
    trees: int = setting(80, low=1)
    gate_trees: int = setting(60, low=1)
    gate_rate: float = setting(0.06, low=1e-4, high=1)
    gate_leaves: int = setting(8, low=2)
    half: float = setting(50.0, low=0)
    gate_half: float = setting(100.0, low=0)
    wording_strength: float = setting(2.0, low=1e-6)
    kind_strength: float = setting(1.0, low=1e-6)


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Unlabelled queries: their texts as words, candidates, alignment and other pair scores.

    `also` are further columns by name, with one value per pair, such as the cosine of an encoder.
    """

    sentences: Surface
    criteria: Surface
    vocabulary: Vocabulary
    pairs: Pairs
    alignment: Alignment
    also: Mapping[str, Floats] = field(default_factory=dict)

    def take(self, queries: Ints) -> Candidates:
        """Return some of the queries; the texts stay."""
        if len(queries) == len(self.pairs.criterion):
            return self
        kept, _ = ragged(self.pairs.offsets, queries)
        also = {name: values[kept] for name, values in self.also.items()}
        alignment = self.alignment.take(kept)
        return replace(self, pairs=self.pairs.take(queries), alignment=alignment, also=also)


@dataclass(frozen=True, slots=True, eq=False)
class Contributions:
    """Names and values of features, and what each contributes to the log-odds of each row."""

    names: tuple[str, ...]
    values: Matrix
    contributions: Floats


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
        few = few_pair_features(names)
        ranker = _Crossfit(lambda at: self._ranker(features, few, gold, at), fold[query], used)
        self._rank = ranker.final
        facts = question_facts(self._learnt, train.criteria, pairs, train.alignment)
        if settings.wording:
            words = wording_features(train.criteria, train.vocabulary)[pairs.criterion]
            everywhere = np.ones(len(has), dtype=bool)
            wording = _Crossfit(lambda at: self._wording(words, has, at), fold, everywhere)
            facts["wording"], self._wording_model = wording.inside(words), wording.final
        aggregates, self.query_names = query_features(facts, features, names, pairs, ranker.inside(features))
        self.pair_names = names
        few = few_query_features(self.query_names)
        self._gate = Shrunk(self._boosting(gate=True), seed, aggregates, has, settings.gate_half, few)

    def apply(self, candidates: Candidates) -> tuple[Floats, Floats]:
        """Return the log-odds of each pair, and of each query having evidence."""
        _, match, aggregates = self._inputs(candidates)
        return match, self._gate(aggregates) if len(aggregates) else np.zeros(0)

    def explain(self, candidates: Candidates, top: Ints) -> tuple[Contributions, Contributions]:
        """Return what `apply` gives in parts: of the top pair of each query, and of each query."""
        features, _, aggregates = self._inputs(candidates)
        chosen = features[top]
        told = self._rank.contributions(chosen)[0]
        told[~varies(features, candidates.pairs.offsets)] = 0.0  # says nothing about the order
        return (
            Contributions(self.pair_names, chosen, told),
            Contributions(self.query_names, aggregates, self._gate.contributions(aggregates)[0]),
        )

    def rarity(self, words: NDArray[np.int32]) -> Floats:
        """Return how rare words of the vocabulary are in TRAIN."""
        return self._learnt.stem_idf[words]

    def _inputs(self, candidates: Candidates) -> tuple[Matrix, Floats, Matrix]:
        """Return the features of pairs, their log-odds, and the features of queries."""
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
        return features, match, aggregates

    def _features(self, part: Candidates) -> tuple[Matrix, tuple[str, ...]]:
        return self._learnt.of(part.sentences, part.criteria, part.pairs, part.alignment, part.also)

    def _crossed_words(self, part: Candidates) -> Any:
        return kind_features(
            part.sentences, part.criteria, part.vocabulary, part.pairs, part.alignment, self._frequent
        )

    def _kind(self, crossed: Any, gold: Bools, at: Ints) -> HashedLogistic:
        return HashedLogistic(crossed[at], gold[at], self._settings.kind_strength)

    def _wording(self, words: Any, has: Bools, at: Ints) -> HashedLogistic:
        return HashedLogistic(words[at], has[at], self._settings.wording_strength)

    def _ranker(self, features: Matrix, few: list[int], gold: Bools, at: Ints) -> Shrunk:
        half = self._settings.half
        return Shrunk(self._boosting(gate=False), self._seed, features[at], gold[at], half, few)

    def _boosting(self, *, gate: bool) -> BoostingSettings:
        chosen = self._settings
        if gate:
            return BoostingSettings(trees=chosen.gate_trees, rate=chosen.gate_rate, leaves=chosen.gate_leaves)
        return BoostingSettings(trees=chosen.trees)


def few_pair_features(names: tuple[str, ...]) -> list[int]:
    """Return the places of the features of pairs that the regression reads, further scores included."""
    return [at for at, name in enumerate(names) if name in FEW_OF_PAIRS or name.startswith(ALSO)]


def few_query_features(names: tuple[str, ...]) -> list[int]:
    """Return the places of the features of queries that the regression reads."""
    return [at for at, name in enumerate(names) if name in FEW_OF_QUERIES]


class Shrunk:
    """Trees on all features, shrunk towards a regression on a few of them."""

    def __init__(
        self,
        settings: BoostingSettings,
        seed: int,
        features: Matrix,
        gold: Bools,
        half: float,
        few: list[int],
    ) -> None:
        self._few = few
        self._model = ShrunkBoosting(settings, seed, features, features[:, few], gold, half, coded=False)

    def __call__(self, features: Matrix) -> Floats:
        """Return the log-odds of each row."""
        return self._model(features, features[:, self._few])

    def contributions(self, features: Matrix) -> tuple[Floats, float]:
        """Return the contribution of each feature to each row's log-odds, and the base."""
        made, few, base = self._model.contributions(features, features[:, self._few])
        made[:, self._few] += few
        return made, base


Model = TypeVar("Model", bound=Callable[[Any], Floats])


class _Crossfit(Generic[Model]):
    """One model per inner fold, fitted on the other folds, and one fitted on all of TRAIN."""

    def __init__(self, fit: Callable[[Ints], Model], fold: Ints, used: Bools) -> None:
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
