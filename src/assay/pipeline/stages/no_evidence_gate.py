"""P4: whether a query has any evidence at all, from the distribution of its scores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.array_types import Bools, Floats, Ints
from assay.errors import AssayError
from assay.pipeline.explanations.explanation import GATE, Block, Explanation, summed
from assay.pipeline.explanations.feature_names import (
    AMOUNT,
    CRITERION,
    SENTENCES,
    SHARE,
    column_name,
    ordinal,
)
from assay.pipeline.models.boosting import SURE, BoostingSettings, Features, stacked
from assay.pipeline.models.shrunk_boosting import ShrunkBoosting
from assay.pipeline.query_arrays import best_of, by_post, highest_of, mean_of, sum_of
from assay.pipeline.regressions.own_models import KnownCriteria, evidence_counts, taught_criteria, trust
from assay.pipeline.settings import setting
from assay.pipeline.stage import Learns, Stage
from assay.pipeline.views import Columns, Labelled, Unlabelled

AVERAGE = 5.0  # queries of the average criterion that are added to each
SCARCE = 2.0  # queries with evidence of a criterion at which the matching model's share is halved
ANY = "log-odds that any sentence is evidence"
MASS = "expected number of evidence sentences"


@dataclass(frozen=True, slots=True)
class GateSettings(BoostingSettings):
    """`highest`: how many of the best scores are used one by one. `also`: further columns of
    pairs, such as those of models; `posts`: further columns of queries. `half`: queries with
    evidence in TRAIN at which the trees count half.
    """

    rate: float = setting(0.05, low=1e-4, high=1)
    leaves: int = setting(5, low=2)
    highest: int = setting(4, low=1, high=50)
    also: tuple[str, ...] = setting(())
    posts: tuple[str, ...] = setting(("evidence_score",))
    half: float = setting(150.0, low=0)


class NoEvidenceGate(Stage):
    """Gradient boosting on a query's scores.

    learned = t·trees + (1 − t)·regression with t = n / (n + half), n the number of queries with
    evidence in TRAIN (or without, if those are fewer).
    gate = (1 − u)·learned + u·match_gate with u = 1 / (2 + m), m the criterion's own number of
    queries with evidence: the matching model is the better judge of a question that TRAIN does not
    contain. The regression reads the highest node score, the
    log-odds of 1 − Π(1 − σ(node)), the highest scorer score, the log-odds of the matching model, the
    score of the whole post, the further columns, and the criterion's share of queries with evidence.
    The trees read the criterion, its evidence in TRAIN, number of sentences, log-odds of
    1 − Π(1 − σ(node)), Σ σ(node), also over all queries of the post, the `highest` best node scores
    and scorer scores and their means, the matching model's log-odds of evidence, and for every
    criterion the best node score and the score of the whole post; for a further column of pairs the
    two best and the mean, for one of queries the values for every criterion. Both are fitted with
    the logistic loss on cross-fitted columns of TRAIN. A criterion that nothing like it was learned
    from gets its highest score, shifted to the rate of TRAIN, or match_gate if TRAIN does not teach it.
    """

    name = "gate"
    needs: tuple[str, ...] = ("node", "score", "match_gate", "post_score")
    gives = ("gate",)
    learns = Learns.TRAIN
    by_post = True
    settings_type = GateSettings
    settings: GateSettings

    def __init__(self, settings: GateSettings | None = None, *, seed: int = 0) -> None:
        super().__init__(settings, seed=seed)
        self.needs = (*self.needs, *self.settings.also, *self.settings.posts)

    def fit(self, labelled: Labelled) -> None:
        """Fit trees over the queries of all criteria."""
        self._known, known, view = KnownCriteria(labelled), labelled.known, labelled.view
        evidence = labelled.evidence[known]
        self._shares = _shares(view.layout.query_criterion[known], evidence, len(view.criteria))
        features, few = query_features(view, self.settings, self._known)[known], self._few(view)[known]
        self._model = ShrunkBoosting(self.settings, self.seed, features, few, evidence, self.settings.half)
        rate = float(np.clip(evidence.mean() if len(evidence) else 0.0, SURE, 1 - SURE))
        best = highest_of(view.column("node"), view.layout.pair_offsets)
        criterion, count = view.layout.query_criterion, len(view.criteria)
        asked = np.maximum(np.bincount(criterion, minlength=count), 1)
        self._means = np.bincount(criterion, best, minlength=count) / asked
        self._moved = np.log(rate / (1 - rate)) - self._means
        self._taught = taught_criteria(labelled)
        self._shared = 0.5 * (1 - trust(evidence_counts(labelled), SCARCE))

    def apply(self, view: Unlabelled) -> Columns:
        """Return the log-odds of evidence, one per query."""
        gate = self._model(query_features(view, self.settings, self._known), self._few(view))
        best = highest_of(view.column("node"), view.layout.pair_offsets)
        criterion = view.layout.query_criterion
        gate += self._shared[criterion] * (view.column("match_gate") - gate)
        alone = np.where(self._taught[criterion], best + self._moved[criterion], view.column("match_gate"))
        return {"gate": np.where(self._known.learned[criterion], gate, alone)}

    def explain(self, view: Unlabelled, top: Ints) -> tuple[Explanation, ...]:
        """Return the contributions to the log-odds of evidence."""
        many, few = query_blocks(view, self.settings, self._known), self._few_blocks(view)
        values = stacked([block for _, block in (*many, *few)], view.queries)
        parts = self._model.contributions(values[:, : len(many)], self._few(view))
        made = np.concatenate(parts[:2], axis=1)
        names = [name for name, _ in (*many, *few)]
        criterion = view.layout.query_criterion
        shared = self._shared[criterion]
        made *= 1 - shared[:, None]
        made[:, names.index(column_name("match_gate"))] += shared * view.column("match_gate")
        other, taught = ~self._known.learned[criterion], self._taught[criterion]
        best, match = names.index(f"highest {column_name('node')}"), names.index(column_name("match_gate"))
        made[other] = 0.0
        made[other & taught, best] = (values[:, best] - self._means[criterion])[other & taught]
        made[other & ~taught, match] = view.column("match_gate")[other & ~taught]
        values[:, names.index(CRITERION)] = np.nan  # its number has no meaning
        return (summed(GATE, names, values, made),)

    def _few(self, view: Unlabelled) -> Floats:
        """Return the features of the regression, one row per query."""
        return np.stack([block for _, block in self._few_blocks(view)], axis=1)

    def _few_blocks(self, view: Unlabelled) -> list[Block]:
        offsets, node = view.layout.pair_offsets, view.column("node")
        highest, further = ("node", "score", *self.settings.also), self.settings.posts
        best = [(f"highest {column_name(name)}", highest_of(view.column(name), offsets)) for name in highest]
        whole = [(column_name(name), view.column(name)) for name in ("match_gate", "post_score", *further)]
        share = self._shares[view.layout.query_criterion]
        return [best[0], (ANY, any_evidence(node, offsets)), *best[1:], *whole, (SHARE, share)]


def _shares(criterion: Ints, evidence: Bools, count: int) -> Floats:
    """Return the log-odds of evidence per criterion, each with a few queries of the average one."""
    mean = float(np.clip(evidence.mean() if len(evidence) else 0.0, SURE, 1 - SURE))
    share = np.bincount(criterion, evidence, count) + AVERAGE * mean
    share /= np.bincount(criterion, minlength=count) + AVERAGE
    return np.log(share / (1 - share))


def any_evidence(node: Floats, offsets: Ints) -> Floats:
    """Return the log-odds of 1 − Π(1 − σ(node)): that any sentence of a query is evidence."""
    chance = 1 / (1 + np.exp(-node))
    none = sum_of(np.log1p(-np.minimum(chance, 1 - 1e-12)), offsets)
    return np.log(-np.expm1(none) + 1e-12) - none


def query_features(view: Unlabelled, settings: GateSettings, known: KnownCriteria) -> Features:
    """Return one row per query; the criterion's code comes first."""
    return stacked([block for _, block in query_blocks(view, settings, known)], view.queries)


def query_blocks(view: Unlabelled, settings: GateSettings, known: KnownCriteria) -> list[Block]:
    """Return the features of the trees with their names, one value per query."""
    layout, node = view.layout, view.column("node")
    offsets, criterion, post = layout.pair_offsets, layout.query_criterion, layout.query_post
    some, mass = any_evidence(node, offsets), sum_of(1 / (1 + np.exp(-node)), offsets)
    blocks: list[Block] = [
        (CRITERION, known.codes[criterion]),
        (AMOUNT, known.amount[criterion]),
        (SENTENCES, layout.query_sizes),
        (ANY, some),
        (MASS, mass),
        (f"{MASS}, all criteria", np.bincount(post, mass, minlength=len(view.posts))[post]),
    ]
    for name in ("node", "score"):
        blocks += _best(view, name, settings.highest)
    blocks += [(column_name(name), view.column(name)) for name in ("match_gate", "post_score")]
    blocks += _others(f"highest {column_name('node')}", highest_of(node, offsets), view, known)
    blocks += _others(column_name("post_score"), view.column("post_score"), view, known)
    for name in settings.also:
        _check(view, name, view.pairs)
        blocks += _best(view, name, 2)
    for name in settings.posts:
        _check(view, name, view.queries)
        values = view.column(name)
        blocks += [(column_name(name), values), *_others(column_name(name), values, view, known)]
    return blocks


def _best(view: Unlabelled, column: str, count: int) -> list[Block]:
    """Return the best values of a column of pairs, and their mean."""
    values, offsets, said = view.column(column), view.layout.pair_offsets, column_name(column)
    best = best_of(values, offsets, count)
    named: list[Block] = [(f"{ordinal(rank)} {said}", block) for rank, block in enumerate(best)]
    return [*named, (f"mean {said}", mean_of(values, offsets))]


def _others(said: str, values: Floats, view: Unlabelled, known: KnownCriteria) -> list[Block]:
    """Return the values of the post's queries, one array per criterion."""
    if len(known.closed) < 2:
        return []
    grid = by_post(values, view.layout, known.closed.tolist())[view.layout.query_post]
    return [
        (f"{said}, for {view.criteria[at]}", block) for at, block in zip(known.closed, grid.T, strict=True)
    ]


def _check(view: Unlabelled, name: str, rows: int) -> None:
    """Refuse a column with another number of rows: pairs or queries."""
    if len(view.column(name)) != rows:
        raise AssayError(f"[gate] column {name!r}: `also` is for pairs, `posts` for queries")
