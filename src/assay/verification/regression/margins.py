"""Margins of the regression gate: how much worse each measure may get."""

from __future__ import annotations

import math
from collections.abc import Mapping

from assay.errors import Fault, InputError, shown
from assay.metrics.core.entry import Metric
from assay.plain_number import plain_number

Margin = float | str
SIGNS = {"higher": "-", "lower": "+"}
"""The sign of a change for the worse, by the direction in which a measure gets better."""


def margins(metrics: Mapping[str, Metric], allow: Mapping[str, Margin]) -> dict[str, float]:
    """Return the loss that each measure may have, from 0; all faults of `allow` at once.

    A margin is a change for the worse (-0.01 where higher is better, +0.01 where lower is) or its size
    (0.01). A change for the better is refused: it would demand a gain.
    """
    faults, made = [], {}
    for name, metric in metrics.items():
        if metric.better not in SIGNS:
            problem = "is neither better higher nor better lower"
            faults.append(Fault(name, "", problem, "choose measures with a direction"))
            continue
        try:
            made[name] = _margin(name, metric, allow.get(name, 0.0))
        except InputError as error:
            faults += error.faults
    if faults:
        raise InputError(faults)
    return made


def _margin(name: str, metric: Metric, given: Margin) -> float:
    text = str(given).strip()
    example = f"{name}={SIGNS[metric.better]}0.01"
    try:
        number = plain_number(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InputError.of("`allow`", f"{name} is {shown(text)}", f"expected a number, such as {example}")
    signed = text.startswith(("+", "-"))
    if number and signed and not text.startswith(SIGNS[metric.better]):
        problem = f"{name}={text} is a change for the better"
        raise InputError.of("`allow`", problem, f"expected a change for the worse, such as {example}")
    low, high = metric.range
    if abs(number) >= high - low:
        problem = f"{name}={text} allows any value"
        raise InputError.of("`allow`", problem, f"expected less than the range, {high - low:g}")
    return abs(number)
