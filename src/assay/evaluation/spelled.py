"""Options of a contract change its names; a definition that is spelled stays as it is spelled."""

from __future__ import annotations

from collections.abc import Iterable

from assay.contracts.model import Contract
from assay.errors import MeasureError


def refuse_out_of_reach(
    contract: Contract, measures: Iterable[str] | None, *, level: int | None, complete: bool
) -> None:
    """Raise where `level` or `complete` was given and none of the named measures can follow it."""
    if measures is None:
        return
    named = [contract.resolve(name).params for name in measures if ":" not in name]
    if level is not None and not any("rel" in params for params in named):
        raise MeasureError(f"level {level} reaches none of the measures; spell it: rel={level}")
    if complete and not any(params.get("on") == "predicted" for params in named):
        raise MeasureError("complete reaches none of the measures; spell it: on=all")
