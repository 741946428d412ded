"""Hide small counts of a page, from which a reader could identify people in clinical data.

Counts below the limit become SENTINEL, which the page shows as "fewer than N", and other counts of
decisions are rounded to multiples of N, so that no hidden count follows from a total. Queries are
left out altogether: the list of queries, the sliders and the lists of errors need them one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from assay.errors import InputError

SENTINEL = 1
"""Stands for any count from 1 to N − 1; N is at least 2."""
COUNTED = ("tp", "fp", "tn", "fn")
"""Measures that are counts of queries."""
WITH_COUNTS = ("#failures", "#notes")
"""Where concerns lead that name numbers of queries, unless they name a share."""


def check_limit(below: int | None) -> None:
    """Raise if the limit hides nothing."""
    if below is not None and below < 2:
        raise InputError.of("`suppress_below`", f"is {below}", "expected a whole number of 2 or more")


def suppressed(document: Mapping[str, Any], below: int) -> dict[str, Any]:
    """Return the document of a run without small counts and without queries."""

    def rounded(n: int) -> int:
        if 0 < n < below:
            return SENTINEL
        return below * round(n / below)

    states = document["states_by_criterion"]
    return {
        **document,
        "suppress_below": below,
        "counts": {
            name: n if name in ("queries", "evidence", "candidates") else rounded(n)
            for name, n in document["counts"].items()
        },
        "unanswered": None,
        "deployment": _deployment(document["deployment"], rounded),
        "states_by_criterion": states
        and {name: [rounded(n) for n in counts] for name, counts in states.items()},
        "concerns": [
            each for each in document["concerns"] if each["href"] not in WITH_COUNTS or "%" in each["text"]
        ],
        "measures": [_measure(each, below) for each in document["measures"]],
        "groups": {name: _groups(each, below) for name, each in document["groups"].items()},
        "figures": _figures(document["figures"], below, rounded),
        "thresholds": [
            {**each, "positives": rounded(each["positives"]), "queries": rounded(each["queries"])}
            for each in document["thresholds"]
        ],
        "certificates": {
            name: {**each, "text": each["text"].partition(":")[0]}
            for name, each in document["certificates"].items()
        },
    }


def _deployment(made: Mapping[str, Any] | None, rounded: Callable[[int], int]) -> dict[str, Any] | None:
    if made is None:
        return None
    return {
        **made,
        "all": [[rounded(n) for n in counts] for counts in made["all"]],
        "folds": [
            [name, *([rounded(n) for n in counts] for counts in parts)] for name, *parts in made["folds"]
        ],
    }


def _measure(measure: Mapping[str, Any], below: int) -> dict[str, Any]:
    """Return a measure; a count of queries that is small has no value, a share no small numerator."""
    hits, trials = measure["hits"], measure["trials"]
    small = hits is not None and any(0 < n < below for n in (hits, trials - hits))
    hidden = {"hits": None, "trials": None} if small else {}
    is_count = measure["definition"].partition(":")[0].rpartition("/")[2] in COUNTED
    if is_count and any(0 < n < below for n in (measure["value"], measure["pooled"])):
        hidden |= {"value": None, "pooled": None, "low": None, "high": None, "std": None, "folds": None}
    return {**measure, **hidden, "folds": None}


def _groups(group: Mapping[str, Any], below: int) -> dict[str, Any]:
    def cell(found: list[Any] | None) -> list[Any] | None:
        if found is None or not 0 < found[3] < below:
            return found
        return [None, None, None, SENTINEL, None, False]

    return {**group, "rows": [[label, [cell(each) for each in cells]] for label, cells in group["rows"]]}


def _figures(
    figures: Mapping[str, Any], below: int, rounded: Callable[[int], int]
) -> dict[str, dict[str, Any]]:
    """Return the figures that show no small count: without the histogram, and without small bins."""
    kept = {name: dict(each) for name, each in figures.items() if name != "scores"}
    for name in ("roc", "pr"):
        if name in kept:  # each step is one query, and each threshold its probability
            kept[name]["threshold"] = [None] * len(kept[name]["threshold"])
    if "reliability" in kept:
        made = kept["reliability"]
        made["n"] = [0 if 0 < n < below else rounded(n) for n in made["n"]]
    if "selected_k" in kept:
        counts = kept["selected_k"]["counts"]
        kept["selected_k"]["counts"] = {name: [rounded(n) for n in each] for name, each in counts.items()}
    return kept
