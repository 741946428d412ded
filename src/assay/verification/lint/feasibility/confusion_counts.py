"""Search for a confusion matrix of whole numbers that prints as these values.

Every pair (tp, tn) is tried, after cutting off ranges that single scores exclude: for a given tp,
most scores rise or fall with tn, so bisection gives the range of tn. The rest is computed directly.
Values are compared with a tolerance of 1e-9, always in favour of the printed values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Formula = Callable[[Floats, Floats, float, float], Floats]

SPARE = 1e-9
MOST_PAIRS = 60_000_000  # above this, nothing is decided
MOST_QUERIES = 5_000_000  # of one class
CHUNK = 1_000_000

Span = tuple[Fraction, Fraction]


@dataclass(frozen=True, slots=True)
class Score:
    """A score of (tp, tn, P, N); nan if its denominator is 0."""

    formula: Formula
    rises: int = 0  # in tn at a given tp: 1 rises, −1 falls, 0 may do both


def _mcc(tp: Floats, tn: Floats, p: float, n: float) -> Floats:
    fp, fn = n - tn, p - tp
    return (tp * tn - fp * fn) / np.sqrt(p * n * (tp + fp) * (tn + fn))


def _kappa(tp: Floats, tn: Floats, p: float, n: float) -> Floats:
    total = p + n
    seen = (tp + tn) / total
    chance = (p * (tp + n - tn) + n * (tn + p - tp)) / total**2
    return (seen - chance) / (1 - chance)


def _pt(tp: Floats, tn: Floats, p: float, n: float) -> Floats:
    tpr, fpr = tp / p, (n - tn) / n
    return (np.sqrt(tpr * fpr) - fpr) / (tpr - fpr)


def _upm(tp: Floats, tn: Floats, p: float, n: float) -> Floats:
    return 4 * tp * tn / (4 * tp * tn + (tp + tn) * (p - tp + n - tn))


SCORES: Mapping[str, Score] = {
    "accuracy": Score(lambda tp, tn, p, n: (tp + tn) / (p + n), 1),
    "error_rate": Score(lambda tp, tn, p, n: 1 - (tp + tn) / (p + n), -1),
    "sensitivity": Score(lambda tp, tn, p, n: tp / p + 0 * tn),
    "fnr": Score(lambda tp, tn, p, n: 1 - tp / p + 0 * tn),
    "specificity": Score(lambda tp, tn, p, n: tn / n + 0 * tp, 1),
    "fpr": Score(lambda tp, tn, p, n: 1 - tn / n + 0 * tp, -1),
    "ppv": Score(lambda tp, tn, p, n: tp / (tp + n - tn)),
    "fdr": Score(lambda tp, tn, p, n: 1 - tp / (tp + n - tn)),
    "npv": Score(lambda tp, tn, p, n: tn / (tn + p - tp)),
    "for": Score(lambda tp, tn, p, n: 1 - tn / (tn + p - tp)),
    "f1": Score(lambda tp, tn, p, n: 2 * tp / (tp + p + n - tn)),
    "f1n": Score(lambda tp, tn, p, n: 2 * tn / (tn + n + p - tp)),
    "balanced_accuracy": Score(lambda tp, tn, p, n: (tp / p + tn / n) / 2, 1),
    "bm": Score(lambda tp, tn, p, n: tp / p + tn / n - 1, 1),
    "mk": Score(lambda tp, tn, p, n: tp / (tp + n - tn) + tn / (tn + p - tp) - 1),
    "fm": Score(lambda tp, tn, p, n: tp / np.sqrt(p * (tp + n - tn))),
    "gm": Score(lambda tp, tn, p, n: np.sqrt(tp / p * tn / n), 1),
    "ji": Score(lambda tp, tn, p, n: tp / (p + n - tn)),
    "lrp": Score(lambda tp, tn, p, n: tp / p / ((n - tn) / n)),
    "lrn": Score(lambda tp, tn, p, n: (p - tp) / p / (tn / n)),
    "dor": Score(lambda tp, tn, p, n: tp * tn / ((n - tn) * (p - tp))),
    "mcc": Score(_mcc),
    "kappa": Score(_kappa),
    "pt": Score(_pt),
    "upm": Score(_upm),
    "prevalence": Score(lambda tp, tn, p, n: p / (p + n) + 0 * tp + 0 * tn),
}
COUNTS = ("tp", "fp", "tn", "fn")


def f_beta(beta: float) -> Score:
    """(1+β²)·tp / ((1+β²)·tp + β²·fn + fp)."""
    square = beta * beta
    return Score(lambda tp, tn, p, n: (1 + square) * tp / (tp + square * p + n - tn))


def matrix(
    p: int, n: int, spans: Mapping[str, Span], betas: Mapping[str, float] | None = None
) -> tuple[int, int] | bool | None:
    """Return a (tp, tn) that prints as these values, False if there is none, None if undecided.

    `spans` are closed ranges of the scores and of the counts tp, fp, tn, fn.
    """
    if max(p, n) > MOST_QUERIES:
        return None
    scores = {
        key: f_beta(betas[key]) if betas and key in betas else SCORES[key]
        for key in spans
        if key not in COUNTS
    }
    limits = {key: (float(lo) - SPARE, float(hi) + SPARE) for key, (lo, hi) in spans.items()}
    tps = _whole(p, limits, "tp", "fn")
    tns = _whole(n, limits, "tn", "fp")
    if tps.size == 0 or tns.size == 0:
        return False
    zero = np.zeros(1)
    with np.errstate(all="ignore"):
        for key in ("sensitivity", "fnr"):
            if key in scores:
                tps = tps[_fits(scores[key].formula(tps, zero, p, n), limits[key])]
        for key in ("specificity", "fpr"):
            if key in scores:
                tns = tns[_fits(scores[key].formula(zero, tns, p, n), limits[key])]
        if tps.size == 0 or tns.size == 0:
            return False
        first = np.zeros(tps.size, dtype=np.int64)
        last = np.full(tps.size, tns.size, dtype=np.int64)
        for key, score in scores.items():
            if score.rises and p and n:
                low, high = _range(score, tps, tns, (p, n), limits[key])
                first, last = np.maximum(first, low), np.minimum(last, high)
        return _search(tps, tns, first, last, (p, n), scores, limits)


def _whole(total: int, limits: Mapping[str, tuple[float, float]], right: str, wrong: str) -> Floats:
    """Return the whole numbers from 0 to total that the printed counts allow."""
    low, high = 0.0, float(total)
    if right in limits:
        low, high = max(low, limits[right][0]), min(high, limits[right][1])
    if wrong in limits:
        low, high = max(low, total - limits[wrong][1]), min(high, total - limits[wrong][0])
    return np.arange(np.ceil(low), np.floor(high) + 1, dtype=np.float64)


def _fits(values: Floats, limit: tuple[float, float]) -> NDArray[np.bool_]:
    """Return whether a value is within the limits, or undefined (0/0) and 0 or 1 may be printed."""
    low, high = limit
    spare = SPARE * np.minimum(np.abs(values), 1e9)  # an infinite ratio is not printed as a number
    inside = (values >= low - spare) & (values <= high + spare)
    if low <= 0 <= high or low <= 1 <= high:
        inside |= np.isnan(values)
    return inside


def _range(
    score: Score, tps: Floats, tns: Floats, sizes: tuple[int, int], limit: tuple[float, float]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return, for each tp, the places in `tns` whose score is within the limits, by bisection."""
    low, high = limit if score.rises > 0 else (-limit[1], -limit[0])

    def place(bound: float, *, behind: bool) -> NDArray[np.int64]:
        left = np.zeros(tps.size, dtype=np.int64)
        right = np.full(tps.size, tns.size, dtype=np.int64)
        for _ in range(int(tns.size).bit_length() + 1):
            middle = (left + right) // 2
            open_ = left < right
            values = score.rises * score.formula(tps, tns[np.minimum(middle, tns.size - 1)], *sizes)
            below = values <= bound if behind else values < bound
            left = np.where(open_ & below, middle + 1, left)
            right = np.where(open_ & ~below, middle, right)
        return left

    return place(low, behind=False), place(high, behind=True)


def _search(
    tps: Floats,
    tns: Floats,
    first: NDArray[np.int64],
    last: NDArray[np.int64],
    sizes: tuple[int, int],
    scores: Mapping[str, Score],
    limits: Mapping[str, tuple[float, float]],
) -> tuple[int, int] | bool | None:
    """Compute the rest in parts until a pair fits."""
    lengths = np.maximum(last - first, 0)
    kept = np.flatnonzero(lengths)
    ends = np.cumsum(lengths[kept])
    if ends.size == 0:
        return False
    cap = min(int(ends[-1]), MOST_PAIRS)
    for start in range(0, cap, CHUNK):
        places = np.arange(start, min(start + CHUNK, cap))
        row = np.searchsorted(ends, places, side="right")
        offset = places - (ends[row] - lengths[kept][row])
        tp, tn = tps[kept[row]], tns[first[kept[row]] + offset]
        for key, score in scores.items():
            fits = _fits(score.formula(tp, tn, *sizes), limits[key])
            tp, tn = tp[fits], tn[fits]
            if tp.size == 0:
                break
        else:
            return int(tp[0]), int(tn[0])
    return False if ends[-1] <= MOST_PAIRS else None
