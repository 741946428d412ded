"""Measures of scores against labels: sorted once, and counted in whole numbers."""

from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from operator import itemgetter

from assay_oracle.core.decision import prob
from assay_oracle.core.definition import Definition
from assay_oracle.core.outcome import Summary
from assay_oracle.core.reduction import NOTHING_DRAWN, Reduction, Resampled
from assay_oracle.core.resamples import Resamples
from assay_oracle.core.rows import Row

Labelled = Iterable[tuple[float, bool]]  # a score and whether it belongs to a positive
Step = tuple[int, int, int]  # the positives at a score, the negatives above it and at it
Formula = Callable[[Sequence[Step], int, Definition], Summary]
Walk = tuple[tuple["array[int]", ...], int]  # the columns of the steps, and all negatives


def labelled_prob(row: Row, definition: Definition) -> Labelled:
    """Return the prob and the label of a query; raise a ValueError if it has no prob."""
    return [(prob(row, definition), row.has_evidence)]


def curve_of(labelled: Callable[[Row, Definition], Labelled]) -> Callable[[Formula], Reduction]:
    """Return the maker of a reduction: a formula of the steps of a curve and of all negatives.

    `labelled` gives the scores and labels that a query contributes. There is a step for each score
    that a positive has, the highest first.
    """

    def via(formula: Formula) -> Reduction:
        def resample(found: Sequence[Labelled], units: Sequence[int], definition: Definition) -> Resampled:
            entries = tuple(
                (score, positive, unit)
                for labels, unit in zip(found, units, strict=True)
                for score, positive in labels
            )
            members = tuple(set(units))

            def resampled(resamples: Resamples) -> list[Summary]:
                walks = resamples.shared(("steps", entries), lambda: _walks(entries, resamples))
                drawn = map(any, resamples.weights(members))
                return [
                    formula(list(zip(*columns, strict=True)), negatives, definition)
                    if some
                    else NOTHING_DRAWN
                    for some, (columns, negatives) in zip(drawn, walks, strict=True)
                ]

            return resampled

        def value(found: Sequence[Labelled], definition: Definition) -> Summary:
            return formula(*_steps(found), definition)

        return Reduction(value, resample, labelled)

    return via


def _steps(found: Iterable[Labelled]) -> tuple[list[Step], int]:
    """Return the steps of the curve, and the number of all negatives."""
    scores: tuple[list[float], list[float]] = ([], [])
    for labels in found:
        for score, positive in labels:
            scores[positive].append(score)
    negatives = sorted(scores[0])
    steps = []
    for score, times in sorted(Counter(scores[1]).items(), reverse=True):
        upto = bisect_right(negatives, score)
        steps.append((times, len(negatives) - upto, upto - bisect_left(negatives, score)))
    return steps, len(negatives)


def _walks(entries: Sequence[tuple[float, bool, int]], resamples: Resamples) -> list[Walk]:
    """Return the steps of each resample, which all measures of the same scores share.

    The counts of all resamples are added at once: 200 resamples of 174,000 candidates take 0.3 s, and
    1.0 s one by one.
    """
    segments, below = _segments(entries)
    rows: tuple[list[tuple[int, ...]], ...] = ([], [], [])
    negatives = 0
    for between, ties, positives in segments:
        negatives += resamples.added(between)
        tied = resamples.added(ties)
        for row, packed in zip(rows, (resamples.added(positives), negatives, tied), strict=True):
            row.append(resamples.unpacked(packed))
        negatives += tied
    everybody = resamples.unpacked(negatives + resamples.added(below))
    nothing: list[tuple[int, ...]] = [()] * len(everybody)
    columns = [list(zip(*row, strict=True)) or nothing for row in rows]
    return [
        (tuple(array("q", column) for column in here), total)
        for *here, total in zip(*columns, everybody, strict=True)
    ]


def _segments(
    entries: Iterable[tuple[float, bool, int]],
) -> tuple[list[tuple[list[int], list[int], list[int]]], list[int]]:
    """Return the units of negatives above and at each score of a positive, and those of its positives.

    An entry is a score, its label and its unit. The highest score is first; the units of the negatives
    below all positives are returned beside.
    """
    segments: list[tuple[list[int], list[int], list[int]]] = []
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
    return segments, above


def positives(steps: Iterable[Step]) -> int:
    """Return how many positives there are."""
    return sum(step[0] for step in steps)
