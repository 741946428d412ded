"""The table of the selected K: how the numbers of returned sentences lie, and where."""

from __future__ import annotations

from collections.abc import Mapping

from assay.cli.table import Table
from assay.evaluation.result import Result

SHOWN = 6  # K from 0 have a column each; more share the last


def selected_k(result: Result) -> Table | None:
    """One row a group of queries; None where the system selects nothing."""
    if not result.selected_k:
        return None
    top = max((k for counts in result.selected_k.values() for k in counts), default=0)
    cuts = list(range(min(top, SHOWN) + 1))
    names = [f"K={k}" for k in cuts]
    if top > SHOWN:
        names[-1] = f"K≥{SHOWN}"
    rows = [(name, *_row(counts, cuts)) for name, counts in result.selected_k.items() if counts]
    head = ("queries", "n", "mean", "median", "P90", "max", *names)
    return Table("Selected K: number of queries that return K sentences", head, tuple(rows))


def _row(counts: Mapping[int, int], cuts: list[int]) -> tuple[str, ...]:
    n = sum(counts.values())
    mean = sum(k * count for k, count in counts.items()) / n
    columns = [counts.get(k, 0) for k in cuts[:-1]]
    columns.append(n - sum(columns))
    places = [f"{_quantile(counts, n, share):g}" for share in (0.5, 0.9)]
    return (f"{n:,}", f"{mean:.2f}", *places, str(max(counts)), *(f"{each:,}" for each in columns))


def _quantile(counts: Mapping[int, int], n: int, share: float) -> float:
    """By linear interpolation, as everywhere."""
    position = (n - 1) * share
    low = int(position)
    first, second = (_at(counts, min(place, n - 1)) for place in (low, low + 1))
    return first + (second - first) * (position - low)


def _at(counts: Mapping[int, int], place: int) -> int:
    """The value at a place of the sorted list."""
    for k in sorted(counts):
        if place < counts[k]:
            return k
        place -= counts[k]
    raise AssertionError("the place lies within the list")
