"""The thresholds τ_neg and τ_pos of a bundle: as given, or as its states imply."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from math import inf, isfinite

import numpy as np

from assay.array_types import Bools, Floats, Ints
from assay.data.cases import Grouping


@dataclass(frozen=True, slots=True)
class Range:
    """Every threshold t with low < t ≤ high gives the same states; `value` is the shortest one."""

    low: float
    high: float

    @property
    def value(self) -> float:
        """Return the decimal with the fewest digits in (low, high]."""
        if not isfinite(self.high):
            return 1.0 if self.low < 1 else float(np.nextafter(1.0, 2.0))
        if not isfinite(self.low):
            return 0.0
        for digits in range(17):
            step = Decimal(1).scaleb(-digits)
            below = Decimal(repr(self.low))  # as it is written, not as it is stored
            found = below.quantize(step, ROUND_CEILING)
            found = found if found > below else found + step
            if self.low < float(found) <= self.high:
                return float(found)
        return self.high


@dataclass(frozen=True, slots=True)
class Taus:
    """Thresholds by fold; the only key is None if one pair explains every state."""

    neg: dict[str | None, float]
    pos: dict[str | None, float]

    @property
    def common(self) -> tuple[float, float] | None:
        """Return the pair that all queries share; None if folds have their own."""
        return (self.neg[None], self.pos[None]) if None in self.neg else None

    @property
    def start(self) -> tuple[float, float]:
        """Return where the sliders start: the common pair, or the medians over folds."""
        if self.common is not None:
            return self.common
        neg, pos = (float(np.median(list(each.values()))) for each in (self.neg, self.pos))
        return neg, max(neg, pos)


def given_taus(neg: Floats, pos: Floats, folds: Grouping | None) -> Taus | None:
    """Return the given thresholds; None if they vary within a fold or are missing."""
    whole = _only(neg, pos)
    if whole is not None:
        return Taus({None: whole[0]}, {None: whole[1]})
    if folds is None:
        return None
    parts = sorted(_parts(folds), key=_fold)
    pairs = {fold: _only(neg[inside], pos[inside]) for fold, inside in parts}
    known: dict[str | None, tuple[float, float]] = {
        fold: pair for fold, pair in pairs.items() if pair is not None
    }
    if len(known) < len(pairs):
        return None
    return Taus(
        {fold: low for fold, (low, _) in known.items()}, {fold: high for fold, (_, high) in known.items()}
    )


def _fold(part: tuple[str, Bools]) -> str:
    return part[0]


def _only(neg: Floats, pos: Floats) -> tuple[float, float] | None:
    """Return the only pair of these queries."""
    if len(neg) and bool((neg == neg[0]).all() and (pos == pos[0]).all()):
        return float(neg[0]), float(pos[0])
    return None


def implied_taus(prob: Floats, state: Ints, folds: Grouping | None) -> Taus | None:
    """Infer thresholds from the states; None if no pair explains them."""
    every = np.ones(len(prob), dtype=bool)
    whole = _pair(prob, state, every)
    if whole is not None:
        return Taus({None: whole[0].value}, {None: whole[1].value})
    if folds is None:
        return None
    neg: dict[str | None, float] = {}
    pos: dict[str | None, float] = {}
    for fold, inside in _parts(folds):
        pair = _pair(prob, state, inside)
        if pair is None:
            return None
        neg[fold], pos[fold] = pair[0].value, pair[1].value
    return Taus(neg, pos)


def _parts(folds: Grouping) -> Iterator[tuple[str, Bools]]:
    for code, name in enumerate(folds.labels):
        yield name, np.asarray(folds.codes == code)


def _pair(prob: Floats, state: Ints, inside: Bools) -> tuple[Range, Range] | None:
    ranges = []
    for least in (1, 2):  # NEG below UNCERTAIN and POS; NEG and UNCERTAIN below POS
        below = prob[inside & (state < least)]
        above = prob[inside & (state >= least)]
        low = float(below.max()) if len(below) else -inf
        high = float(above.min()) if len(above) else inf
        if low >= high:
            return None
        ranges.append(Range(low, high))
    return ranges[0], ranges[1]
