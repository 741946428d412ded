"""Options that change the definitions of a contract: the relevance level, the population, a threshold."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal

from assay.errors import ContractError


def changed_measures(
    given: Mapping[str, str],
    contract: str,
    level: int | None,
    na_prob_thresh: float | str | None,
    *,
    complete: bool,
) -> tuple[dict[str, str], list[str]]:
    """Return the definitions with other parameters, and a note for each change."""
    notes: list[str] = []
    measures = dict(given)
    if level is not None:
        if not any(_has(text, "rel") for text in measures.values()):
            raise ContractError(f"level changes no measure of {contract}; leave it out")
        measures = {name: _with(text, "rel", str(level)) for name, text in measures.items()}
        notes.append(f"level={level}")
    if complete:
        if not any("on=predicted" in text for text in measures.values()):
            raise ContractError(
                f"complete changes no measure of {contract}: none of them is a mean over the "
                "queries of the run; leave it out"
            )
        measures = {
            name: _with(text, "on", "all") if "on=predicted" in text else text
            for name, text in measures.items()
        }
        notes.append("complete")
    if na_prob_thresh is not None:
        if not math.isfinite(float(na_prob_thresh)):
            raise ContractError(f"`na_prob_thresh` is {na_prob_thresh}; expected a finite number")
        above = format(Decimal(str(na_prob_thresh)), "f")
        if not any(_has(text, "above") for text in measures.values()):
            raise ContractError(f"na_prob_thresh changes no measure of {contract}; leave it out")
        measures = {name: _with(text, "above", above) for name, text in measures.items()}
        if measures != given:
            notes.append(f"na_prob_thresh={above}")
    return measures, notes


def _has(definition: str, parameter: str) -> bool:
    return any(part.startswith(f"{parameter}=") for part in definition.partition(":")[2].split(","))


def _with(definition: str, parameter: str, value: str) -> str:
    """Return a definition text with one of its parameters set, where the measure has that parameter."""
    head, _, spelled = definition.partition(":")
    parts = dict(part.split("=", 1) for part in spelled.split(",") if part)
    if parameter not in parts:
        return definition
    parts[parameter] = value
    return f"{head}:{','.join(f'{name}={text}' for name, text in parts.items())}"
