"""P4: whether a query has any evidence at all, from the distribution of its scores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.array_types import Floats
from assay.errors import AssayError
from assay.pipeline.models.boosting import SURE, Boosted, BoostingSettings, stacked
from assay.pipeline.models.own_models import KnownCriteria
from assay.pipeline.query_arrays import best_of, by_post, highest_of, mean_of, sum_of
from assay.pipeline.settings import setting
from assay.pipeline.stage import Learns, Stage
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

    gate = Σ trees(criterion, its evidence in TRAIN, number of sentences, log-odds of
    1 − Π(1 − σ(node)), Σ σ(node), also over all queries of the post, the `highest` best node scores
    and scorer scores and their means, the matching model's log-odds of evidence, and for every
    criterion the best node score and the score of the whole post; for a further column of
    pairs the two best and the mean, for one of queries the values for every criterion), fitted with
    the logistic loss on cross-fitted columns of TRAIN. A criterion that nothing like it was learned
    from gets its highest score, shifted to the rate of TRAIN.
    """

    name = "gate"
    needs: tuple[str, ...] = ("node", "score", "match_gate", "post_score")
    gives = ("gate",)
    learns = Learns.TRAIN
    settings_type = GateSettings
    settings: GateSettings

    def __init__(self, settings: GateSettings | None = None, *, seed: int = 0) -> None:
        super().__init__(settings, seed=seed)
        self.needs = (*self.needs, *self.settings.also, *self.settings.posts)

    def fit(self, labelled: Labelled) -> None:
        """Fit trees over the queries of all criteria."""
        self._known, known, view = KnownCriteria(labelled), labelled.known, labelled.view
        evidence = labelled.evidence[known]
        features = query_features(view, self.settings, self._known)
        self._trees = Boosted(self.settings, self.seed, features[known], evidence)
        rate = float(np.clip(evidence.mean() if len(evidence) else 0.0, SURE, 1 - SURE))
        best = highest_of(view.column("node"), view.layout.pair_offsets)
        criterion, count = view.layout.query_criterion, len(view.criteria)
        asked = np.maximum(np.bincount(criterion, minlength=count), 1)
        means = np.bincount(criterion, best, minlength=count) / asked
        self._moved = np.log(rate / (1 - rate)) - means

    def apply(self, view: Unlabelled) -> Columns:
        """Return the log-odds of evidence, one per query."""
        trees = self._trees(query_features(view, self.settings, self._known))
        best = highest_of(view.column("node"), view.layout.pair_offsets)
        criterion = view.layout.query_criterion
        return {"gate": np.where(self._known.learned[criterion], trees, best + self._moved[criterion])}


def query_features(view: Unlabelled, settings: GateSettings, known: KnownCriteria) -> Floats:
    """Return one row per query; the criterion's code comes first."""
    layout, node = view.layout, view.column("node")
    offsets, criterion, post = layout.pair_offsets, layout.query_criterion, layout.query_post
    chance = 1 / (1 + np.exp(-node))
    none = sum_of(np.log1p(-np.minimum(chance, 1 - 1e-12)), offsets)
    some = np.log(-np.expm1(none) + 1e-12) - none  # log-odds that any sentence is evidence
    mass = sum_of(chance, offsets)
    whole = np.bincount(post, mass, minlength=len(view.posts))[post]
    blocks = [known.codes[criterion], known.amount[criterion], layout.query_sizes, some, mass, whole]
    for values in (node, view.column("score")):
        blocks += [*best_of(values, offsets, settings.highest), mean_of(values, offsets)]
    blocks += [view.column("match_gate"), view.column("post_score")]
    blocks += _others(highest_of(node, offsets), view, known)
    blocks += _others(view.column("post_score"), view, known)
    for name in settings.also:
        values = _of(view, name, view.pairs)
        blocks += [*best_of(values, offsets, 2), mean_of(values, offsets)]
    for name in settings.posts:
        values = _of(view, name, view.queries)
        blocks += [values, *_others(values, view, known)]
    return stacked(blocks, view.queries)


def _others(values: Floats, view: Unlabelled, known: KnownCriteria) -> list[Floats]:
    """Return the values of the post's queries, one array per criterion."""
    if len(known.closed) < 2:
        return []
    return list(by_post(values, view.layout, known.closed.tolist())[view.layout.query_post].T)


def _of(view: Unlabelled, name: str, rows: int) -> Floats:
    """Return a column with this many rows: pairs or queries."""
    values = view.column(name)
    if len(values) != rows:
        raise AssayError(f"[gate] column {name!r}: `also` is for pairs, `posts` for queries")
    return values
