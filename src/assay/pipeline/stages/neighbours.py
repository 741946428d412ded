"""P3: score a sentence with its neighbours and with the other criteria."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from assay.array_types import Floats, Ints
from assay.pipeline.explanations.explanation import RANKING, Block, Explanation, summed
from assay.pipeline.explanations.feature_names import AMOUNT, CRITERION, SENTENCES, column_name
from assay.pipeline.models.boosting import BoostingSettings, Features, stacked
from assay.pipeline.models.shrunk_boosting import ShrunkBoosting
from assay.pipeline.query_arrays import by_sentence, highest_of, mean_of, ranks, rivals, shifted, varies
from assay.pipeline.regressions.own_models import KnownCriteria
from assay.pipeline.settings import setting
from assay.pipeline.stage import Learns, Stage
from assay.pipeline.views import Columns, Labelled, Unlabelled

DENSE = ("dense_score", "semantic")


@dataclass(frozen=True, slots=True)
class NeighbourSettings(BoostingSettings):
    """`reach`: how many sentences before and after are used. `dense`: also use embeddings.
    `also`: further columns of pairs, such as those of models. `half`: evidence sentences in TRAIN at
    which the trees count half.
    """

    reach: int = setting(2, low=0, high=10)
    dense: bool = setting(False)
    also: tuple[str, ...] = setting(())
    half: float = setting(200.0, low=0)

    @property
    def further(self) -> tuple[str, ...]:
        """Return the columns beyond those that are always used."""
        return tuple(dict.fromkeys((*(DENSE if self.dense else ()), *self.also)))


class Neighbours(Stage):
    """Gradient boosting on a pair's own score and its surroundings.

    node = t·trees + (1 − t)·regression with t = n / (n + half), n the number of evidence sentences in
    TRAIN. The regression keeps the order of the scores within a query: it reads the score, and the
    highest and the mean score and match of the query. The trees read the criterion, its evidence in
    TRAIN, position, number of sentences, length; own score, the scores up to `reach` sentences
    before and after, score − highest of the query, mean of the query, rank; the scores of the same
    sentence for the other criteria; BM25, cosine and the matching score; for every further column
    its value, value − highest of the query, mean of the query, and those of both neighbours. Both
    are fitted with the logistic loss on scores that are cross-fitted inside TRAIN. A criterion that
    nothing like it was learned from keeps its score.
    """

    name = "neighbours"
    needs: tuple[str, ...] = ("score", "match", "bm25", "cosine")
    gives = ("node",)
    ranks = "node"
    learns = Learns.TRAIN
    by_post = True
    settings_type = NeighbourSettings
    settings: NeighbourSettings

    def __init__(self, settings: NeighbourSettings | None = None, *, seed: int = 0) -> None:
        super().__init__(settings, seed=seed)
        self.needs = (*self.needs, *self.settings.further)

    def fit(self, labelled: Labelled) -> None:
        """Fit trees over all criteria at once: neighbours mean much the same for each."""
        self._known = KnownCriteria(labelled)
        known = labelled.known_pairs
        features = pair_features(labelled.view, self.settings, self._known)
        few = score_and_query(labelled.view)
        if not known.all():
            features, few = features[known], few[known]
        gold = labelled.gold[known]
        self._model = ShrunkBoosting(self.settings, self.seed, features, few, gold, self.settings.half)

    def apply(self, view: Unlabelled) -> Columns:
        """Return the log-odds of every pair."""
        node = self._model(pair_features(view, self.settings, self._known), score_and_query(view))
        learned = self._known.learned[view.layout.pair_criterion]
        return {"node": np.where(learned, node, view.column("score"))}

    def explain(self, view: Unlabelled, top: Ints) -> tuple[Explanation, ...]:
        """Return the contributions to the log-odds of each query's top-ranked sentence.

        Features that all candidates of a query share are left out: they say nothing about the order.
        """
        many, few = list(pair_blocks(view, self.settings, self._known)), query_blocks(view)
        values = stacked([block[top] for _, block in (*many, *few)], len(top))
        parts = self._model.contributions(values[:, : len(many)], score_and_query(view)[top])
        made = np.concatenate(parts[:2], axis=1)
        names = [name for name, _ in (*many, *few)]
        other = ~self._known.learned[view.layout.pair_criterion[top]]  # they keep their score
        made[other] = 0.0
        made[other, names.index(column_name("score"))] = view.column("score")[top[other]]
        for at, (_, block) in enumerate((*many, *few)):
            made[~varies(block, view.layout.pair_offsets), at] = 0.0
        return (summed(RANKING, names, values, made),)


def pair_features(view: Unlabelled, settings: NeighbourSettings, known: KnownCriteria) -> Features:
    """Return one row per pair; the criterion's code comes first."""
    return stacked((block for _, block in pair_blocks(view, settings, known)), view.pairs)


def pair_blocks(view: Unlabelled, settings: NeighbourSettings, known: KnownCriteria) -> Iterator[Block]:
    """Yield the features of the trees with their names, one value per pair."""
    layout, reach = view.layout, settings.reach
    sentence, offsets, criterion = layout.pair_sentence, layout.pair_offsets, layout.pair_criterion
    n = layout.query_sizes[layout.pair_query]
    words = view.tokens.lengths
    score, said = view.column("score"), column_name("score")
    yield CRITERION, known.codes[criterion]
    yield AMOUNT, known.amount[criterion]
    yield "position of the sentence", layout.place[sentence]
    yield "relative position of the sentence", layout.place[sentence] / np.maximum(n - 1, 1)
    yield SENTENCES, n
    yield "length of the sentence", np.log1p(words)[sentence]
    yield said, score
    yield from ((_beside(said, by), shifted(score, offsets, by)) for by in range(-reach, reach + 1) if by)
    yield f"rank by {said}", ranks(score, offsets)
    yield from _relative("score", view)
    yield from _others(score, view, known)
    yield from ((column_name(name), view.column(name)) for name in ("bm25", "cosine", "match"))
    yield from _relative("match", view)
    for name in settings.further:
        said, values = column_name(name), view.column(name)
        yield said, values
        yield from _relative(name, view)
        yield from ((_beside(said, by), shifted(values, offsets, by)) for by in (-1, 1) if reach)


def score_and_query(view: Unlabelled) -> Floats:
    """Return the score of each pair, and what its query's scores have in common."""
    return np.stack([block for _, block in query_blocks(view)], axis=1)


def query_blocks(view: Unlabelled) -> list[Block]:
    """Return the features of the regression with their names, one value per pair."""
    offsets, query = view.layout.pair_offsets, view.layout.pair_query
    blocks: list[Block] = [(column_name("score"), view.column("score"))]
    for name in ("score", "match"):
        values, said = view.column(name), column_name(name)
        blocks += [
            (f"highest {said}", highest_of(values, offsets)[query]),
            (f"mean {said}", mean_of(values, offsets)[query]),
        ]
    return blocks


def _beside(said: str, by: int) -> str:
    """Return what the value of another sentence of the post is called."""
    if abs(by) == 1:
        return f"{said} of the {'previous' if by < 0 else 'next'} sentence"
    return f"{said} {abs(by)} sentences {'before' if by < 0 else 'after'}"


def _relative(column: str, view: Unlabelled) -> list[Block]:
    """Return the distance from the query's highest value, and the query's mean."""
    offsets, query = view.layout.pair_offsets, view.layout.pair_query
    values, said = view.column(column), column_name(column)
    return [
        (f"{said} minus the highest", values - highest_of(values, offsets)[query]),
        (f"mean {said}", mean_of(values, offsets)[query]),
    ]


def _others(score: Floats, view: Unlabelled, known: KnownCriteria) -> list[Block]:
    """Return the scores of the same sentence for other criteria, and the lead over the best."""
    rival, said = rivals(score, view.layout), column_name("score")
    best = f"highest {said} for another criterion"
    blocks: list[Block] = [(best, rival), (f"{said} minus the {best}", score - rival)]
    if len(known.closed) < 2:
        return blocks
    grid = by_sentence(score, view.layout, known.closed.tolist())[view.layout.pair_sentence]
    others = zip(known.closed, grid.T, strict=True)
    return [*blocks, *((f"{said}, for {view.criteria[at]}", block) for at, block in others)]
