"""The figures of a page on which small counts are hidden: without the points that are such counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from assay.evaluation.display.suppressed_groups import hidden
from assay.report.page.small_cells import SmallCells

DIGITS = 4
"""Digits of the points of curves."""


def suppressed_figures(
    figures: Mapping[str, Any], small: SmallCells, rounded: Callable[[int], int]
) -> dict[str, dict[str, Any]]:
    """Return the figures without the histogram, small bins, and points that count few queries."""
    kept = {name: dict(each) for name, each in figures.items() if name != "scores"}
    below = small.below
    evidence = int(small.bundle.label.sum())
    none = len(small.bundle.label) - evidence

    def few(*counts: float) -> bool:
        return any(hidden(round(n), below) for n in counts)

    def crossed(tpr: float, fpr: float) -> bool:
        return few(tpr * evidence, (1 - tpr) * evidence, fpr * none, (1 - fpr) * none)

    for name in ("roc", "pr"):
        if name not in kept:
            continue
        made = kept[name]
        made["points"] = [each for each in made["points"] if not crossed(each["tpr"], each["fpr"])]
        there = [
            not crossed(*((y, x) if name == "roc" else (x, _fpr(x, y, evidence, none))))
            for x, y in zip(made["x"], made["y"], strict=True)
        ]
        kept[name] = _thinned(made, ("x", "y"), there) | {
            "threshold": [None] * sum(there),
            "stepped": False,  # a step over points that were left out would leave its band
        }
    if "risk_coverage" in kept:
        made = kept["risk_coverage"]
        total = evidence + none
        there = [
            not few(x * total, (1 - x) * total, x * y * total, x * (1 - y) * total)
            for x, y in zip(made["x"], made["y"], strict=True)
        ]
        kept["risk_coverage"] = _thinned(made, ("x", "y"), there)
    if "decision_curve" in kept:
        made = kept["decision_curve"]
        there = [not few(*_cells(small, at)) for at in made["x"]]
        kept["decision_curve"] = _thinned(made, ("x", "system", "everything"), there)
    if "reliability" in kept:
        made = kept["reliability"]
        found = zip(made["n"], made["y"], strict=True)
        made["n"] = [
            (0 if n == 0 else None) if y is None or few(n, n * y, n * (1 - y)) else rounded(n)
            for n, y in found
        ]
    if "selected_k" in kept:
        counts = kept["selected_k"]["counts"]
        kept["selected_k"]["counts"] = {name: [rounded(n) for n in each] for name, each in counts.items()}
    if "cutoffs" in kept:
        made = kept["cutoffs"]
        made["lines"] = {
            name: each
            for name, each in made["lines"].items()
            if not any(f"{name}@{k}" in small.measures for k in made["k"])
        }
    empty = {name for name, each in kept.items() if not each.get("lines", True) or not each.get("x", True)}
    return {name: each for name, each in kept.items() if name not in empty}


def _fpr(recall: float, precision: float, evidence: int, none: int) -> float:
    """Return the false positive rate of a point of the precision–recall curve."""
    found = recall * evidence
    return min(1.0, found * (1 - precision) / precision / none) if precision and none else 0.0


def _cells(small: SmallCells, threshold: float) -> list[int]:
    said, label = small.decisions(str(threshold)), small.bundle.label
    if said is None:
        return [1]
    return [int(each.sum()) for each in (said & label, said & ~label, ~said & label, ~said & ~label)]


def _thinned(made: Mapping[str, Any], names: Sequence[str], there: Sequence[bool]) -> dict[str, Any]:
    """Return a curve with the points that may be told, with few digits; its band only between them."""
    columns = {
        name: [round(value, DIGITS) for value, kept in zip(made[name], there, strict=True) if kept]
        for name in names
    }
    return {**made, **columns}
