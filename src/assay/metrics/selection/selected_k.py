"""Statistics of the number of sentences returned per query."""

from __future__ import annotations

from typing import Literal

import numpy as np

from assay.array_types import Floats
from assay.data.cases import Cases
from assay.metrics.core.entry import INFINITE, Edge, Fails, Kind, Metric, Property, Witness
from assay.metrics.core.family import measure
from assay.metrics.core.rankings import Convention
from assay.metrics.core.reduce import Columns, Quantile, Reduce, Reduced, Sums, computed, quotient
from assay.metrics.core.toy_cases import decided

QUANTILES = {"median": 0.5, "p25": 0.25, "p75": 0.75, "p90": 0.9, "min": 0.0, "max": 1.0}
SILENT = decided("1", 0.1, 0, "NEG", R=2)
HALF = decided("10", 0.9, 1, "POS", R=2)


def returned_k(cases: Cases) -> Floats:
    """Return the selected K of each query."""
    return np.asarray(cases.selected_k, dtype=np.float64)


def deviation(n: Floats, k: Floats, square: Floats) -> Reduced:
    """Return the standard deviation with n − 1 in the denominator, from Σ K and Σ K²."""
    mean = quotient(k, n).values
    reduced = quotient(square - n * mean * mean, np.where(n > 1, n - 1, 0.0))
    return Reduced(np.sqrt(np.maximum(reduced.values, 0.0)), reduced.codes)


def _statistic(stat: str) -> Reduce:
    if stat in QUANTILES:
        return Quantile("k", QUANTILES[stat])
    if stat == "mean":
        return Sums(("k",), lambda n, k: quotient(k, n, 0.0, Convention.EMPTY_POPULATION))
    if stat == "total":
        return Sums(("k",), lambda n, k: computed(k))
    return Sums(("k", "square"), deviation)


@measure("selected_k", on="all")
def selected_k_entry(
    stat: Literal["mean", "median", "p25", "p75", "p90", "min", "max", "std", "total"] = "mean",
) -> Metric:
    """A statistic of the number of sentences returned; zeros count where on=all."""
    fails: Fails = {}
    if stat == "total":
        fails[Property.DUPLICATION] = Witness(HALF, "a total doubles")
    if stat == "std":
        fails[Property.DUPLICATION] = Witness(HALF, "n − 1 grows with the queries", (SILENT,))
    if stat in ("p25", "p75", "p90"):
        fails[Property.DUPLICATION] = Witness(HALF, "other neighbours to interpolate between", (SILENT,))
    value = 0.0 if stat == "std" else 1.0
    code = Convention.ZERO_DENOMINATOR if stat == "std" else Convention.NONE
    titles = {"total": "Sentences returned", "std": "Standard deviation of the selected K"}
    return Metric(
        title=titles.get(stat, f"Selected K, {stat}"),
        formula=f"{stat} of K" if stat != "total" else "Σ K",
        latex=rf"\mathrm{{{stat}}}_q\,K_q",
        meaning="number of sentences that a reader gets",
        columns=lambda cases: Columns({"k": returned_k(cases), "square": returned_k(cases) ** 2}),
        reduce=_statistic(stat),
        kind=Kind.TOTAL if stat == "total" else Kind.SELECTION,
        range=(0.0, INFINITE),
        better="neither",
        needs=("selected_k",),
        fails=fails,
        edges=(Edge(HALF, value, "one query, one sentence", code),),
    )
