"""The headline value of every measure with an interval, in each draw."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assay_oracle.bundle.measures import Measured, Recomputed
from assay_oracle.bundle.parts import Part
from assay_oracle.bundle.reading import Bundle
from assay_oracle.bundle.scored import Scored
from assay_oracle.core.measure import reduction
from assay_oracle.core.outcome import Summary
from assay_oracle.core.reduction import Resampled
from assay_oracle.core.resamples import Resamples
from assay_oracle.core.sums import resampled_mean
from assay_oracle.draws.draw_file import read_draws


def draw_values(bundle: Bundle, recomputed: Recomputed, path: Path) -> list[dict[str, Any]]:
    """Return {"what": "draws/MEASURE", "values": [one per draw], "reason"} per such measure."""
    draws = read_draws(path)
    units = draws.unit_of(bundle.rows)
    resamples = Resamples(draws.counts)
    return [
        {"what": f"draws/{measured.name}", **_values(measured, recomputed, units, resamples)}
        for measured in recomputed.measures
        if measured.found.get("interval") is not None
    ]


def _values(
    measured: Measured, recomputed: Recomputed, units: Sequence[int], resamples: Resamples
) -> dict[str, Any]:
    if measured.measure is None:
        return {"values": [], "reason": measured.reason}
    by_fold = measured.found.get("aggregate") == "fold_mean"
    parts = list(recomputed.folds.values()) if by_fold else [recomputed.whole]
    try:
        reduced = [resampled(measured.measure, part, units)(resamples) for part in parts]
        values = [_headline(found) for found in zip(*reduced, strict=True)]
    except ValueError as error:
        return {"values": [], "reason": str(error)}
    return {"values": values, "reason": ""}


def _headline(parts: Sequence[Summary]) -> float | None:
    """Return the mean of the parts that have a value."""
    values = [part.value for part in parts if part.value is not None]
    return math.fsum(values) / len(values) if values else None


def resampled(measure: Scored, part: Part, unit_of: Sequence[int]) -> Resampled:
    """Return the function from resamples to the measure's values over the part."""
    members = measure.members(part)
    units = [unit_of[place] for place in members.places]
    if measure.values is not None:
        return resampled_mean(units, [measure.values[place] for place in members.places])
    return reduction(measure.definition).resample(measure.contributed(part), units, measure.definition)
