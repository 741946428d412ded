"""P4 of the extra `gnn`: whether a query has evidence, by attention over its sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.array_types import Floats
from assay.errors import InputError
from assay.pipeline.models.boosting import stacked
from assay.pipeline.networks.network_batches import Inputs
from assay.pipeline.networks.network_stage import NetworkSettings, NetworkStage
from assay.pipeline.query_arrays import highest_of
from assay.pipeline.regressions.own_models import KnownCriteria
from assay.pipeline.settings import Settings, setting
from assay.pipeline.stages.no_evidence_gate import GateSettings, query_features
from assay.pipeline.views import Columns, Unlabelled

if TYPE_CHECKING:
    from assay.pipeline.networks.network_modules import Sizes
    from assay.pipeline.networks.network_training import Loss


@dataclass(frozen=True, slots=True)
class GraphGateSettings(NetworkSettings):
    """`share`: weight of the network in the gate; 1 replaces the boosted gate.
    `highest`: how many of the best scores are used. `power`: exponent of the focal loss.
    """

    share: float = setting(0.5, low=0, high=1)
    heads: int = setting(2, low=1, high=16)
    highest: int = setting(4, low=1, high=50)
    power: float = setting(2.0, low=0, high=10)


class GraphGate(NetworkStage):
    """Graph attention over a post's sentences, pooled by attention, with the query's own features.

    h as in `graph`; h ← h + gelu(GAT(h)) over the edges of the graph; u = Σ_i softmax_i(w·h_i)·h_i
    over the sentences of the query; z = a·(highest node) + v·[u; gelu(Q·query + e_c)] + b with e_c
    a vector of the criterion plus a linear map of its text's embedding, a starting at 1 and v at 0,
    trained with the focal loss −(1 − p)^power · ln p. gate = (1 − share)·gate + share·z. A criterion
    that nothing like it was learned from keeps its input.
    """

    name = "graph_gate"
    needs: tuple[str, ...] = ("node", "score", "match_gate", "post_score")
    gives = ("gate",)
    of_pairs = False
    settings_type = GraphGateSettings
    settings: GraphGateSettings

    def __init__(self, settings: Settings | None = None, *, seed: int = 0) -> None:
        super().__init__(settings, seed=seed)
        if self.settings.width % self.settings.heads:
            problem = f"width is {self.settings.width}"
            expected = f"expected a multiple of heads ({self.settings.heads})"
            raise InputError.of(self.name, problem, expected)
        if self.settings.share < 1:  # it overwrites the gate, so it needs it
            self.needs = (*self.needs, "gate")

    def apply(self, view: Unlabelled) -> Columns:
        """Return the log-odds of evidence, one per query."""
        if self.settings.share == 1:
            return super().apply(view)
        before = view.column("gate")
        if self._network is None or self._known is None:
            return {"gate": before}
        share = self.settings.share * self._known.learned[view.layout.query_criterion]
        return {"gate": (1 - share) * before + share * super().apply(view)["gate"]}

    def _base(self, view: Unlabelled) -> Floats:
        return highest_of(view.column("node"), view.layout.pair_offsets)

    def _inputs(self, view: Unlabelled, known: KnownCriteria) -> Inputs:
        blocks: list[Floats] = []
        for values in (view.column("node"), view.column("score")):
            best = highest_of(values, view.layout.pair_offsets)
            blocks += [values, values - best[view.layout.pair_query]]
        told = GateSettings(highest=self.settings.highest, posts=())
        queries = query_features(view, told, known)[:, 1:]  # the network has its own code
        pairs = stacked(blocks, view.pairs).astype(np.float64)
        return Inputs(pairs, queries.astype(np.float64), base=self._base(view))

    def _made(self, sizes: Sizes) -> Any:
        from assay.pipeline.networks.network_modules import QueryNetwork

        made = self.settings
        return QueryNetwork(sizes, made.width, made.heads, made.drop, edges=made.edges)

    def _loss(self) -> Loss:
        from assay.pipeline.networks.network_training import focal

        return focal(self.settings.power)
