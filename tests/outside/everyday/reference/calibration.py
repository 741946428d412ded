"""Calibration: binned errors, the Brier score and its parts, slope and intercept."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from scipy.optimize import brentq
from scipy.special import expit

from ..case import Case, Query
from .definition import Definition, mean

Bin = list[tuple[float, int]]  # probability and label of each query


def same_decimals(value: float) -> float:
    """Round to the 12 digits that bins and confidences are compared by."""
    return round(value, 12)


def binned(queries: Sequence[Query], d: Definition) -> list[Bin]:
    """Put each query into the first bin whose upper edge is not below its probability."""
    bins = int(d["bins"])
    filled: list[Bin] = [[] for _ in range(bins)]
    for query in queries:
        fits = [i for i in range(bins) if same_decimals(query.prob) <= same_decimals((i + 1) / bins)]
        filled[fits[0]].append((query.prob, int(query.has_evidence)))
    return [rows for rows in filled if rows]


def gap(rows: Bin) -> float:
    """Mean probability less observed frequency."""
    return mean(p for p, _ in rows) - mean(y for _, y in rows)


def ece(queries: Sequence[Query], d: Definition, case: Case) -> float:
    return sum(len(rows) / len(queries) * abs(gap(rows)) for rows in binned(queries, d))


def ece_floor(queries: Sequence[Query], d: Definition, case: Case) -> float:
    noise = [math.sqrt(2 / math.pi * sum(p * (1 - p) for p, _ in rows)) for rows in binned(queries, d)]
    return sum(noise) / len(queries)


def ece_debiased(queries: Sequence[Query], d: Definition, case: Case) -> float:
    total = 0.0
    for rows in binned(queries, d):
        y = mean(label for _, label in rows)
        noise = y * (1 - y) / (len(rows) - 1) if len(rows) > 1 else 0.0
        total += len(rows) / len(queries) * (gap(rows) ** 2 - noise)
    return math.sqrt(max(0.0, total))


def brier(queries: Sequence[Query], d: Definition, case: Case) -> float:
    return mean((query.prob - query.has_evidence) ** 2 for query in queries)


def brier_reliability(queries: Sequence[Query], d: Definition, case: Case) -> float:
    return sum(len(rows) / len(queries) * gap(rows) ** 2 for rows in binned(queries, d))


def brier_resolution(queries: Sequence[Query], d: Definition, case: Case) -> float:
    base = mean(query.has_evidence for query in queries)
    return sum(
        len(rows) / len(queries) * (mean(y for _, y in rows) - base) ** 2 for rows in binned(queries, d)
    )


def brier_uncertainty(queries: Sequence[Query], d: Definition, case: Case) -> float:
    base = mean(query.has_evidence for query in queries)
    return base * (1 - base)


def logits(queries: Sequence[Query], d: Definition) -> list[tuple[float, int]]:
    clip = float(d["clip"])
    clipped = [min(max(query.prob, clip), 1 - clip) for query in queries]
    return [
        (math.log(p) - math.log1p(-p), int(query.has_evidence))
        for p, query in zip(clipped, queries, strict=True)
    ]


def root(decreasing: Callable[[float], float]) -> float:
    """Return where a decreasing function crosses 0, in a bracket that doubles until it holds it."""
    width = 1.0
    while decreasing(-width) < 0 or decreasing(width) > 0:
        width *= 2
    return float(brentq(decreasing, -width, width, xtol=1e-13, rtol=1e-14))


def intercept_given(slope: float, rows: list[tuple[float, int]]) -> float:
    """Return the intercept at which as much is expected as observed."""
    return root(lambda a: sum(y - expit(a + slope * x) for x, y in rows))


def calibration_intercept(queries: Sequence[Query], d: Definition, case: Case) -> float:
    rows = logits(queries, d)
    if len({y for _, y in rows}) < 2:
        return 0.0
    return intercept_given(1.0, rows)


def calibration_slope(queries: Sequence[Query], d: Definition, case: Case) -> float:
    rows = logits(queries, d)
    ones, zeros = [x for x, y in rows if y], [x for x, y in rows if not y]
    # The likelihood has a maximum only where the two classes overlap (Albert and Anderson 1984).
    if not ones or not zeros or max(zeros) <= min(ones) or max(ones) <= min(zeros):
        return 0.0

    def score(slope: float) -> float:
        a = intercept_given(slope, rows)
        return float(sum(x * (y - expit(a + slope * x)) for x, y in rows))

    return root(score)
