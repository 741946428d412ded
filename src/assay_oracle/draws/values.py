"""The headline of every measure with an interval, under each draw."""

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from assay_oracle.bundle.measures import Measured, Recomputed
from assay_oracle.bundle.parts import Part
from assay_oracle.bundle.read import Bundle
from assay_oracle.bundle.values import Measure
from assay_oracle.definition import Definition
from assay_oracle.draws.bins import OF_BINS, of_bins
from assay_oracle.draws.cells import of_query_sums
from assay_oracle.draws.curves import CURVES, of_curve
from assay_oracle.draws.fits import FITS, of_fit
from assay_oracle.draws.ordered import SHARES, abstention_area, risk_area, size_quantile
from assay_oracle.draws.read import read_draws
from assay_oracle.draws.sums import Counts, Reduce, mean
from assay_oracle.draws.together import GROUPED, of_groups
from assay_oracle.rows import Row

KINDS: dict[str, Callable[[Sequence[Row], Sequence[int], Definition], Reduce]] = {
    **dict.fromkeys(OF_BINS, of_bins),
    **dict.fromkeys(FITS, of_fit),
    **dict.fromkeys(GROUPED, of_groups),
    **dict.fromkeys(CURVES, of_curve),
    **dict.fromkeys(("aurc", "eaurc"), risk_area),
    "nauc": abstention_area,
}


def draw_values(bundle: Bundle, recomputed: Recomputed, path: Path) -> list[dict[str, Any]]:
    """{"what": "draws/MEASURE", "values": one number a draw}, for each measure with an interval."""
    draws = read_draws(path)
    units = draws.unit_of(bundle.rows)
    return [
        {"what": f"draws/{measured.name}", **_values(measured, recomputed, units, draws.counts)}
        for measured in recomputed.measures
        if measured.found.get("interval") is not None
    ]


def _values(
    measured: Measured, recomputed: Recomputed, units: Sequence[int], draws: Sequence[Counts]
) -> dict[str, Any]:
    if measured.measure is None:
        return {"values": [], "reason": measured.reason}
    by_fold = measured.found.get("aggregate") == "fold_mean"
    parts = list(recomputed.folds.values()) if by_fold else [recomputed.whole]
    try:
        reduces = [reducer(measured.measure, part, units) for part in parts]
        values = [_headline(reduces, counts) for counts in draws]
    except ValueError as error:
        return {"values": [], "reason": str(error)}
    return {"values": values, "reason": ""}


def _headline(reduces: Sequence[Reduce], counts: Counts) -> float | None:
    """The mean of the parts that have a value."""
    values = [value for reduce in reduces if (value := reduce(counts)) is not None]
    return math.fsum(values) / len(values) if values else None


def reducer(measure: Measure, part: Part, unit_of: Sequence[int]) -> Reduce:
    """The measure over the part as a function of counts."""
    members, definition = measure.members(part), measure.definition
    units = [unit_of[place] for place in members.places]
    if measure.values is not None:
        return mean(units, [measure.values[place] for place in members.places])
    if definition.parameters.get("threshold") == "tune":
        return of_query_sums(members.rows, units, definition)
    if definition.parameters.get("stat") in SHARES:
        return size_quantile(members.rows, units, definition)
    return KINDS.get(definition.name, of_query_sums)(members.rows, units, definition)
