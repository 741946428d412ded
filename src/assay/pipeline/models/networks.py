"""Networks over the sentences of a post, for the extra `gnn`; loaded by the stages that fit them.

Pairs are dense: a tensor of sentences × criteria × width. Edges connect sentences, so a message
goes from a pair to the pair of another sentence with the same criterion.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from assay.pipeline.models.extras import extra
from assay.pipeline.models.sentence_graph import RELATIONS

torch: Any = extra("torch", "gnn")
with warnings.catch_warnings():  # torch_geometric 2.8 still scripts some functions
    warnings.filterwarnings("ignore", r"`torch\.jit\.script", DeprecationWarning)
    geometric: Any = extra("torch_geometric.nn", "gnn")
Tensor = Any  # torch's own; mypy does not follow torch
Sizes = tuple[int, int, int, int]  # of a pair's features, embedding, criteria, a query's features
Module: Any = torch.nn.Module
gelu = torch.nn.functional.gelu


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Some posts as tensors; gold and what follows from it exist only in training."""

    numbers: Tensor  # sentences × criteria × features
    dense: Tensor  # sentences × width of the embedding
    queries: Tensor  # posts × criteria × features
    base: Tensor  # the input log-odds, of pairs or of queries
    edges: tuple[Tensor, ...]  # for each relation source and target, by sentence
    owner: Tensor  # the post of each sentence
    gold: Tensor = None  # like base
    known: Tensor = None  # like base: what may be learned from
    pairs: Tensor = None  # evidence and another sentence of the same query, as places in base
    weight: Tensor = None  # of each of them: every query counts the same


class Read(Module):
    """Combine a pair's own features, the embedding of its sentence, and its criterion."""

    def __init__(self, sizes: Sizes, width: int, drop: float) -> None:
        super().__init__()
        numbers, dense, criteria, _ = sizes
        self.drop = torch.nn.Dropout(drop)
        self.numbers = torch.nn.Linear(numbers, width)
        self.dense = torch.nn.Linear(dense, width, bias=False)
        self.key = torch.nn.Embedding(criteria, width)
        self.code = torch.nn.Embedding(criteria, width)

    def forward(self, batch: Batch) -> Tensor:
        """Return sentences × criteria × width."""
        meaning = self.dense(self.drop(batch.dense))[:, None] * self.key.weight
        return gelu(self.numbers(batch.numbers) + self.code.weight + meaning)


class Round(Module):
    """x ↦ W·x + Σ over relations r of W_r · (mean of x over the neighbours by r)."""

    def __init__(self, width: int, *, edges: bool) -> None:
        super().__init__()
        self.root = torch.nn.Linear(width, width)
        self.along = torch.nn.ModuleList(
            geometric.SAGEConv(width, width, root_weight=False, bias=False, node_dim=0)
            for _ in (RELATIONS if edges else ())
        )

    def forward(self, x: Tensor, edges: Sequence[Tensor]) -> Tensor:
        """Return the same shape."""
        out = self.root(x)
        for along, edge in zip(self.along, edges, strict=False):  # no edges, no messages
            out = out + along(x, edge)
        return out


class Blend(Module):
    """a·base + v·x + b, which equals the base before training."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.share = torch.nn.Parameter(torch.ones(1))
        self.last = torch.nn.Linear(width, 1)
        torch.nn.init.zeros_(self.last.weight)
        torch.nn.init.zeros_(self.last.bias)

    def forward(self, base: Tensor, x: Tensor) -> Tensor:
        """Return the shape of the base."""
        return self.share * base + self.last(x).squeeze(-1)


class PairNetwork(Module):
    """P3: rounds of messages, added to the input log-odds with a learned weight."""

    def __init__(self, sizes: Sizes, width: int, rounds: int, drop: float, *, edges: bool) -> None:
        super().__init__()
        self.read = Read(sizes, width, drop)
        self.rounds = torch.nn.ModuleList(Round(width, edges=edges) for _ in range(rounds))
        self.blend = Blend(width)
        self.drop = torch.nn.Dropout(drop)

    def forward(self, batch: Batch) -> Tensor:
        """Return the log-odds of pairs."""
        x = self.read(batch)
        for each in self.rounds:
            x = x + self.drop(gelu(each(self.drop(x), batch.edges)))
        return self.blend(batch.base, x)


class QueryNetwork(Module):
    """P4: attention over edges, then over the sentences of a query, then its own features."""

    def __init__(self, sizes: Sizes, width: int, heads: int, drop: float, *, edges: bool) -> None:
        super().__init__()
        _, _, criteria, queries = sizes
        self.read = Read(sizes, width, drop)
        self.along = geometric.GATConv(width, width // heads, heads=heads) if edges else None
        self.pool = geometric.AttentionalAggregation(torch.nn.Linear(width, 1))
        self.queries = torch.nn.Linear(queries, width)
        self.code = torch.nn.Embedding(criteria, width)
        self.blend = Blend(2 * width)
        self.drop = torch.nn.Dropout(drop)

    def forward(self, batch: Batch) -> Tensor:
        """Return the log-odds of queries."""
        x = self.read(batch)
        criteria = x.shape[1]
        if self.along is not None:
            edges = _for_each(torch.cat(batch.edges, dim=1), criteria)
            flat = self.drop(x).flatten(0, 1)
            x = x + self.drop(gelu(self.along(flat, edges))).view_as(x)
        query = batch.owner[:, None] * criteria + torch.arange(criteria)
        pooled = self.pool(x.flatten(0, 1), query.flatten(), dim_size=batch.base.numel())
        own = gelu(self.queries(batch.queries) + self.code.weight)
        joined = torch.cat([pooled.view_as(own), own], dim=-1)
        return self.blend(batch.base, self.drop(joined))


def _for_each(edges: Tensor, criteria: int) -> Tensor:
    """Return edges of sentences as edges of pairs: one per criterion."""
    return (edges[:, :, None] * criteria + torch.arange(criteria)).flatten(1)
