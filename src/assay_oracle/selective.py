"""Selective classification: the risk that remains when only the most confident are answered."""

import math
from collections.abc import Sequence
from fractions import Fraction

from assay_oracle.decision import confidence, decided
from assay_oracle.definition import Definition
from assay_oracle.outcome import Summary
from assay_oracle.rows import Row


def aurc(rows: Sequence[Row], definition: Definition) -> Summary:
    """1/n · sum over i of (errors among the i most confident) / i; confidence = |prob − at|.

    Within equal confidence each query counts as (errors of the group) / (size of the group).
    """
    return Summary(_area(_wrong_by_confidence(rows, definition)))


def eaurc(rows: Sequence[Row], definition: Definition) -> Summary:
    """AURC − 1/n · sum over j = 1..E of j / (n − E + j), the AURC of the best order of E errors."""
    groups = _wrong_by_confidence(rows, definition)
    errors, n = sum(sum(group) for group in groups), len(rows)
    best = math.fsum(j / (n - errors + j) for j in range(1, errors + 1)) / n
    return Summary(_area(groups) - best)


def _wrong_by_confidence(rows: Sequence[Row], definition: Definition) -> list[list[bool]]:
    """Which decisions are wrong, in groups of equal confidence, the most confident first."""
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
