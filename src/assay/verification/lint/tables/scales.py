"""Percent or shares: the scale on which the values of a table are printed."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

from assay.verification.lint.printed_values import is_share
from assay.verification.lint.tables.read_values import Draft, Raw

HUNDREDTH = Fraction(1, 100)
Key = tuple[str, Fraction | None, str, str]


def settle(draft: Draft) -> list[str]:
    """Convert shares to 0–1, and note where that was a guess.

    Values above 1 are percent if at least half of the table's shares are above 1. Otherwise a
    measure whose values are all above 1, one of them above 10, is read as percent and judged
    separately; for errors such as ECE, one value above 1 is enough.
    """
    series = _series(draft)
    values = [abs(raw.value.value) for group in series.values() for raw in group if raw.value]
    big = [value for value in values if value > 1]
    percent = len(big) >= 2 and 2 * len(big) >= len(values) and _mostly_percent(big)
    notes = []
    if percent:
        notes.append(f"{draft.name}: read as percent, because {len(big)} of {len(values)} shares are above 1")
    for group in series.values():
        sizes = [abs(raw.value.value) for raw in group if raw.value is not None]
        widest = max([*sizes, *(raw.std.value for raw in group if raw.std is not None)])
        named = any(raw.name.percent for raw in group)
        alone = _in_percent(sizes, low=group[0].name.lower_is_better)
        if named or (percent and widest > 1) or alone:
            for raw in group:
                _rescale(raw)
        if not named and percent != (widest > 1) and (percent or alone):
            label = group[0].label
            notes.append(f"{draft.name}: the scale of {label} is uncertain; judged separately")
            for raw in group:
                raw.unsure = True
                if percent:  # it may be a share or percent, and so may its spread
                    raw.std = raw.low = raw.high = None
    return notes


def _in_percent(sizes: list[Fraction], *, low: bool) -> bool:
    """Return whether values alone show percent; errors are small, so 4.3 is enough for them."""
    if low:
        return 1 < max(sizes) <= 100
    return min(sizes) > 1 and _mostly_percent(sizes)


def _mostly_percent(sizes: list[Fraction]) -> bool:
    """Return whether at least half of the values are up to 100, and one of these is above 10."""
    inside = [size for size in sizes if size <= 100]
    return 2 * len(inside) >= len(sizes) and max(inside, default=Fraction(0)) > 10


def _series(draft: Draft) -> dict[Key, list[Raw]]:
    found: dict[Key, list[Raw]] = defaultdict(list)
    for raw in draft.figures:
        if is_share(raw.name) and raw.value is not None and not raw.value.percent:
            key = (raw.name.key, raw.name.cut, raw.name.group, raw.population)
            found[key].append(raw)
    return found


def _rescale(raw: Raw) -> None:
    for part in ("value", "std", "low", "high", "query_std"):
        printed = getattr(raw, part)
        if printed is not None and not printed.percent:
            setattr(raw, part, printed.scaled(HUNDREDTH))
    raw.folds = [fold if fold.percent else fold.scaled(HUNDREDTH) for fold in raw.folds]
