"""Networks over the candidates of a query, for the extra `gnn`; loaded by the stages that fit them.

A node is a (query, candidate) pair. Edges connect pairs of the same query, so a batch may hold any
queries, whether their criteria are asked of many posts or of one.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from assay.pipeline.models.extras import extra
from assay.pipeline.networks.sentence_graph import RELATIONS

torch: Any = extra("torch", "gnn")
with warnings.catch_warnings():  # torch_geometric 2.8 still scripts some functions
    warnings.filterwarnings("ignore", r"`torch\.jit\.script", DeprecationWarning)
    geometric: Any = extra("torch_geometric.nn", "gnn")
Tensor = Any  # torch's own; mypy does not follow torch
Module: Any = torch.nn.Module
gelu = torch.nn.functional.gelu


class Sizes(NamedTuple):
    """Features per pair, width of the embeddings, slots of criteria, and features per query."""

    numbers: int
    dense: int
    slots: int
    queries: int


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Some queries as tensors; gold and what follows from it exist only in training."""

    numbers: Tensor  # pairs × features
    queries: Tensor  # queries × features
    base: Tensor  # the input log-odds, one per pair or one per query
    dense: Tensor  # sentences × width of the embedding
    asked: Tensor  # criteria × width of the embedding
    slots: Tensor  # the slot of each of these criteria
    sentence: Tensor  # of each pair, as a place in `dense`
    query: Tensor  # of each pair
    criterion: Tensor  # of each query, as a place in `asked`
    edges: tuple[Tensor, ...]  # for each relation source and target, by pair
    gold: Tensor = None  # like base
    pairs: Tensor = None  # evidence and another sentence of the same query, as places in base
    weight: Tensor = None  # of each of them: every query counts the same


class Criterion(Module):
    """A vector per criterion: that of its slot, plus a linear map of the embedding of its text.

    Criteria without a slot of their own share one, so only the text tells them apart.
    """

    def __init__(self, sizes: Sizes, width: int, drop: float) -> None:
        super().__init__()
        self.slot = torch.nn.Embedding(sizes.slots, width)
        self.text = torch.nn.Linear(sizes.dense, width, bias=False)
        self.drop = torch.nn.Dropout(drop)

    def forward(self, batch: Batch) -> Tensor:
        """Return criteria × width."""
        return self.slot(batch.slots) + self.text(self.drop(batch.asked))


class Read(Module):
    """Combine a pair's own features, the embedding of its sentence, and its criterion."""

    def __init__(self, sizes: Sizes, width: int, drop: float) -> None:
        super().__init__()
        self.drop = torch.nn.Dropout(drop)
        self.numbers = torch.nn.Linear(sizes.numbers, width)
        self.dense = torch.nn.Linear(sizes.dense, width, bias=False)
        self.key = Criterion(sizes, width, drop)
        self.code = Criterion(sizes, width, drop)

    def forward(self, batch: Batch) -> Tensor:
        """Return pairs × width."""
        criterion = batch.criterion.index_select(0, batch.query)
        key, code = (each(batch).index_select(0, criterion) for each in (self.key, self.code))
        meaning = self.dense(self.drop(batch.dense)).index_select(0, batch.sentence)
        return gelu(self.numbers(batch.numbers) + code + meaning * key)


class Round(Module):
    """x ↦ W·x + Σ over relations r of W_r · (mean of x over the neighbours by r)."""

    def __init__(self, width: int, *, edges: bool) -> None:
        super().__init__()
        self.root = torch.nn.Linear(width, width)
        self.along = torch.nn.ModuleList(
            geometric.SAGEConv(width, width, root_weight=False, bias=False)
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
        self.read = Read(sizes, width, drop)
        self.along = geometric.GATConv(width, width // heads, heads=heads) if edges else None
        self.pool = geometric.AttentionalAggregation(torch.nn.Linear(width, 1))
        self.queries = torch.nn.Linear(sizes.queries, width)
        self.code = Criterion(sizes, width, drop)
        self.blend = Blend(2 * width)
        self.drop = torch.nn.Dropout(drop)

    def forward(self, batch: Batch) -> Tensor:
        """Return the log-odds of queries."""
        x = self.read(batch)
        if self.along is not None:
            x = x + self.drop(gelu(self.along(self.drop(x), torch.cat(batch.edges, dim=1))))
        pooled = self.pool(x, batch.query, dim_size=len(batch.base))
        code = self.code(batch).index_select(0, batch.criterion)
        own = gelu(self.queries(batch.queries) + code)
        return self.blend(batch.base, self.drop(torch.cat([pooled, own], dim=-1)))
