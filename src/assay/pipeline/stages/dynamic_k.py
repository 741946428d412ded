"""P2: how many of a query's ranked sentences are returned."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.array_types import Floats, Ints
from assay.pipeline.query_arrays import order_of, sum_of
from assay.pipeline.settings import Settings, setting
from assay.pipeline.stage import Stage
from assay.pipeline.views import Columns, Unlabelled

ROUNDING = 1e-12  # a mass that equals γ up to the rounding of a sum counts as γ


@dataclass(frozen=True, slots=True)
class DynamicKSettings(Settings):
    """The policy and its bounds: k_min, k_max and a share of the candidates."""

    policy: str = setting("mass", choices=("fixed", "threshold", "mass"))
    k: int = setting(3, low=1)
    threshold: float = setting(0.5, low=0, high=1)
    gamma: float = setting(0.8, low=0, high=1)
    k_min: int = setting(1, low=0)
    k_max: int = setting(10, low=1)
    share: float = setting(1.0, low=0.01, high=1)


class DynamicK(Stage):
    """Choose K for each query, before the gate.

    fixed: k. threshold: the number of candidates with p ≥ t. mass: the smallest k with
    Σ of the k highest p ≥ γ · Σ p. Then K is clipped to [k_min, min(k_max, ⌈share · n⌉, n)] for n
    candidates; if the two bounds contradict each other, the upper one wins.
    """

    name = "dynamic_k"
    needs = ("node_prob", "candidate")
    gives = ("k",)
    settings_type = DynamicKSettings
    settings: DynamicKSettings

    def apply(self, view: Unlabelled) -> Columns:
        """Return K, one number per query."""
        taken, offsets = view.column("candidate") > 0, view.layout.pair_offsets
        chance = np.where(taken, view.column("node_prob"), 0.0)
        n = sum_of(taken.astype(np.int64), offsets)
        if self.settings.policy == "fixed":
            k = np.full(n.shape, self.settings.k)
        elif self.settings.policy == "threshold":
            k = sum_of((taken & (chance >= self.settings.threshold)).astype(np.int64), offsets)
        else:
            k = mass_k(chance, offsets, self.settings.gamma)
        share = np.ceil(self.settings.share * n - ROUNDING).astype(np.int64)
        upper = np.minimum(np.minimum(self.settings.k_max, share), n)
        return {"k": np.minimum(np.maximum(k, self.settings.k_min), upper).astype(np.float64)}


def mass_k(chance: Floats, offsets: Ints, gamma: float) -> Ints:
    """Return the smallest k whose share of the query's mass reaches γ; 0 if there is no mass."""
    sizes, total = np.diff(offsets), sum_of(chance, offsets)
    query = np.repeat(np.arange(len(sizes)), sizes)
    summed = np.cumsum(chance[order_of(chance, offsets)])
    within = summed - np.concatenate([[0.0], summed])[offsets[:-1]][query]
    short = within < gamma * total[query] * (1 - ROUNDING)
    k = sum_of(short.astype(np.int64), offsets) + 1
    return np.where(total > 0, np.minimum(k, sizes), 0)
