"""Queries as batches of tensors for the networks of the extra `gnn`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from assay.array_types import Bools, Floats, Ints
from assay.pipeline.networks.sentence_graph import edges_of, pair_edges
from assay.pipeline.regressions.own_models import KnownCriteria
from assay.pipeline.stages.embedding_scorer import dense_of
from assay.pipeline.view_layout import Layout, Taken, runs
from assay.pipeline.views import Unlabelled

if TYPE_CHECKING:
    from assay.pipeline.networks.network_modules import Batch

MOST = 8192  # pairs per batch, give or take one query: bounds the memory
FAR = 6.0  # standard deviations at which a feature is clipped
SCALED = ("pairs", "queries")
Scales = Mapping[str, Floats]


@dataclass(frozen=True, slots=True, eq=False)
class Inputs:
    """What a network reads from a view."""

    pairs: Floats  # pairs × features
    queries: Floats  # queries × features
    base: Floats  # the input log-odds: one per pair or one per query


@dataclass(frozen=True, slots=True, eq=False)
class Batches:
    """A view from which batches of any of its queries are made. `nearest`: edges by cosine."""

    view: Unlabelled
    inputs: Inputs
    scales: Scales
    slots: Ints  # of each criterion
    nearest: int
    of_pairs: bool  # whether base and gold have one value per pair

    def of(self, queries: Ints, gold: Bools | None = None) -> Batch:
        """Return the batch of some queries, in increasing order; with gold for training."""
        from assay.pipeline.networks.network_modules import Batch, torch

        kept = taken_queries(self.view.layout, queries)
        layout, own = kept.layout, kept.pairs if self.of_pairs else kept.queries
        dense, texts = dense_of(self.view)
        criteria, criterion = np.unique(layout.query_criterion, return_inverse=True)
        edges = edges_of(layout, dense[kept.sentences], self.nearest)
        tensor, single = torch.from_numpy, np.float32
        learned: dict[str, Any] = {}
        if gold is not None:
            learned["gold"] = tensor(gold[own])
            if self.of_pairs:
                pairs, weight = ranked_pairs(gold[own], layout.pair_offsets)
                learned |= {"pairs": tensor(pairs), "weight": tensor(weight.astype(single))}
        return Batch(
            numbers=tensor(scaled(self.inputs.pairs[kept.pairs], self.scales, "pairs")),
            queries=tensor(scaled(self.inputs.queries[kept.queries], self.scales, "queries")),
            base=tensor(self.inputs.base[own].astype(single)),
            dense=tensor(dense[kept.sentences].astype(single)),
            asked=tensor(texts[criteria].astype(single)),
            slots=tensor(self.slots[criteria]),
            sentence=tensor(layout.pair_sentence),
            query=tensor(layout.pair_query),
            criterion=tensor(criterion),
            edges=tuple(tensor(pair_edges(each, layout)) for each in edges),
            **learned,
        )


def split_queries(queries: Ints, layout: Layout, least: int = 1) -> list[Ints]:
    """Return queries in at least `least` parts of about the same number of pairs, in their order.

    No part has `MOST` pairs or more before its last query.
    """
    sizes = layout.query_sizes[queries]
    ends = np.cumsum(sizes)
    total = int(ends[-1]) if len(ends) else 0
    part = (ends - sizes) * max(least, -(-total // MOST)) // max(total, 1)
    parts = np.split(queries, np.flatnonzero(np.diff(part)) + 1)
    return [np.sort(each) for each in parts if len(each)]


def taken_queries(layout: Layout, queries: Ints) -> Taken:
    """Return the layout of some queries, in increasing order, and of the posts they are asked of."""
    posts, post = np.unique(layout.query_post[queries], return_inverse=True)
    sizes = layout.sizes[posts]
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    names = tuple(layout.posts[at] for at in posts)
    kept = Layout(names, layout.criteria, offsets, post, layout.query_criterion[queries])
    sentences = runs(layout.offsets[:-1][posts], sizes)
    return Taken(kept, posts, sentences, queries, runs(layout.pair_offsets[:-1][queries], kept.query_sizes))


def slots_of(known: KnownCriteria) -> Ints:
    """Return the slot of each criterion: its code, or one more that all without a code share."""
    shared = np.isnan(known.codes)
    return np.where(shared, len(known.closed), np.nan_to_num(known.codes)).astype(np.int64)


def ranked_pairs(gold: Bools, offsets: Ints) -> tuple[Ints, Floats]:
    """Return every (evidence, other) pair of every query, as places in `gold`.

    Each has a weight of 1 over the number of pairs of its query.
    """
    query = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    better, worse = np.flatnonzero(gold), np.flatnonzero(~gold)
    count = np.bincount(query[better], minlength=len(offsets) - 1)
    others = np.diff(offsets) - count
    first = np.cumsum(others) - others
    own = query[better]
    lengths = others[own]
    pairs = np.stack([np.repeat(better, lengths), worse[runs(first[own], lengths)]])
    return pairs, np.repeat(1 / np.maximum(count * others, 1)[own], lengths)


def scales_of(inputs: Inputs) -> dict[str, Floats]:
    """Return mean and deviation of each feature; 0 and 1 if it is missing or constant."""
    out: dict[str, Floats] = {}
    for name in SCALED:
        values: Floats = getattr(inputs, name)
        both = [_scale(values[:, at]) for at in range(values.shape[1])]
        out[f"scale.{name}.mean"] = np.array([mean for mean, _ in both])
        out[f"scale.{name}.width"] = np.array([width for _, width in both])
    return out


def scaled(values: Floats, scales: Scales, name: str) -> NDArray[np.float32]:
    """Scale to mean 0 and deviation 1 on TRAIN, clipped; missing values become the mean."""
    mean, width = scales[f"scale.{name}.mean"], scales[f"scale.{name}.width"]
    cut = np.clip((values - mean) / width, -FAR, FAR)
    return np.nan_to_num(cut).astype(np.float32)


def _scale(values: Floats) -> tuple[float, float]:
    there = values[np.isfinite(values)].astype(np.float64)
    width = float(there.std()) if len(there) else 0.0
    return float(there.mean()) if len(there) else 0.0, width if width > 1e-6 else 1.0
