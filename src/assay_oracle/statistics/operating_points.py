"""Operating points: what each threshold decides on labelled rows."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from operator import itemgetter

TuneRows = Sequence[tuple[float, bool, str]]  # prob, label, post


@dataclass(frozen=True)
class Point:
    """The decision prob >= threshold, with its true and false positives."""

    threshold: float
    tp: int
    fp: int

    @property
    def alerts(self) -> int:
        """How many rows are decided positive."""
        return self.tp + self.fp


@dataclass(frozen=True)
class Chosen:
    """A chosen threshold; +inf decides nothing positive.

    `reached`: the rate on the rows themselves; `units`: the effective number of rows that a
    confidence is based on, 0 if the rule has no confidence; `confidence`: None if it has none.
    """

    value: float
    reached: Fraction
    units: Fraction
    confidence: float | None


def nothing(confidence: float | None) -> Chosen:
    """Return the threshold that decides nothing positive."""
    return Chosen(math.inf, Fraction(0), Fraction(0), confidence)


def points(rows: TuneRows) -> list[Point]:
    """Return the operating point of each distinct prob, descending."""
    found: list[Point] = []
    tp = fp = 0
    by_prob = sorted(rows, key=itemgetter(0), reverse=True)
    for prob, group in groupby(by_prob, key=itemgetter(0)):
        labels = [label for _, label, _ in group]
        tp, fp = tp + sum(labels), fp + len(labels) - sum(labels)
        found.append(Point(prob, tp, fp))
    return found
