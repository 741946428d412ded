"""Thresholds that reach a rate with a confidence, given that the rows of a post are dependent."""

import math
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction

from assay_oracle.core.beta import incomplete_beta
from assay_oracle.statistics.operating_points import Chosen, Point, TuneRows, nothing, points


def effective_number(posts: Iterable[str]) -> Fraction:
    """Return Kish's (Σ m)² / Σ m², with m the rows of each post; 0 without rows."""
    sizes = Counter(posts).values()
    return Fraction(sum(sizes) ** 2, sum(m * m for m in sizes)) if sizes else Fraction(0)


def doubt(misses: int, n: int, units: Fraction, target: Fraction) -> float:
    """Return P(Bin(units, 1 − target) <= c), c = misses·units/n, as I_target(units − c, c + 1).

    It is the probability of so few misses, or fewer, if the true rate of hits were the target.
    """
    scaled = misses * units / n
    return 1.0 if scaled >= units else incomplete_beta(target, units - scaled, scaled + 1)


def sensitivity(target: Fraction, rows: TuneRows, confidence: float) -> Chosen:
    """Return the lowest prob of a positive after the `spare` lowest ones, which may be missed.

    spare is the largest number up to which every count of misses has a doubt of at most
    1 − confidence; 0 if even one miss has more. Without positives: 0, with confidence 0.
    """
    probs = sorted(prob for prob, label, _ in rows if label)
    n = len(probs)
    if n == 0:
        return Chosen(0.0, Fraction(0), Fraction(0), 0.0)
    units = effective_number(post for _, label, post in rows if label)
    spare = 0
    while spare + 1 < n and doubt(spare + 1, n, units, target) <= 1 - confidence:
        spare += 1
    value = probs[spare]
    reached = Fraction(sum(prob >= value for prob in probs), n)
    return Chosen(value, reached, units, 1 - doubt(spare, n, units, target))


def precision(target: Fraction, rows: TuneRows, confidence: float) -> Chosen:
    """Return the lowest of m thresholds, tested from the highest down, that keeps the precision.

    Each may spend (1 − confidence)/m, plus what the thresholds directly before it had to spend if
    they passed. If none passed: the lowest threshold at which the precision of the rows themselves
    is the target, with the best confidence of all that were tested.
    """
    tested = _tested(target, rows, confidence)
    doubts = [doubt(point.fp, point.alerts, _units(rows, point), target) for point in tested]
    passed: list[Point] = []
    carried = 0.0
    for point, found in zip(tested, doubts, strict=True):
        allowed = (1 - confidence) / len(tested) + carried
        carried = allowed if found <= allowed else 0.0
        if found <= allowed:
            passed.append(point)
    if passed:
        return _at(rows, passed[-1], confidence)
    best = max((1 - len(tested) * found for found in doubts), default=0.0)
    reaching = [point for point in points(rows) if point.tp >= target * point.alerts]
    return _at(rows, reaching[-1], max(best, 0.0)) if reaching else nothing(max(best, 0.0))


def _tested(target: Fraction, rows: TuneRows, confidence: float) -> list[Point]:
    """Return the highest threshold with at least `size` alerts, for sizes that grow by half.

    The first size is the smallest at which zero false positives would satisfy the confidence.
    """
    size = math.ceil(math.log(1 - confidence) / math.log(target))
    tested: list[Point] = []
    for point in points(rows):
        if point.alerts >= size:
            tested.append(point)
        while size <= point.alerts:
            size = (3 * size + 1) // 2  # 1.5 times, rounded up
    return tested


def _units(rows: TuneRows, point: Point) -> Fraction:
    return effective_number(post for prob, _, post in rows if prob >= point.threshold)


def _at(rows: TuneRows, point: Point, confidence: float) -> Chosen:
    reached = Fraction(point.tp, point.alerts)
    return Chosen(point.threshold, reached, _units(rows, point), confidence)
