"""Areas under the risk-coverage curve: the risk if only the most confident are answered."""

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate

from assay_oracle.core.decision import confidence, decided
from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import pooled
from assay_oracle.core.outcome import Summary
from assay_oracle.core.parameters import SHARE
from assay_oracle.core.reduction import NOTHING_DRAWN, Resampled, resampled_by
from assay_oracle.core.resamples import Counts, Resamples
from assay_oracle.core.rows import Row

Answer = tuple[int, bool]  # the confidence of a query, and whether its decision is wrong


@lru_cache(maxsize=4)
def _harmonic(n: int) -> list[float]:
    """H_0, H_1, …, H_n."""
    return [0.0, *accumulate(1 / i for i in range(1, n + 1))]


def _answer(row: Row, definition: Definition) -> Answer:
    return confidence(row, definition), decided(row, definition) != row.has_evidence


def _resample(answers: Sequence[Answer], units: Sequence[int], definition: Definition) -> Resampled:
    """AURC, and for E-AURC minus the area of the best order of as many errors.

    A group of m queries of equal confidence with e errors, after b queries with E errors, adds the
    sum over j = 1..m of (E + e·j/m)/(b + j) = e + (E − b·e/m)·(H_(b+m) − H_b).
    """
    groups: dict[int, tuple[list[int], list[int]]] = {}
    for (sure, wrong), unit in zip(answers, units, strict=True):
        groups.setdefault(sure, ([], []))[wrong].append(unit)
    falling = [groups[sure] for sure in sorted(groups, reverse=True)]
    key = tuple((tuple(right), tuple(wrong)) for right, wrong in falling)

    def resampled(resamples: Resamples) -> list[Summary]:
        areas = resamples.shared(
            ("areas", key), lambda: [_sums(falling, units, each) for each in resamples.counts]
        )
        return [area(*each) for each in areas]

    def area(terms: float, n: int, errors: int) -> Summary:
        if not n:
            return NOTHING_DRAWN
        if definition.name == "eaurc":
            harmonic, good = _harmonic(1 << n.bit_length()), n - errors
            terms += -errors + good * (harmonic[n] - harmonic[good])
        return Summary(terms / n)

    return resampled


def _sums(
    falling: Sequence[tuple[Sequence[int], Sequence[int]]], units: Sequence[int], counts: Counts
) -> tuple[float, int, int]:
    """Return the sum of the terms of the groups, the number of queries and that of errors."""
    count = counts.__getitem__
    n = sum(map(count, units))
    harmonic = _harmonic(1 << n.bit_length())
    terms: list[float] = []
    before = errors = 0
    for right, wrong in falling:
        if not wrong and len(right) == 1:  # most groups are one query, answered correctly
            size = counts[right[0]]
            if size:
                terms.append(errors * (harmonic[before + size] - harmonic[before]))
                before += size
            continue
        missed = sum(map(count, wrong))
        size = missed + sum(map(count, right))
        if size:
            step = harmonic[before + size] - harmonic[before]
            terms.append(missed + (errors - before * missed / size) * step)
            before, errors = before + size, errors + missed
    return math.fsum(terms), n, errors


@pooled("aurc", {"at": SHARE}, via=resampled_by(_resample, _answer))
def aurc(answers: Sequence[Answer], definition: Definition) -> Summary:
    """1/n · sum over i of (errors among the i most confident) / i; confidence = |prob − at|.

    Within equal confidence each query counts as (errors of the group) / (size of the group).
    """
    return Summary(_area(_wrong_by_confidence(answers)))


@pooled("eaurc", {"at": SHARE}, via=resampled_by(_resample, _answer))
def excess_aurc(answers: Sequence[Answer], definition: Definition) -> Summary:
    """AURC − 1/n · sum over j = 1..E of j / (n − E + j), the AURC of the best order of E errors."""
    groups = _wrong_by_confidence(answers)
    errors, n = sum(sum(group) for group in groups), len(answers)
    best = math.fsum(j / (n - errors + j) for j in range(1, errors + 1)) / n
    return Summary(_area(groups) - best)


def _wrong_by_confidence(answers: Sequence[Answer]) -> list[list[bool]]:
    """Return which decisions are wrong, in groups of equal confidence, the most confident first."""
    groups: dict[int, list[bool]] = {}
    for sure, wrong in answers:
        groups.setdefault(sure, []).append(wrong)
    return [groups[sure] for sure in sorted(groups, reverse=True)]


def _area(groups: Sequence[Sequence[bool]]) -> float:
    risks: list[float] = []
    errors_before = 0
    for group in groups:
        answered_before, missed, size = len(risks), sum(group), len(group)
        for position in range(1, size + 1):  # whole numbers, so that each risk is rounded once
            errors = errors_before * size + missed * position
            risks.append(errors / (size * (answered_before + position)))
        errors_before += missed
    return math.fsum(risks) / len(risks)
