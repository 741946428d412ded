"""Values of a result by any name that means the same: the contract's own, or another tool's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from assay.errors import MeasureError

if TYPE_CHECKING:
    from assay.contracts.contract import Contract


def listed_name(definitions: Mapping[str, str], name: str, contract: Contract) -> str:
    """Return the name in a list of names and definitions that means the same; the name itself if none does.

    >>> import assay
    >>> listed_name({"ndcg@10": "ndcg@10:gain=linear"}, "nDCG@10", assay.contract("assay/1"))
    'ndcg@10'
    """
    if name in definitions:
        return name
    try:
        meant = contract.read(name)
    except MeasureError:  # `recall` is ambiguous, but not where it was asked of labels alone
        return f"{name}_score" if f"{name}_score" in definitions else name
    alike = (listed for listed, each in definitions.items() if listed == meant.own or each == meant.metric.id)
    return next(alike, name)


def name_notes(names: Iterable[str], contract: Contract) -> list[str]:
    """Return which definition was taken for each name that is not the contract's own."""
    others = (name for name in names if name not in contract.names)
    return [note for name in others if (note := contract.read(name).note)]
