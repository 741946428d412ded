"""Blend a criterion's own model with the matching model, by the amount of evidence in TRAIN."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.array_types import Floats, Ints
from assay.pipeline.query_arrays import highest_of, ranks
from assay.pipeline.regressions.own_models import Items, OwnModels, ScorerSettings, evidence_counts, trust
from assay.pipeline.views import Labelled

HALVES = (2.0, 8.0, 32.0)
"""Numbers of queries with evidence that may make a criterion's own model count half."""
USUAL = 8.0
FEW = 60
"""Queries with evidence from which a criterion says nothing about scarce evidence."""
MOST = 40
"""Criteria that are asked: each costs as much as fitting a separate model."""
LEAST = 20
"""Queries with evidence below which the choice would follow noise."""


def chosen_half(labelled: Labelled, settings: ScorerSettings, features: Any, seed: int) -> float:
    """Return the number of queries with evidence at which a criterion's own model counts half.

    Criteria with little evidence are learned on each half of the posts and ranked on the other,
    with every candidate of `HALVES`: the one with the best mean reciprocal rank is chosen.
    """
    counts = evidence_counts(labelled)
    drawn = np.random.default_rng(seed)
    few = drawn.permutation(np.flatnonzero((counts >= 2) & (counts < FEW)))[:MOST]
    if counts[few].sum() < LEAST:
        return USUAL
    layout = labelled.view.layout
    side = drawn.permutation(len(layout.posts)) % 2
    used = np.isin(layout.pair_criterion, few) & labelled.known_pairs
    quality = np.zeros(len(HALVES))
    for held in (0, 1):
        taught = used & (side[layout.query_post] != held)[layout.pair_query]
        asked = np.flatnonzero(used & (side[layout.query_post] == held)[layout.pair_query])
        quality += _reciprocal_ranks(labelled, settings, features, np.flatnonzero(taught), asked, few)
    return HALVES[int(np.argmax(quality))]


def _reciprocal_ranks(
    labelled: Labelled, settings: ScorerSettings, features: Any, taught: Ints, asked: Ints, few: Ints
) -> Floats:
    """Return the summed reciprocal ranks of the best evidence, one sum per candidate of `HALVES`."""
    layout, gold = labelled.view.layout, labelled.gold
    models = OwnModels(settings)
    models.fit(_items(labelled, taught), gold[taught], np.sort(few), features)
    match = labelled.view.column("match")[asked]
    own = models.fill(_items(labelled, asked), features, match.copy())
    evidence = np.unique(layout.pair_query[taught][gold[taught]])
    counts = np.bincount(layout.query_criterion[evidence], minlength=len(layout.criteria))
    query, begin = np.unique(layout.pair_query[asked], return_index=True)
    offsets = np.append(begin, len(asked))
    out = np.zeros(len(HALVES))
    for at, half in enumerate(HALVES):
        weight = trust(counts, half)[layout.pair_criterion[asked]]
        rank = ranks(match + weight * (own - match), offsets)
        out[at] = highest_of(np.where(gold[asked], 1 / (1 + rank), 0.0), offsets).sum() if len(query) else 0
    return out


def _items(labelled: Labelled, pairs: Ints) -> Items:
    layout = labelled.view.layout
    return Items(layout.pair_criterion[pairs], layout.pair_sentence[pairs])
