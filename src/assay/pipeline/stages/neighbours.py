"""P3: score a sentence with its neighbours and with the other criteria."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.array_types import Floats
from assay.pipeline.models.boosting import Boosted, BoostingSettings
from assay.pipeline.settings import setting
from assay.pipeline.stage import Learns, Stage
from assay.pipeline.views import Columns, Labelled, Unlabelled, ranks, shifted

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

    node = Σ trees(criterion, position, number of sentences, length; own score, the scores up to
    `reach` sentences before and after, score − highest of the post, mean of the post, rank; the
    scores of the same sentence for every criterion; BM25, cosine; for every further column its
    value, value − highest of the post, mean of the post, and those of both neighbours), fitted with
    the logistic loss on scores that are cross-fitted inside TRAIN. A criterion that is not learned
    keeps its score.
    """

    name = "neighbours"
    needs: tuple[str, ...] = ("score", "bm25", "cosine")
    gives = ("node",)
    learns = Learns.TRAIN
    settings_type = NeighbourSettings
    settings: NeighbourSettings

    def __init__(self, settings: NeighbourSettings | None = None, *, seed: int = 0) -> None:
        super().__init__(settings, seed=seed)
        self.needs = (*self.needs, *self.settings.further)

    def fit(self, labelled: Labelled) -> None:
        """Fit trees over all criteria at once: neighbours mean much the same for each."""
        known = labelled.known_pairs.reshape(-1)
        self._learned = labelled.known.any(axis=0)
        features, gold = pair_features(labelled.view, self.settings), labelled.gold
        chosen = features if known.all() else features[known]
        self._trees = Boosted(self.settings, self.seed, chosen, gold.reshape(-1)[known])

    def apply(self, view: Unlabelled) -> Columns:
        """Return the log-odds of every pair."""
        node = self._trees(pair_features(view, self.settings)).reshape(-1, len(view.criteria))
        return {"node": np.where(self._learned, node, view.column("score"))}


def pair_features(view: Unlabelled, settings: NeighbourSettings) -> Floats:
    """Return one row per (sentence, criterion) pair; the criterion's code comes first."""
    reach = settings.reach
    score, offsets = view.column("score"), view.offsets
    n, owner = view.sizes, view.owner
    criteria = len(view.criteria)
    words = np.asarray(view.tokens.words.sum(axis=1)).ravel()
    highest = np.maximum.reduceat(score, offsets[:-1], axis=0)[owner]
    mean = (np.add.reduceat(score, offsets[:-1], axis=0) / n[:, None])[owner]
    blocks = [
        np.arange(criteria)[None, :],
        view.place[:, None],
        (view.place / np.maximum(n[owner] - 1, 1))[:, None],
        n[owner][:, None],
        np.log1p(words)[:, None],
        score,
        *(shifted(score, offsets, by) for by in range(-reach, reach + 1) if by),
        score - highest,
        mean,
        ranks(score, offsets),
        *_others(score),
        view.column("bm25"),
        view.column("cosine"),
    ]
    for name in settings.further:
        blocks += _further(view.column(name), view, reach)
    return stacked(blocks, score.shape)


def _further(values: Floats, view: Unlabelled, reach: int) -> list[Floats]:
    """Return the features of a further column, relative to the rest of the post."""
    starts, owner = view.offsets[:-1], view.owner
    highest = np.maximum.reduceat(values, starts, axis=0)[owner]
    mean = (np.add.reduceat(values, starts, axis=0) / view.sizes[:, None])[owner]
    sides = (shifted(values, view.offsets, by) for by in (-1, 1) if reach)
    return [values, values - highest, mean, *sides]


def _others(score: Floats) -> list[Floats]:
    """Return the scores of the same sentence for each criterion, and the lead over the best."""
    if score.shape[1] < 2:
        return []
    ordered = np.sort(score, axis=1)
    rival = np.where(score == ordered[:, -1:], ordered[:, -2:-1], ordered[:, -1:])
    return [rival, score - rival, *(score[:, [at]] for at in range(score.shape[1]))]


def stacked(blocks: list[Floats], shape: tuple[int, ...]) -> Floats:
    """Return blocks that broadcast to one shape as columns; the trees bin single precision."""
    out = np.empty((int(np.prod(shape)), len(blocks)), dtype=np.float32)
    for at, block in enumerate(blocks):
        out[:, at] = np.broadcast_to(block, shape).reshape(-1)
    return out  # type: ignore[return-value] # half the memory of the declared type
