"""The tested differences between the runs of a page; or why they cannot be compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.errors import AssayError
from assay.evaluation.comparison.compare import compare
from assay.evaluation.comparison.comparison_result import Comparison
from assay.report.report_bundle import Bundle

MOST_FOR_ALL_PAIRS = 4
"""With more runs, each is compared with the first only."""


def compared_runs(bundles: Sequence[Bundle]) -> dict[str, Any]:
    """Return every difference with its paired interval, p-values and outcomes; pairs are positions."""
    first, second, *more = (each.folder for each in bundles)
    try:
        made = compare(first, second, *more, all_pairs=2 < len(bundles) <= MOST_FOR_ALL_PAIRS)
    except AssayError as error:
        return {"reason": str(error).splitlines()[0], "pairs": [], "differences": []}
    return _document(made)


def _document(made: Comparison) -> dict[str, Any]:
    place = {name: at for at, name in enumerate(made.systems)}
    differences = [
        {
            "name": each.name,
            "better": each.better,
            "pair": [place[each.baseline], place[each.system]],
            "base": each.baseline_value,
            "value": each.system_value,
            "difference": each.difference,
            "low": each.interval.low,
            "high": each.interval.high,
            "p": each.randomisation.p,
            "holm": each.randomisation.holm,
            "wins": None if each.outcomes is None else each.outcomes.wins,
            "ties": None if each.outcomes is None else each.outcomes.ties,
            "losses": None if each.outcomes is None else each.outcomes.losses,
        }
        for each in made.differences
    ]
    known = made.differences[0] if made.differences else None
    return {
        "reason": None if differences else "The runs share no measure that can be compared.",
        "pairs": [[place[a], place[b]] for a, b in made.pairs],
        "differences": differences,
        "level": None if known is None else known.interval.level,
        "unit": None if known is None else known.randomisation.unit,
        "resamples": None if known is None else known.randomisation.resamples,
        "tests": len(differences),
    }
