"""Measures of scores against labels: sorted once, then counted."""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import groupby
from operator import itemgetter

from assay_oracle.decision import prob
from assay_oracle.definition import Definition
from assay_oracle.draws.sums import Counts, Reduce
from assay_oracle.rows import Row

Entry = tuple[float, bool, int]  # a score, whether it is of a positive, its unit
Step = tuple[int, int, int]  # positives of a score, negatives above it, negatives at it


def _probs(rows: Sequence[Row], units: Sequence[int], definition: Definition) -> list[Entry]:
    """Queries without prob stay out of an AUROC; the other measures refuse them."""
    if definition.name == "auroc":
        return [
            (row.query.prob, row.has_evidence, unit)
            for row, unit in zip(rows, units, strict=True)
            if row.query.prob is not None
        ]
    pairs = zip(rows, units, strict=True)
    return [(prob(row, definition), row.has_evidence, unit) for row, unit in pairs]


def _highest(rows: Sequence[Row], units: Sequence[int], definition: Definition) -> list[Entry]:
    pairs = zip(rows, units, strict=True)
    return [(row.highest_score, row.has_evidence, unit) for row, unit in pairs]


def _candidates(rows: Sequence[Row], units: Sequence[int], definition: Definition) -> list[Entry]:
    return [
        (score, relevant, unit)
        for row, unit in zip(rows, units, strict=True)
        for score, relevant in zip(row.scores, row.relevance(definition.rel), strict=True)
    ]


def steps(entries: Iterable[Entry]) -> Callable[[Counts], tuple[list[Step], int]]:
    """What each score with a positive has under counts, descending, and all negatives.

    Runs of negatives between two such scores are kept as one list of units.
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


def _auroc(found: Sequence[Step], negatives: int, definition: Definition) -> float:
    positives = sum(p for p, _, _ in found)
    if not positives or not negatives:
        return 0.5
    doubled = sum(p * (2 * (negatives - above) - tied) for p, above, tied in found)
    return doubled / (2 * positives * negatives)


def _auprc(found: Sequence[Step], negatives: int, definition: Definition) -> float:
    positives = sum(p for p, _, _ in found)
    if not positives or not negatives:
        return 1.0 if positives else 0.0
    total, hits = 0.0, 0
    for p, above, tied in found:
        if p:
            hits += p
            total += p * hits / (hits + above + tied)
    return total / positives


def _at_budget(found: Sequence[Step], negatives: int, budget: Fraction) -> tuple[int, int]:
    """(TP, FP) of the highest TP that the budget allows; of several, at the highest score."""
    best, hits = (0, 0), 0
    for p, above, tied in found:
        hits += p
        if hits > best[0] and (above + tied) * budget.denominator <= budget.numerator * negatives:
            best = (hits, above + tied)
    return best


def _tpr(found: Sequence[Step], negatives: int, definition: Definition) -> float:
    positives = sum(p for p, _, _ in found)
    if not positives or not negatives:
        return 1.0 if positives else 0.0
    return _at_budget(found, negatives, definition.level)[0] / positives


def _fpr(found: Sequence[Step], negatives: int, definition: Definition) -> float:
    if not negatives or not any(p for p, _, _ in found):
        return 0.0
    return _at_budget(found, negatives, definition.level)[1] / negatives


Source = Callable[[Sequence[Row], Sequence[int], Definition], list[Entry]]
Area = Callable[[Sequence[Step], int, Definition], float]
CURVES: dict[str, tuple[Source, Area]] = {
    "auroc": (_probs, _auroc),
    "auprc": (_probs, _auprc),
    "score_auroc": (_highest, _auroc),
    "score_auprc": (_highest, _auprc),
    "pair_auroc": (_candidates, _auroc),
    "pair_auprc": (_candidates, _auprc),
    "tpr_at_fpr": (_probs, _tpr),
    "fpr_reached": (_probs, _fpr),
}


def of_curve(rows: Sequence[Row], units: Sequence[int], definition: Definition) -> Reduce:
    """The measure of CURVES that bears the definition's name; 0 where no query counts.

    An AUROC of which no counted query has a prob is None.
    """
    source, area = CURVES[definition.name]
    entries = source(rows, units, definition)
    walk = steps(entries)
    members = set(units)
    with_prob = {unit for _, _, unit in entries} if definition.name == "auroc" else members

    def reduce(counts: Counts) -> float | None:
        if not any(counts[unit] for unit in members):
            return 0.0
        if not any(counts[unit] for unit in with_prob):
            return None
        found, negatives = walk(counts)
        return area(found, negatives, definition)

    return reduce
