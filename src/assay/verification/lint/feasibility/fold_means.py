"""Search for folds of whole confusion matrices whose mean scores print as these values.

Accuracy, sensitivity, specificity and their mean are linear in the counts of each fold. First the
problem with fractional counts is decided exactly: for folds with shares of positives π, a mean
sensitivity s allows the accuracy of the positives any value between filling the folds of small π
first and those of large π first; likewise for negatives. The rest of the plane of mean sensitivity
and specificity is a polygon; if it is empty, there are no such folds. Then all whole counts are
tried, unless there are too many; in that case nothing is refuted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.verification.lint.printed_values import Fold

Floats = NDArray[np.float64]
Limits = tuple[float, float]
LINEAR = ("accuracy", "sensitivity", "specificity", "balanced_accuracy")
SPARE = 1e-9
MOST_COMBINATIONS = 2_000_000
MOST_PAIRS = 40_000_000


@dataclass(frozen=True, slots=True)
class Windows:
    """Closed ranges of the sums over folds."""

    sens: Limits
    spec: Limits
    acc: Limits
    both: Limits  # sensitivity + specificity


def refuted(folds: Sequence[Fold], spans: Mapping[str, Limits]) -> bool:
    """Return whether it is certain that no counts give means within `spans`.

    A fold without positives has no sensitivity, and conventions for its value differ: sensitivity
    and balanced accuracy are not judged there. The same holds for specificity.
    """
    k = len(folds)
    kept = dict(spans)
    if any(p == 0 for p, _ in folds):
        kept.pop("sensitivity", None)
        kept.pop("balanced_accuracy", None)
    if any(n == 0 for _, n in folds):
        kept.pop("specificity", None)
        kept.pop("balanced_accuracy", None)
    free = (-SPARE, k + SPARE)

    def window(key: str, factor: int, otherwise: Limits) -> Limits:
        if key not in kept:
            return otherwise
        low, high = kept[key]
        return k * factor * low - SPARE, k * factor * high + SPARE

    windows = Windows(
        window("sensitivity", 1, free),
        window("specificity", 1, free),
        window("accuracy", 1, free),
        window("balanced_accuracy", 2, (-SPARE, 2 * k + SPARE)),
    )
    corners = polygon(folds, windows)
    if not corners:
        return True
    narrowed = Windows(
        _hull(windows.sens, [s for s, _ in corners]),
        _hull(windows.spec, [c for _, c in corners]),
        windows.acc,
        windows.both,
    )
    return not _whole(folds, narrowed)


def _hull(window: Limits, values: Sequence[float]) -> Limits:
    return max(window[0], min(values) - SPARE), min(window[1], max(values) + SPARE)


Corner = tuple[float, float]
Line = tuple[float, float, float]  # a·s + b·c ≤ d


def polygon(folds: Sequence[Fold], windows: Windows) -> list[Corner]:
    """Return the corners of the (Σ sensitivity, Σ specificity) that fractional counts allow."""
    shares = sorted(p / (p + n) if p + n else 0.0 for p, n in folds if p)
    others = sorted(n / (p + n) if p + n else 0.0 for p, n in folds if n)
    (s0, s1), (c0, c1) = windows.sens, windows.spec
    s0, s1 = max(s0, -SPARE), min(s1, len(shares) + SPARE)
    c0, c1 = max(c0, -SPARE), min(c1, len(others) + SPARE)
    corners: list[Corner] = [(s0, c0), (s1, c0), (s1, c1), (s0, c1)] if s0 <= s1 and c0 <= c1 else []
    lines: list[Line] = [(1, 1, windows.both[1]), (-1, -1, -windows.both[0])]
    low, high = windows.acc
    for a, b in _lines(shares):
        for c, d in _lines(others):
            lines.append((a, c, high - b - d))
    for a, b in _lines(shares[::-1]):
        for c, d in _lines(others[::-1]):
            lines.append((-a, -c, b + d - low))
    for line in lines:
        corners = _clip(corners, line)
        if not corners:
            return []
    return corners


def _lines(slopes: Sequence[float]) -> list[tuple[float, float]]:
    """Return lines a·x + b whose hull is the piecewise linear function with these slopes."""
    made: list[tuple[float, float]] = []
    filled = 0.0
    for at, slope in enumerate(slopes):
        if not made or slope != slopes[at - 1]:
            made.append((slope, filled - slope * at))
        filled += slope
    return made or [(0.0, 0.0)]


def _clip(corners: list[Corner], line: Line) -> list[Corner]:
    a, b, d = line
    kept: list[Corner] = []
    for at, here in enumerate(corners):
        before = corners[at - 1]
        now, then = a * here[0] + b * here[1] - d, a * before[0] + b * before[1] - d
        if (now <= SPARE) != (then <= SPARE) and now != then:
            t = min(1.0, max(0.0, then / (then - now)))
            kept.append((before[0] + t * (here[0] - before[0]), before[1] + t * (here[1] - before[1])))
        if now <= SPARE:
            kept.append(here)
    return kept


@dataclass(frozen=True, slots=True)
class Part:
    """Sums over some folds that the positives (or negatives) contribute: of rate and accuracy."""

    rate: Floats
    acc: Floats


def _whole(folds: Sequence[Fold], windows: Windows) -> bool:
    """Return whether whole counts may exist; equal folds share one count.

    If one class has too many combinations to try, its counts need not be whole.
    """
    kinds = list(Counter(folds).items())
    left = _all([(m * p, p, p + n) for (p, n), m in kinds if p], windows.sens)
    right = _all([(m * n, n, p + n) for (p, n), m in kinds if n], windows.spec)
    if left is not None and right is not None:
        return _match(left, right, windows)
    if left is not None:
        return _beside(left, [n / (p + n) for p, n in folds if n], windows.spec, windows)
    if right is not None:
        return _beside(right, [p / (p + n) for p, n in folds if p], windows.sens, windows)
    return True


def _beside(part: Part, shares: Sequence[float], window: Limits, windows: Windows) -> bool:
    """Return whether some whole counts of one class fit fractional ones of the other.

    The rates of the other class sum to c; its part of accuracy then lies between filling the folds
    of small shares first and those of large shares first, and both ends rise with c.
    """
    low = np.maximum(window[0], windows.both[0] - part.rate) - SPARE
    high = np.minimum(window[1], windows.both[1] - part.rate) + SPARE
    knots = np.arange(len(shares) + 1)
    least = np.interp(low, knots, np.cumsum([0.0, *sorted(shares)]))
    most = np.interp(high, knots, np.cumsum([0.0, *sorted(shares, reverse=True)]))
    fits = part.acc + least <= windows.acc[1] + SPARE
    fits &= part.acc + most >= windows.acc[0] - SPARE
    return bool(np.any(fits & (low <= high)))


Item = tuple[int, int, int]  # the highest count, the divisor of the rate, the divisor of accuracy


def _all(items: Sequence[Item], window: Limits) -> Part | None:
    """Return every combination of counts with its rate in the window; None if too many."""
    rate, acc = np.zeros(1), np.zeros(1)
    ordered = sorted(items)
    rest = [sum(top / of for top, of, _ in ordered[at:]) for at in range(len(ordered) + 1)]
    for at, (top, of, size) in enumerate(ordered):
        last = at == len(ordered) - 1
        if last:
            first = np.maximum(np.ceil((window[0] - rate) * of - SPARE * of), 0)
            final = np.minimum(np.floor((window[1] - rate) * of + SPARE * of), top)
            lengths = np.maximum(final - first + 1, 0).astype(np.int64)
            if lengths.sum() > MOST_COMBINATIONS:
                return None
            row = np.repeat(np.arange(rate.size), lengths)
            offset = np.arange(row.size) - np.repeat(np.cumsum(lengths) - lengths, lengths)
            count = first[row] + offset
            return Part(rate[row] + count / of, acc[row] + count / size)
        if rate.size * (top + 1) > MOST_COMBINATIONS:
            return None
        counts = np.arange(top + 1)
        rate = np.add.outer(rate, counts / of).ravel()
        acc = np.add.outer(acc, counts / size).ravel()
        fits = (rate <= window[1] + SPARE) & (rate + rest[at + 1] >= window[0] - SPARE)
        rate, acc = rate[fits], acc[fits]
    return Part(rate, acc)


def _match(left: Part, right: Part, windows: Windows) -> bool:
    """Return whether some pair has, or may have, accuracy and sum of rates in the windows."""
    if left.rate.size == 0 or right.rate.size == 0:
        return False
    if left.rate.size > right.rate.size:
        left, right = right, left
    order = np.argsort(right.acc, kind="stable")
    acc, rate = right.acc[order], right.rate[order]
    first = np.searchsorted(acc, windows.acc[0] - left.acc - SPARE, side="left")
    last = np.searchsorted(acc, windows.acc[1] - left.acc + SPARE, side="right")
    tried = 0
    for at in np.flatnonzero(last > first):
        both = rate[first[at] : last[at]] + left.rate[at]
        if np.any((both >= windows.both[0] - SPARE) & (both <= windows.both[1] + SPARE)):
            return True
        tried += both.size
        if tried > MOST_PAIRS:
            return True
    return False
