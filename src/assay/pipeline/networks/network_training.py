"""Train the networks of the extra `gnn`: losses and early stopping."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from assay.pipeline.networks.network_modules import Batch, Tensor, torch

Loss = Callable[[Tensor, Batch], Tensor]
SMOOTH = 0.95  # decay of the moving mean of the weights per step
functional = torch.nn.functional


@contextmanager
def settled(seed: int) -> Iterator[None]:
    """Use one thread (more are slower here) and a seed, and restore the settings afterwards."""
    threads, strict = torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    try:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            yield
    finally:
        torch.use_deterministic_algorithms(strict)
        torch.set_num_threads(threads)


def teach(
    network: Any,
    taught: Sequence[Batch],
    held: Sequence[Batch],
    loss: Loss,
    *,
    rate: float,
    decay: float,
    epochs: int,
    patience: int,
) -> None:
    """Run AdamW until the loss of `held` has not fallen for `patience` epochs; keep the best.

    If no epoch improves on the start, the initial weights are kept.
    """
    steps = torch.optim.AdamW(network.parameters(), lr=rate, weight_decay=decay)
    moving = torch.optim.swa_utils.get_ema_multi_avg_fn(SMOOTH)
    smooth = torch.optim.swa_utils.AveragedModel(network, multi_avg_fn=moving)
    best, kept, since = _mean(network, held, loss), _copied(network), 0
    network.train()
    for _ in range(epochs):
        for at in torch.randperm(len(taught)).tolist():
            steps.zero_grad()
            loss(network(taught[at]), taught[at]).backward()
            steps.step()
            smooth.update_parameters(network)
        now = _mean(smooth.module, held, loss)
        since += 1
        if now < best:
            best, kept, since = now, _copied(smooth.module), 0
        if since == patience:
            break
    network.load_state_dict(kept)
    network.eval()


def ranking(point: float) -> Loss:
    """Return the mean over queries of the mean of ln(1 + e^(z⁻ − z⁺)) over their (evidence,
    other) pairs, plus `point` times the mean logistic loss of all pairs.
    """

    def loss(z: Tensor, batch: Batch) -> Tensor:
        each = functional.softplus(torch.where(batch.gold, -z, z))
        better, worse = (z.index_select(0, side) for side in batch.pairs)
        wrong = functional.softplus(worse - better) * batch.weight
        return point * each.mean() + wrong.sum() / batch.weight.sum().clamp(min=1)

    return loss


def focal(power: float) -> Loss:
    """Return the mean of −(1 − p)^power · ln p with p the probability of the true class."""

    def loss(z: Tensor, batch: Batch) -> Tensor:
        wrong = torch.where(batch.gold, -z, z)
        return (functional.softplus(wrong) * wrong.sigmoid() ** power).mean()

    return loss


def _mean(network: Any, batches: Sequence[Batch], loss: Loss) -> float:
    network.eval()
    with torch.no_grad():
        return sum(float(loss(network(each), each)) for each in batches) / len(batches)


def _copied(network: Any) -> dict[str, Tensor]:
    return {name: values.clone() for name, values in network.state_dict().items()}
