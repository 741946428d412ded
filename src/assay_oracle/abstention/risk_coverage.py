"""Areas under the risk-coverage curve: the risk if only the most confident are answered."""

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate

from assay_oracle.core.decision import confidence, decided
from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import pooled
from assay_oracle.core.outcome import Summary
from assay_oracle.core.parameters import SHARE
from assay_oracle.core.reduction import NOTHING_DRAWN, Counts, Resampled, resampled_by
from assay_oracle.core.rows import Row


@lru_cache(maxsize=4)
def _harmonic(n: int) -> list[float]:
    """H_0, H_1, …, H_n."""
    return [0.0, *accumulate(1 / i for i in range(1, n + 1))]


def _resample(rows: Sequence[Row], units: Sequence[int], definition: Definition) -> Resampled:
    """AURC, and for E-AURC minus the area of the best order of as many errors.

    A group of m queries of equal confidence with e errors, after b queries with E errors, adds the
    sum over j = 1..m of (E + e·j/m)/(b + j) = e + (E − b·e/m)·(H_(b+m) − H_b).
    """
    groups: dict[Fraction, tuple[list[int], list[int]]] = {}
    for row, unit in zip(rows, units, strict=True):
        wrong = decided(row, definition) != row.has_evidence
        groups.setdefault(confidence(row, definition), ([], []))[wrong].append(unit)
    falling = [groups[each] for each in sorted(groups, reverse=True)]

    def resampled(counts: Counts) -> Summary:
        count = counts.__getitem__
        n = sum(map(count, units))
        if not n:
            return NOTHING_DRAWN
        harmonic = _harmonic(1 << n.bit_length())
        terms: list[float] = []
        before = errors = 0
        for right, wrong in falling:
            missed = sum(map(count, wrong))
            size = missed + sum(map(count, right))
            if size:
                step = harmonic[before + size] - harmonic[before]
                terms.append(missed + (errors - before * missed / size) * step)
                before, errors = before + size, errors + missed
        if definition.name == "eaurc":
            good = n - errors
            terms.append(-errors + good * (harmonic[n] - harmonic[good]))
        return Summary(math.fsum(terms) / n)

    return resampled


@pooled("aurc", {"at": SHARE}, via=resampled_by(_resample))
def aurc(rows: Sequence[Row], definition: Definition) -> Summary:
    """1/n · sum over i of (errors among the i most confident) / i; confidence = |prob − at|.

    Within equal confidence each query counts as (errors of the group) / (size of the group).
    """
    return Summary(_area(_wrong_by_confidence(rows, definition)))


@pooled("eaurc", {"at": SHARE}, via=resampled_by(_resample))
def excess_aurc(rows: Sequence[Row], definition: Definition) -> Summary:
    """AURC − 1/n · sum over j = 1..E of j / (n − E + j), the AURC of the best order of E errors."""
    groups = _wrong_by_confidence(rows, definition)
    errors, n = sum(sum(group) for group in groups), len(rows)
    best = math.fsum(j / (n - errors + j) for j in range(1, errors + 1)) / n
    return Summary(_area(groups) - best)


def _wrong_by_confidence(rows: Sequence[Row], definition: Definition) -> list[list[bool]]:
    """Return which decisions are wrong, in groups of equal confidence, the most confident first."""
    groups: dict[Fraction, list[bool]] = {}
    for row in rows:
        wrong = decided(row, definition) != row.has_evidence
        groups.setdefault(confidence(row, definition), []).append(wrong)
    return [groups[each] for each in sorted(groups, reverse=True)]


def _area(groups: Sequence[Sequence[bool]]) -> float:
    risks: list[float] = []
    errors_before = 0
    for group in groups:
        answered_before = len(risks)
        for position in range(1, len(group) + 1):
            errors = errors_before + Fraction(sum(group) * position, len(group))
            risks.append(float(errors / (answered_before + position)))
        errors_before += sum(group)
    return math.fsum(risks) / len(risks)
