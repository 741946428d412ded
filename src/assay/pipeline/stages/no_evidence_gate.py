"""P4: whether a query has any evidence at all, from the distribution of its scores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.array_types import Floats, Ints
from assay.errors import AssayError
from assay.pipeline.models.boosting import SURE, Boosted, BoostingSettings
from assay.pipeline.settings import setting
from assay.pipeline.stage import Learns, Stage
from assay.pipeline.stages.neighbours import stacked
from assay.pipeline.views import Columns, Labelled, Unlabelled


@dataclass(frozen=True, slots=True)
class GateSettings(BoostingSettings):
    """`highest`: how many of the best scores are used one by one. `also`: further columns of
    pairs, such as those of models; `posts`: further columns of queries.
    """

    rate: float = setting(0.05, low=1e-4, high=1)
    leaves: int = setting(5, low=2)
    highest: int = setting(4, low=1, high=50)
    also: tuple[str, ...] = setting(())
    posts: tuple[str, ...] = setting(("evidence_score",))


class NoEvidenceGate(Stage):
    """Gradient boosting on a query's scores.

    gate = Σ trees(criterion, number of sentences, log-odds of 1 − Π(1 − σ(node)), Σ σ(node), also
    over all criteria, the `highest` best node scores and scorer scores and their means, and for
    every criterion the best node score and the score of the whole post; for a further column of
    pairs the two best and the mean, for one of queries the values for every criterion), fitted with
    the logistic loss on cross-fitted columns of TRAIN. A criterion that is not learned gets its
    highest score, shifted to the rate of TRAIN.
    """

    name = "gate"
    needs: tuple[str, ...] = ("node", "score", "post_score")
    gives = ("gate",)
    learns = Learns.TRAIN
    settings_type = GateSettings
    settings: GateSettings

    def __init__(self, settings: GateSettings | None = None, *, seed: int = 0) -> None:
        super().__init__(settings, seed=seed)
        self.needs = (*self.needs, *self.settings.also, *self.settings.posts)

    def fit(self, labelled: Labelled) -> None:
        """Fit trees over the queries of all criteria."""
        known = labelled.known.reshape(-1)
        self._learned = labelled.known.any(axis=0)
        evidence = labelled.evidence.reshape(-1)[known]
        features = query_features(labelled.view, self.settings)
        self._trees = Boosted(self.settings, self.seed, features[known], evidence)
        rate = float(np.clip(evidence.mean() if len(evidence) else 0.0, SURE, 1 - SURE))
        best = highest_of(labelled.view.column("node"), labelled.view.offsets)
        self._moved = np.log(rate / (1 - rate)) - best.mean(axis=0)

    def apply(self, view: Unlabelled) -> Columns:
        """Return the log-odds of evidence, one per query."""
        trees = self._trees(query_features(view, self.settings))
        best = highest_of(view.column("node"), view.offsets)
        return {"gate": np.where(self._learned, trees.reshape(best.shape), best + self._moved)}


def highest_of(values: Floats, offsets: Ints) -> Floats:
    """Return the highest value of each query."""
    return np.asarray(np.maximum.reduceat(values, offsets[:-1], axis=0))


def query_features(view: Unlabelled, settings: GateSettings) -> Floats:
    """Return one row per query; the criterion's code comes first."""
    node, offsets, n = view.column("node"), view.offsets, view.sizes[:, None]
    shape = (len(view.posts), len(view.criteria))
    chance = 1 / (1 + np.exp(-node))
    none = np.add.reduceat(np.log1p(-np.minimum(chance, 1 - 1e-12)), offsets[:-1], axis=0)
    some = np.log(-np.expm1(none) + 1e-12) - none  # log-odds that any sentence is evidence
    best = highest_of(node, offsets)
    mass = np.add.reduceat(chance, offsets[:-1], axis=0)
    blocks = [np.arange(shape[1])[None, :], n, some, mass, mass.sum(axis=1, keepdims=True)]
    for values in (node, view.column("score")):
        blocks += _best(values, offsets, settings.highest)
        blocks.append(np.add.reduceat(values, offsets[:-1], axis=0) / n)
    blocks.append(view.column("post_score"))
    if shape[1] > 1:
        for values in (best, view.column("post_score")):
            blocks += [values[:, [at]] for at in range(shape[1])]
    for name in settings.also:
        values = _of(view, name, len(view.owner))
        blocks += [*_best(values, offsets, 2), np.add.reduceat(values, offsets[:-1], axis=0) / n]
    for name in settings.posts:
        values = _of(view, name, len(view.posts))
        blocks += [values, *(values[:, [at]] for at in range(shape[1]) if shape[1] > 1)]
    return stacked(blocks, shape)


def _of(view: Unlabelled, name: str, rows: int) -> Floats:
    """Return a column with this many rows: sentences or posts."""
    values = view.column(name)
    if len(values) != rows:
        raise AssayError(f"[gate] column {name!r}: `also` is for pairs, `posts` for queries")
    return values


def _best(values: Floats, offsets: Ints, count: int) -> list[Floats]:
    """Return the best values of each query, one array per rank; NaN beyond a post's sentences."""
    sizes = np.diff(offsets)
    owner = np.repeat(np.arange(len(sizes)), sizes)
    ordered = np.empty_like(values)
    for criterion in range(values.shape[1]):
        ordered[:, criterion] = values[np.lexsort((-values[:, criterion], owner)), criterion]
    out = []
    for rank in range(count):
        block = np.full((len(sizes), values.shape[1]), np.nan)
        has = sizes > rank
        block[has] = ordered[offsets[:-1][has] + rank]
        out.append(block)
    return out
