"""Measures of scores against labels: sorted once, and counted in whole numbers."""

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from operator import itemgetter

from assay_oracle.core.definition import Definition
from assay_oracle.core.outcome import Summary
from assay_oracle.core.reduction import NOTHING_DRAWN, Counts, Reduction, Resampled, same_under_counts
from assay_oracle.core.rows import Row

Labelled = Iterable[tuple[float, bool]]  # a score and whether it belongs to a positive
Step = tuple[int, int, int]  # the positives at a score, the negatives above it and at it
Formula = Callable[[Sequence[Step], int, Definition], Summary]


def curve_of(labelled: Callable[[Row, Definition], Labelled]) -> Callable[[Formula], Reduction]:
    """Return the maker of a reduction: a formula of the steps of a curve and of all negatives.

    `labelled` gives the scores and labels that a query contributes. There is a step for each score
    that a positive has, the highest first.
    """

    def via(formula: Formula) -> Reduction:
        def resample(rows: Sequence[Row], units: Sequence[int], definition: Definition) -> Resampled:
            walk = steps(
                (score, positive, unit)
                for row, unit in zip(rows, units, strict=True)
                for score, positive in labelled(row, definition)
            )
            members = set(units)

            def resampled(counts: Counts) -> Summary:
                if not any(counts[unit] for unit in members):
                    return NOTHING_DRAWN
                return formula(*walk(counts), definition)

            return resampled

        return same_under_counts(resample)

    return via


def steps(entries: Iterable[tuple[float, bool, int]]) -> Callable[[Counts], tuple[list[Step], int]]:
    """Return the function from counts to the steps and the number of all negatives.

    An entry is a score, its label and its unit. The negatives between two scores of positives are
    kept as one list of units.
    """
    segments: list[tuple[list[int], list[int], list[int]]] = []  # above, at, positives
    above: list[int] = []
    by_score = sorted(entries, key=itemgetter(0), reverse=True)
    for _, group in groupby(by_score, key=itemgetter(0)):
        here: tuple[list[int], list[int]] = ([], [])
        for _, positive, unit in group:
            here[positive].append(unit)
        if here[1]:
            segments.append((above, here[0], here[1]))
            above = []
        else:
            above += here[0]
    below = above

    def walk(counts: Counts) -> tuple[list[Step], int]:
        count = counts.__getitem__
        found: list[Step] = []
        negatives = 0
        for between, ties, positives in segments:
            negatives += sum(map(count, between))
            tied = sum(map(count, ties)) if ties else 0
            found.append((sum(map(count, positives)), negatives, tied))
            negatives += tied
        return found, negatives + sum(map(count, below))

    return walk


def positives(steps: Iterable[Step]) -> int:
    """Return how many positives there are."""
    return sum(step[0] for step in steps)
