"""P3 of the extra `gnn`: score a sentence with its neighbours in a graph of its post."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.array_types import Floats
from assay.pipeline.models.boosting import stacked
from assay.pipeline.networks.network_batches import Inputs
from assay.pipeline.networks.network_stage import NetworkSettings, NetworkStage
from assay.pipeline.query_arrays import highest_of, ranks, rivals
from assay.pipeline.regressions.own_models import KnownCriteria
from assay.pipeline.settings import Settings, setting
from assay.pipeline.stages.neighbours import DENSE
from assay.pipeline.views import Unlabelled

if TYPE_CHECKING:
    from assay.pipeline.networks.network_modules import Sizes
    from assay.pipeline.networks.network_training import Loss


@dataclass(frozen=True, slots=True)
class GraphSettings(NetworkSettings):
    """`base`: the column that is corrected. `point`: weight of the pointwise loss."""

    base: str = setting("node", choices=("node", "score"))
    rounds: int = setting(1, low=0, high=8)
    point: float = setting(1.0, low=0, high=100)


class GraphReranker(NetworkStage):
    """GraphSAGE with separate weights for each kind of edge, added to the input column.

    h = gelu(A·numbers + k_c ⊙ D·embedding + b_c), where k_c and b_c are each a vector of the
    criterion plus a linear map of its text's embedding; criteria with little evidence in TRAIN
    share one vector. In each round h ← h + gelu(W·h + Σ_r W_r · mean of h over the neighbours by
    r), r the previous sentence, the next, and the `nearest` by cosine; node = a·base + v·h + b with
    a starting at 1 and v at 0. The loss is the mean over queries of ln(1 + e^(z⁻ − z⁺)) over their
    (evidence, other) pairs, plus `point` times the logistic loss of all pairs. A criterion that
    nothing like it was learned from keeps its input.
    """

    name = "graph"
    gives = ("node",)
    of_pairs = True
    ranks = "node"
    settings_type = GraphSettings
    settings: GraphSettings

    def __init__(self, settings: Settings | None = None, *, seed: int = 0) -> None:
        super().__init__(settings, seed=seed)
        # The input column is the first.
        self.needs = tuple(dict.fromkeys((self.settings.base, "score", "bm25", "cosine", *DENSE)))

    def _base(self, view: Unlabelled) -> Floats:
        return view.column(self.settings.base)

    def _inputs(self, view: Unlabelled, known: KnownCriteria) -> Inputs:
        columns = [view.column(name) for name in self.needs]
        return Inputs(_features(view, columns), np.empty((view.queries, 0)), base=columns[0])

    def _made(self, sizes: Sizes) -> Any:
        from assay.pipeline.networks.network_modules import PairNetwork

        made = self.settings
        return PairNetwork(sizes, made.width, made.rounds, made.drop, edges=made.edges)

    def _loss(self) -> Loss:
        from assay.pipeline.networks.network_training import ranking

        return ranking(self.settings.point)


def _features(view: Unlabelled, columns: list[Floats]) -> Floats:
    """Return position and length of a sentence, its rank by the first column and, for each column,
    its value and its distance from the best of the query and from the best of the post's other
    queries for the same sentence.
    """
    layout = view.layout
    sentence, query, offsets = layout.pair_sentence, layout.pair_query, layout.pair_offsets
    n, place = layout.query_sizes[query], layout.place[sentence]
    words = view.tokens.lengths
    blocks = [np.log1p(place), place / np.maximum(n - 1, 1), np.log(n), np.log1p(words)[sentence]]
    blocks.append(np.log1p(ranks(columns[0], offsets)))
    for values in columns:
        blocks += [values, values - highest_of(values, offsets)[query], values - rivals(values, layout)]
    return stacked(blocks, view.pairs).astype(np.float64)
