"""Hide small counts of a page, from which a reader could identify people in clinical data.

Counts below the limit become SENTINEL, which the page shows as "fewer than N", and other counts of
decisions are rounded to multiples of N, so that no hidden count follows from a total. Values that
give a small count away (`small_cells.py`) are hidden, and the others keep the digits that are shown.
Queries are left out altogether: the list of queries, the sliders and the lists of errors need them
one by one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from assay.errors import InputError
from assay.evaluation.display.suppressed_groups import hidden, hidden_groups
from assay.report.page.concerns import of_decisions
from assay.report.page.small_cells import SmallCells
from assay.report.page.suppressed_figures import suppressed_figures

SENTINEL = 1
"""Stands for any count from 1 to N − 1; N is at least 2."""
WITH_COUNTS = ("#failures", "#notes")
"""Where concerns lead that name numbers of queries, unless they name a share."""
IN_GROUPS = 3
"""Digits of the values of groups."""
Rounded = Callable[[int], int]


def check_limit(below: int | None) -> None:
    """Raise if the limit hides nothing."""
    if below is not None and below < 2:
        raise InputError.of("`suppress_below`", f"is {below}", "expected a whole number of 2 or more")


def suppressed(document: Mapping[str, Any], small: SmallCells) -> dict[str, Any]:
    """Return the document of a run without small counts and without queries."""
    below = small.below

    def rounded(n: int) -> int:
        return SENTINEL if hidden(n, below) else below * round(n / below)

    counts, states = document["counts"], document["states_by_criterion"]
    evidence = int(counts["evidence"])
    told = small.evidence_told
    exact = {"queries", "candidates", *(["evidence"] if told else [])}
    return {
        **document,
        "suppress_below": below,
        "counts": {name: n if name in exact else rounded(n) for name, n in counts.items()},
        "unanswered": None,
        "deployment": _deployment(document["deployment"], rounded),
        "states_by_criterion": states
        and {name: [rounded(n) for n in parts] for name, parts in states.items()},
        "concerns": list(_concerns(document, small, rounded, told=told)),
        "measures": [_measure(each, small, evidence, told=told) for each in document["measures"]],
        "groups": {name: _groups(name, each, small) for name, each in document["groups"].items()},
        "figures": suppressed_figures(document["figures"], small, rounded) if told else {},
        "thresholds": [_threshold(each, below, rounded) for each in document["thresholds"]],
        "certificates": {
            name: {**each, "text": each["text"].partition(":")[0]}
            for name, each in document["certificates"].items()
        },
        "gate": _gate(document["gate"], small.measures),
        "checklist": [
            each if told or "with evidence" not in each["says"] else {**each, "says": "Too few to tell."}
            for each in document["checklist"]
        ],
        "baselines": [_baseline(each) for each in document["baselines"]],
    }


def _concerns(
    document: Mapping[str, Any], small: SmallCells, rounded: Rounded, *, told: bool
) -> Iterator[dict[str, str]]:
    """Yield the concerns that name no count, no share of few queries, and no hidden value."""
    made = document["deployment"]
    said, yes = ([], []) if made is None else made["all"]
    acts = not any(hidden(n, small.below) for n in said)
    errors = acts and not any(
        hidden(n, small.below) or hidden(every - n, small.below) for n, every in zip(yes, said, strict=True)
    )
    if acts and (errors or made is None or made["kind"] == "states"):
        yield from of_decisions(_deployment(made, rounded))
    exact = of_decisions(made)
    for each in document["concerns"]:
        text, href = each["text"], each["href"]
        if (
            each in exact
            or (text.startswith("Only ") and not told)
            or (href in WITH_COUNTS and "%" not in text)
        ):
            continue
        for name in small.measures:
            text = re.sub(rf"(?<![\w/]){re.escape(name)} [^ ]+ \(target", f"{name} (target", text)
        yield {**each, "text": text}


def _deployment(made: Mapping[str, Any] | None, rounded: Rounded) -> dict[str, Any] | None:
    if made is None:
        return None
    return {
        **made,
        "mistaken": rounded(made["all"][0][-1] - made["all"][1][-1]),
        "all": [[rounded(n) for n in counts] for counts in made["all"]],
        "folds": [
            [name, *([rounded(n) for n in counts] for counts in parts)] for name, *parts in made["folds"]
        ],
    }


def _measure(measure: Mapping[str, Any], small: SmallCells, evidence: int, *, told: bool) -> dict[str, Any]:
    """Return a measure with the digits that are shown, or without its value if that gives a count away."""
    shown: dict[str, Any] = dict.fromkeys(("folds", "ties", "hits", "trials")) | {"conventions": {}}
    if hidden(measure["n"], small.below) or (measure["n"] == evidence and not told):
        shown["n"] = None
    if measure["name"] in small.measures:
        value = small.bundle.value(measure["name"])
        gone = dict.fromkeys(("value", "pooled", "low", "high", "std", "convention"))
        bound = (None if value is None else small.bound(value)) or "hidden"
        return {**measure, **shown, **gone, "exact_shown": False, "no_spread": False, "bound": bound}
    for name in ("value", "pooled", "low", "high", "std"):
        shown[name] = _brief(measure[name], measure["digits"])
    return {**measure, **shown, "hits": measure["hits"], "trials": measure["trials"]}


def _brief(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)


def _groups(column: str, group: Mapping[str, Any], small: SmallCells) -> dict[str, Any]:
    """Return a breakdown without cells that are small, and without those that a total would give away."""
    grouping = small.bundle.grouping(column)
    if grouping is None:
        return {**group, "rows": []}
    place = {label: at for at, label in enumerate(grouping.labels)}
    secret: list[frozenset[str]] = []
    for at, name in enumerate(group["measures"]):
        told = small.groups(small.bundle.result[name], grouping)
        sizes = {label: cells[at][3] for label, cells in group["rows"] if cells[at] is not None}
        given = {label for label in sizes if label not in place or told[place[label]]}
        secret.append(hidden_groups(sizes, small.below) | given)

    def cell(found: list[Any] | None, label: str, at: int) -> list[Any] | None:
        if found is None:
            return None
        if label not in secret[at]:
            return [*(_brief(each, IN_GROUPS) for each in found[:3]), *found[3:]]
        n = found[3] if not _by_size(label, at) else SENTINEL if hidden(found[3], small.below) else None
        return [None, None, None, n, None, False]

    def _by_size(label: str, at: int) -> bool:
        sizes = {row: cells[at][3] for row, cells in group["rows"] if cells[at] is not None}
        return label in hidden_groups(sizes, small.below)

    rows = [
        [label, [cell(each, label, at) for at, each in enumerate(cells)]] for label, cells in group["rows"]
    ]
    return {**group, "rows": rows}


def _threshold(found: Mapping[str, Any], below: int, rounded: Rounded) -> dict[str, Any]:
    """Return a threshold without what tells how few TUNE queries it misses or flags."""
    reached, positives = found["reached"], found["positives"]
    bases = (positives, found["queries"] - positives)
    told = reached is not None and not any(
        hidden(round(part * base), below) for base in bases for part in (reached, 1 - reached)
    )
    return {
        **found,
        "positives": rounded(positives),
        "queries": rounded(found["queries"]),
        "reached": round(reached, 3) if told else None,
        "note": found["note"].partition(":")[0],
        "units": None,
        "confidence": None,
    }


def _gate(found: Mapping[str, Any] | None, secret: frozenset[str]) -> dict[str, Any] | None:
    """Return the verdict of the publication gate without the values that are hidden."""
    if found is None:
        return None
    checks = [
        [name, verdict, f"value hidden, {reason.partition(', ')[2]}"]
        if name.removeprefix("target: ") in secret and ", " in reason
        else [name, verdict, reason]
        for name, verdict, reason in found["checks"]
    ]
    return {**found, "checks": checks}


def _baseline(found: Mapping[str, Any]) -> dict[str, Any]:
    values = {
        name: round(value, 4) if isinstance(value, float) else value
        for name, value in found["values"].items()
    }
    return {**found, "values": values}
