"""P3: score a sentence with its neighbours and with the other criteria."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.array_types import Floats
from assay.pipeline.models.boosting import Boosted, BoostingSettings, stacked
from assay.pipeline.models.own_models import KnownCriteria
from assay.pipeline.query_arrays import by_sentence, highest_of, mean_of, ranks, rivals, shifted
from assay.pipeline.settings import setting
from assay.pipeline.stage import Learns, Stage
from assay.pipeline.views import Columns, Labelled, Unlabelled

DENSE = ("dense_score", "semantic")


@dataclass(frozen=True, slots=True)
class NeighbourSettings(BoostingSettings):
    """`reach`: how many sentences before and after are used. `dense`: also use embeddings.
    `also`: further columns of pairs, such as those of models.
    """

    reach: int = setting(2, low=0, high=10)
    dense: bool = setting(False)
    also: tuple[str, ...] = setting(())

    @property
    def further(self) -> tuple[str, ...]:
        """Return the columns beyond those that are always used."""
        return tuple(dict.fromkeys((*(DENSE if self.dense else ()), *self.also)))


class Neighbours(Stage):
    """Gradient boosting on a pair's own score and its surroundings.

    node = Σ trees(criterion, its evidence in TRAIN, position, number of sentences, length; own
    score, the scores up to `reach` sentences before and after, score − highest of the query, mean
    of the query, rank; the scores of the same sentence for the other criteria; BM25, cosine and
    the matching score; for every further column its value, value − highest of the query, mean of
    the query, and those of both neighbours), fitted with the logistic loss on scores that are
    cross-fitted inside TRAIN. A criterion that nothing like it was learned from keeps its score.
    """

    name = "neighbours"
    needs: tuple[str, ...] = ("score", "match", "bm25", "cosine")
    gives = ("node",)
    ranks = "node"
    learns = Learns.TRAIN
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
        chosen = features if known.all() else features[known]
        self._trees = Boosted(self.settings, self.seed, chosen, labelled.gold[known])

    def apply(self, view: Unlabelled) -> Columns:
        """Return the log-odds of every pair."""
        node = self._trees(pair_features(view, self.settings, self._known))
        learned = self._known.learned[view.layout.pair_criterion]
        return {"node": np.where(learned, node, view.column("score"))}


def pair_features(view: Unlabelled, settings: NeighbourSettings, known: KnownCriteria) -> Floats:
    """Return one row per pair; the criterion's code comes first."""
    layout, reach = view.layout, settings.reach
    sentence, offsets, criterion = layout.pair_sentence, layout.pair_offsets, layout.pair_criterion
    n = layout.query_sizes[layout.pair_query]
    words = np.asarray(view.tokens.words.sum(axis=1)).ravel()
    score, match = view.column("score"), view.column("match")
    blocks = [
        known.codes[criterion],
        known.amount[criterion],
        layout.place[sentence],
        layout.place[sentence] / np.maximum(n - 1, 1),
        n,
        np.log1p(words)[sentence],
        score,
        *(shifted(score, offsets, by) for by in range(-reach, reach + 1) if by),
        ranks(score, offsets),
        *_relative(score, view),
        *_others(score, view, known),
        view.column("bm25"),
        view.column("cosine"),
        match,
        *_relative(match, view),
    ]
    for name in settings.further:
        values = view.column(name)
        sides = (shifted(values, offsets, by) for by in (-1, 1) if reach)
        blocks += [values, *_relative(values, view), *sides]
    return stacked(blocks, view.pairs)


def _relative(values: Floats, view: Unlabelled) -> list[Floats]:
    """Return the distance from the query's highest value, and the query's mean."""
    offsets, query = view.layout.pair_offsets, view.layout.pair_query
    return [values - highest_of(values, offsets)[query], mean_of(values, offsets)[query]]


def _others(score: Floats, view: Unlabelled, known: KnownCriteria) -> list[Floats]:
    """Return the scores of the same sentence for other criteria, and the lead over the best."""
    rival = rivals(score, view.layout)
    if len(known.closed) < 2:
        return [rival, score - rival]
    grid = by_sentence(score, view.layout, known.closed.tolist())[view.layout.pair_sentence]
    return [rival, score - rival, *grid.T]
