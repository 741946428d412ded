"""What both stages of the extra `gnn` share: features as tensors, early stopping, weights."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from assay.array_types import Bools, Floats, Ints
from assay.errors import AssayError
from assay.pipeline.models.sentence_graph import edges_of
from assay.pipeline.settings import Settings, setting
from assay.pipeline.stage import Learns, Stage
from assay.pipeline.stages.embedding_scorer import dense_of
from assay.pipeline.views import Columns, Labelled, Unlabelled

if TYPE_CHECKING:
    from assay.pipeline.models.network_training import Loss
    from assay.pipeline.models.networks import Batch

MOST = 8192  # pairs per batch, unless one post has more: bounds the memory
STEPS = 16  # minimum number of batches per epoch: small corpora need steps too
FAR = 6.0  # standard deviations at which a feature is clipped
SCALED = ("pairs", "queries")
Arrays = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, slots=True)
class NetworkSettings(Settings):
    """Size and schedule. `edges = false` is the same network without messages, for comparison."""

    edges: bool = setting(True)
    nearest: int = setting(4, low=0, high=50)
    width: int = setting(32, low=4, high=1024)
    drop: float = setting(0.2, low=0, high=0.9)
    rate: float = setting(3e-3, low=1e-6, high=1)
    decay: float = setting(1e-2, low=0, high=10)
    epochs: int = setting(25, low=1)
    patience: int = setting(3, low=1)
    held: float = setting(0.15, low=0.01, high=0.5)


@dataclass(frozen=True, slots=True, eq=False)
class Inputs:
    """What a network reads from a view."""

    pairs: Floats  # sentences × criteria × features
    queries: Floats  # posts × criteria × features
    base: Floats  # the input log-odds: sentences or posts × criteria


class NetworkStage(Stage):
    """A stage with a network: `fit` stops early on a slice of its posts and never sees TUNE.

    With one class only, or one post, nothing is learned and the input column is kept.
    """

    learns = Learns.TRAIN
    settings: NetworkSettings

    def __init__(self, settings: Settings | None = None, *, seed: int = 0) -> None:
        super().__init__(settings, seed=seed)
        for module in ("torch", "torch_geometric"):
            if find_spec(module) is None:
                problem = f"{module} is not installed"
                raise AssayError(f"{problem}; install the extra: pip install 'assay[gnn]'")
        self._network: Any = None
        self._scales: dict[str, Floats] = {}
        self._learned: Bools = np.zeros(0, dtype=bool)

    @abstractmethod
    def _inputs(self, view: Unlabelled) -> Inputs:
        """Return the features of a view and the input column."""

    @abstractmethod
    def _target(self, labelled: Labelled) -> tuple[Bools, Bools]:
        """Return gold and which of it is known, in the shape of the column."""

    @abstractmethod
    def _made(self, sizes: tuple[int, int, int, int]) -> Any:
        """Return a new network for these numbers of features and criteria."""

    @abstractmethod
    def _loss(self) -> Loss:
        """Return the loss."""

    def fit(self, labelled: Labelled) -> None:
        """Learn from most posts and stop early on the others."""
        from assay.pipeline.models import network_training

        view, inputs = labelled.view, self._inputs(labelled.view)
        gold, known = self._target(labelled)
        self._learned, self._network = np.asarray(labelled.known.any(axis=0)), None
        order = np.random.default_rng(self.seed).permutation(len(view.posts))
        held = round(self.settings.held * len(order)) or 1
        if len(order) < 2 or gold[known].all() or not gold[known].any():
            return
        self._scales = {
            f"scale.{name}.{part}": values
            for name in SCALED
            for part, values in _scale(getattr(inputs, name)).items()
        }

        def batches(posts: Ints, least: int) -> list[Batch]:
            count = max(least, -(-view.sizes[posts].sum() * len(view.criteria) // MOST))
            return [
                self._batch(view, inputs, np.sort(part), gold, known)
                for part in np.array_split(posts, min(count, len(posts)))
            ]

        with network_training.settled(self.seed):
            self._network = self._made(_sizes(view, inputs))
            network_training.teach(
                self._network,
                batches(order[held:], STEPS),
                batches(order[:held], 1),
                self._loss(),
                rate=self.settings.rate,
                decay=self.settings.decay,
                epochs=self.settings.epochs,
                patience=self.settings.patience,
            )

    def apply(self, view: Unlabelled) -> Columns:
        """Return log-odds; the input ones if a criterion was not learned."""
        inputs = self._inputs(view)
        if self._network is None:
            return {self.gives[0]: inputs.base}
        from assay.pipeline.models.network_training import settled
        from assay.pipeline.models.networks import torch

        count = -(-inputs.pairs.shape[0] * len(view.criteria) // MOST)
        with settled(self.seed), torch.no_grad():
            parts = [
                self._network(self._batch(view, inputs, posts)).numpy()
                for posts in np.array_split(np.arange(len(view.posts)), count)
                if len(posts)
            ]
        made = np.concatenate(parts).astype(np.float64)
        return {self.gives[0]: np.where(self._learned, made, inputs.base)}

    def state(self) -> dict[str, NDArray[Any]]:
        """Return all learned parameters as plain arrays, for npz or safetensors."""
        out: dict[str, NDArray[Any]] = {"learned": self._learned, **self._scales}
        if self._network is not None:
            weights = self._network.state_dict()
            out |= {f"network.{name}": values.numpy() for name, values in weights.items()}
        return out

    def restore(self, arrays: Arrays) -> None:
        """Restore what `state` returned; the settings must be the same."""
        from assay.pipeline.models.networks import torch

        self._learned, self._network = np.asarray(arrays["learned"]), None
        self._scales = {name: arrays[name] for name in arrays if name.startswith("scale.")}
        weights = {
            name.partition(".")[2]: torch.tensor(values)
            for name, values in arrays.items()
            if name.startswith("network.")
        }
        if weights:
            numbers, dense = (weights[f"read.{name}.weight"] for name in ("numbers", "dense"))
            queries = self._scales["scale.queries.mean"].shape[0]
            self._network = self._made((numbers.shape[1], dense.shape[1], len(self._learned), queries))
            self._network.load_state_dict(weights)
            self._network.eval()

    def _batch(
        self,
        view: Unlabelled,
        inputs: Inputs,
        posts: Ints,
        gold: Bools | None = None,
        known: Bools | None = None,
    ) -> Batch:
        from assay.pipeline.models.networks import Batch, torch

        part, rows = view.take(posts), view.rows(posts)
        own = rows if len(inputs.base) == len(view.owner) != len(view.posts) else posts
        tensor, single = torch.from_numpy, np.float32
        learned: dict[str, Any] = {}
        if gold is not None and known is not None:
            learned = {"gold": tensor(gold[own]), "known": tensor(known[own])}
            if len(own) == len(rows):
                pairs, weight = ranked_pairs(gold[own], known[own], part.offsets)
                learned |= {"pairs": tensor(pairs), "weight": tensor(weight.astype(single))}
        return Batch(
            numbers=tensor(self._scaled("pairs", inputs.pairs[rows])),
            dense=tensor(dense_of(part)[0].astype(single)),
            queries=tensor(self._scaled("queries", inputs.queries[posts])),
            base=tensor(inputs.base[own].astype(single)),
            edges=tuple(map(tensor, edges_of(part, self.settings.nearest))),
            owner=tensor(part.owner),
            **learned,
        )

    def _scaled(self, name: str, values: Floats) -> NDArray[np.float32]:
        """Scale to mean 0 and deviation 1 on TRAIN, clipped; missing values become the mean."""
        mean, width = self._scales[f"scale.{name}.mean"], self._scales[f"scale.{name}.width"]
        cut = np.clip((values - mean) / width, -FAR, FAR)
        return np.nan_to_num(cut).astype(np.float32)


def ranked_pairs(gold: Bools, known: Bools, offsets: Ints) -> tuple[Ints, Floats]:
    """Return every (evidence, other) pair of every query, as places in sentences × criteria.

    Each has a weight of 1 over the number of pairs of its query.
    """
    criteria = gold.shape[1]
    pairs, weights = [np.empty((2, 0), dtype=np.int64)], [np.empty(0)]
    for start, end in pairwise(offsets.tolist()):
        part = gold[start:end]
        for at in np.flatnonzero(part.any(axis=0) & ~part.all(axis=0) & known[start]):
            better, worse = np.flatnonzero(part[:, at]), np.flatnonzero(~part[:, at])
            each = np.stack([np.repeat(better, len(worse)), np.tile(worse, len(better))])
            pairs.append((each + start) * criteria + at)
            weights.append(np.full(each.shape[1], 1 / each.shape[1]))
    return np.concatenate(pairs, axis=1), np.concatenate(weights)


def _sizes(view: Unlabelled, inputs: Inputs) -> tuple[int, int, int, int]:
    """Return the features of a pair, width of the embedding, criteria, features of a query."""
    pairs, queries = inputs.pairs.shape[2], inputs.queries.shape[2]
    return pairs, dense_of(view)[0].shape[1], len(view.criteria), queries


def _scale(values: Floats) -> dict[str, Floats]:
    """Return mean and deviation of each feature; 0 and 1 if it is missing or constant."""
    flat = values.reshape(int(np.prod(values.shape[:-1])), values.shape[-1])
    there = np.maximum(np.isfinite(flat).sum(axis=0), 1)
    mean = np.nansum(flat, axis=0, dtype=np.float64) / there
    width = np.sqrt(np.nansum((flat - mean) ** 2, axis=0, dtype=np.float64) / there)
    return {"mean": mean, "width": np.where(width > 1e-6, width, 1.0)}
