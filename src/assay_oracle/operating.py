"""Operating points: what each threshold decides on labelled rows, and the one that was chosen."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from assay_oracle.areas import steps

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
    """A threshold (+inf decides nothing) and what it was chosen for.

    `reached`: the rate on the rows themselves; `units`: the effective number of rows behind a
    confidence, 0 where the rule has none; `confidence`: None where the rule has none.
    """

    value: float
    reached: Fraction
    units: Fraction
    confidence: float | None


def nothing(confidence: float | None) -> Chosen:
    """The threshold that decides nothing."""
    return Chosen(math.inf, Fraction(0), Fraction(0), confidence)


def points(rows: TuneRows) -> list[Point]:
    """The operating point of each distinct prob, descending."""
    distinct = sorted({prob for prob, _, _ in rows}, reverse=True)
    counts = steps([(prob, label) for prob, label, _ in rows])[1:]  # without that of +inf
    return [Point(prob, tp, fp) for prob, (tp, fp) in zip(distinct, counts, strict=True)]
