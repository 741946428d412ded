"""P3 of the extra `gnn`: score a sentence with its neighbours in a graph of its post."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.array_types import Bools, Floats
from assay.pipeline.models.network_stage import Inputs, NetworkSettings, NetworkStage
from assay.pipeline.settings import Settings, setting
from assay.pipeline.models.boosting import stacked
from assay.pipeline.query_arrays import ranks
from assay.pipeline.stages.neighbours import DENSE
from assay.pipeline.views import Labelled, Unlabelled

if TYPE_CHECKING:
    from assay.pipeline.models.network_training import Loss


@dataclass(frozen=True, slots=True)
class GraphSettings(NetworkSettings):
    """`base`: the column that is corrected. `point`: weight of the pointwise loss."""

    base: str = setting("node", choices=("node", "score"))
    rounds: int = setting(1, low=0, high=8)
    point: float = setting(1.0, low=0, high=100)


class GraphReranker(NetworkStage):
    """GraphSAGE with separate weights for each kind of edge, added to the input column.

    h = gelu(A·numbers + B_c ⊙ D·embedding + b_c); in each round h ← h + gelu(W·h + Σ_r W_r · mean
    of h over the neighbours by r), r the previous sentence, the next, and the `nearest` by cosine;
    node = a·base + v·h + b with a starting at 1 and v at 0. The loss is the mean over queries of
    ln(1 + e^(z⁻ − z⁺)) over their (evidence, other) pairs, plus `point` times the logistic loss of
    all pairs. A criterion that is not learned keeps its input.
    """

    name = "graph"
    gives = ("node",)
    ranks = "node"
    settings_type = GraphSettings
    settings: GraphSettings

    def __init__(self, settings: Settings | None = None, *, seed: int = 0) -> None:
        super().__init__(settings, seed=seed)
        # The input column is the first.
        self.needs = tuple(dict.fromkeys((self.settings.base, "score", "bm25", "cosine", *DENSE)))

    def _inputs(self, view: Unlabelled) -> Inputs:
        columns = [view.column(name) for name in self.needs]
        none = np.empty((len(view.posts), len(view.criteria), 0))
        return Inputs(_features(view, columns), none, base=columns[0])

    def _target(self, labelled: Labelled) -> tuple[Bools, Bools]:
        return labelled.gold, labelled.known_pairs

    def _made(self, sizes: tuple[int, int, int, int]) -> Any:
        from assay.pipeline.models.networks import PairNetwork

        made = self.settings
        return PairNetwork(sizes, made.width, made.rounds, made.drop, edges=made.edges)

    def _loss(self) -> Loss:
        from assay.pipeline.models.network_training import ranking

        return ranking(self.settings.point)


def _features(view: Unlabelled, columns: list[Floats]) -> Floats:
    """Return position and length of a sentence and, for each column, its value, its distance from
    the best of the query and of the other criteria, and the rank by the first column.
    """
    n, owner, offsets = view.sizes, view.owner, view.offsets
    words = np.asarray(view.tokens.words.sum(axis=1)).ravel()
    place = view.place / np.maximum(n[owner] - 1, 1)
    blocks = [each[:, None] for each in (np.log1p(view.place), place, np.log(n[owner]), np.log1p(words))]
    blocks.append(np.log1p(ranks(columns[0], offsets)))
    for values in columns:
        best = np.maximum.reduceat(values, offsets[:-1], axis=0)[owner]
        blocks += [values, values - best]
        if values.shape[1] > 1:
            ordered = np.sort(values, axis=1)
            rival = np.where(values == ordered[:, -1:], ordered[:, -2:-1], ordered[:, -1:])
            blocks.append(values - rival)
    return stacked(blocks, columns[0].shape).reshape(*columns[0].shape, -1)
