"""What both stages of the extra `gnn` share: a network that is fitted, applied and saved."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from assay.array_types import Floats, Ints
from assay.errors import MissingExtraError
from assay.pipeline.networks.network_batches import Batches, Inputs, scales_of, slots_of, split_queries
from assay.pipeline.regressions.own_models import KnownCriteria
from assay.pipeline.settings import Settings, setting
from assay.pipeline.stage import Learns, Stage
from assay.pipeline.stages.embedding_scorer import dense_of
from assay.pipeline.views import Columns, Labelled, Unlabelled

if TYPE_CHECKING:
    from assay.pipeline.networks.network_modules import Batch, Sizes
    from assay.pipeline.networks.network_training import Loss

STEPS = 16  # minimum number of batches per epoch: small corpora need steps too
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


class NetworkStage(Stage):
    """A stage with a network: `fit` stops early on a slice of its posts and never sees TUNE.

    With one class only, or one post, nothing is learned and the input column is kept.
    """

    learns = Learns.TRAIN
    of_pairs: ClassVar[bool]  # whether the column has one value per pair or one per query
    settings: NetworkSettings

    def __init__(self, settings: Settings | None = None, *, seed: int = 0) -> None:
        super().__init__(settings, seed=seed)
        for module in ("torch", "torch_geometric"):
            if find_spec(module) is None:
                raise MissingExtraError.of(module, "gnn")
        self._network: Any = None
        self._scales: dict[str, Floats] = {}
        self._known: KnownCriteria | None = None

    @abstractmethod
    def _base(self, view: Unlabelled) -> Floats:
        """Return the input column."""

    @abstractmethod
    def _inputs(self, view: Unlabelled, known: KnownCriteria) -> Inputs:
        """Return the features of a view and the input column."""

    @abstractmethod
    def _made(self, sizes: Sizes) -> Any:
        """Return a new network for these numbers of features and criteria."""

    @abstractmethod
    def _loss(self) -> Loss:
        """Return the loss."""

    def fit(self, labelled: Labelled) -> None:
        """Learn from most posts and stop early on the others."""
        from assay.pipeline.networks import network_training
        from assay.pipeline.networks.network_modules import Sizes

        view, known = labelled.view, KnownCriteria(labelled)
        self._known, self._network = known, None
        gold = labelled.gold if self.of_pairs else labelled.evidence
        marks = gold[labelled.known_pairs if self.of_pairs else labelled.known]
        held, taught = self._split(labelled)
        if not len(taught) or marks.all() or not marks.any() or not known.learned.any():
            return
        inputs = self._inputs(view, known)
        self._scales = scales_of(inputs)
        batches = self._batches(view, inputs, known)
        least = min(STEPS, len(np.unique(view.layout.query_post[taught])))

        def made(queries: Ints, least: int) -> list[Batch]:
            return [batches.of(part, gold) for part in split_queries(queries, view.layout, least)]

        widths = (inputs.pairs.shape[1], dense_of(view)[0].shape[1])
        with network_training.settled(self.seed):
            self._network = self._made(Sizes(*widths, len(known.closed) + 1, inputs.queries.shape[1]))
            network_training.teach(
                self._network,
                made(taught, least),
                made(held, 1),
                self._loss(),
                rate=self.settings.rate,
                decay=self.settings.decay,
                epochs=self.settings.epochs,
                patience=self.settings.patience,
            )

    def apply(self, view: Unlabelled) -> Columns:
        """Return log-odds; the input ones for a criterion that nothing like it was learned from."""
        if self._network is None or self._known is None or not view.queries:
            return {self.gives[0]: self._base(view)}
        from assay.pipeline.networks.network_modules import torch
        from assay.pipeline.networks.network_training import settled

        inputs, layout = self._inputs(view, self._known), view.layout
        batches = self._batches(view, inputs, self._known)
        with settled(self.seed), torch.no_grad():
            parts = [
                self._network(batches.of(queries)).numpy()
                for queries in split_queries(np.arange(view.queries), layout)
            ]
        made = np.concatenate(parts).astype(np.float64)
        criterion = layout.pair_criterion if self.of_pairs else layout.query_criterion
        return {self.gives[0]: np.where(self._known.learned[criterion], made, inputs.base)}

    def state(self) -> dict[str, NDArray[Any]]:
        """Return all learned parameters as plain arrays, for npz or safetensors."""
        out: dict[str, NDArray[Any]] = dict(self._scales)
        if self._known is not None:
            out |= {f"known.{name}": values for name, values in self._known.arrays().items()}
        if self._network is not None:
            weights = self._network.state_dict()
            out |= {f"network.{name}": values.numpy() for name, values in weights.items()}
        return out

    def restore(self, arrays: Arrays) -> None:
        """Restore what `state` returned; the settings must be the same."""
        from assay.pipeline.networks.network_modules import Sizes, torch

        known, weights = _under("known", arrays), _under("network", arrays)
        self._known, self._network = KnownCriteria.restored(known) if known else None, None
        self._scales = {f"scale.{name}": values for name, values in _under("scale", arrays).items()}
        if weights:
            width = weights["read.dense.weight"].shape[1]
            slots = len(weights["read.key.slot.weight"])
            pairs, queries = (len(self._scales[f"scale.{name}.mean"]) for name in ("pairs", "queries"))
            self._network = self._made(Sizes(pairs, width, slots, queries))
            self._network.load_state_dict({name: torch.tensor(each) for name, each in weights.items()})
            self._network.eval()

    def _split(self, labelled: Labelled) -> tuple[Ints, Ints]:
        """Return the queries for early stopping and those to learn from, their posts shuffled."""
        queries = np.flatnonzero(labelled.known)
        post = labelled.view.layout.query_post[queries]
        posts = np.unique(post)
        order = np.random.default_rng(self.seed).permutation(len(posts))
        rank = np.argsort(order)[np.searchsorted(posts, post)]
        shuffled = queries[np.argsort(rank, kind="stable")]
        held = round(self.settings.held * len(posts)) or 1
        return tuple(np.split(shuffled, [int((rank < held).sum())]))  # type: ignore[return-value]

    def _batches(self, view: Unlabelled, inputs: Inputs, known: KnownCriteria) -> Batches:
        nearest = self.settings.nearest if self.settings.edges else 0
        return Batches(view, inputs, self._scales, slots_of(known), nearest, self.of_pairs)


def _under(prefix: str, arrays: Arrays) -> dict[str, NDArray[Any]]:
    """Return the arrays whose names start with this prefix, without it."""
    return {
        name.removeprefix(f"{prefix}."): values
        for name, values in arrays.items()
        if name.startswith(f"{prefix}.")
    }
