"""Risk and coverage of a gate; the abstention curve of a ranking."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ..case import Case, Query
from .calibration import same_decimals
from .decisions import decide
from .definition import Definition, mean, parse
from .ranking import MEANS


def wrong(queries: Sequence[Query], d: Definition) -> list[bool]:
    made = decide(queries, d["at"], ())
    return [decision != q.has_evidence for decision, q in zip(made, queries, strict=True)]


def aurc(queries: Sequence[Query], d: Definition, case: Case) -> float:
    """Mean risk over coverages; of equally sure queries the expected number of errors counts."""
    sure = [same_decimals(abs(query.prob - float(d["at"]))) for query in queries]
    errors = wrong(queries, d)
    risks = []
    for i in range(1, len(queries) + 1):
        last = sorted(sure, reverse=True)[i - 1]
        surer = [e for e, s in zip(errors, sure, strict=True) if s > last]
        tied = [e for e, s in zip(errors, sure, strict=True) if s == last]
        risks.append((sum(surer) + (i - len(surer)) * sum(tied) / len(tied)) / i)
    return mean(risks)


def eaurc(queries: Sequence[Query], d: Definition, case: Case) -> float:
    """Return the AURC less that of an order with all errors last."""
    n, errors = len(queries), sum(wrong(queries, d))
    least = sum(j / (n - errors + j) for j in range(1, errors + 1)) / n
    return aurc(queries, d, case) - least


def confidence(query: Query, by: str) -> float:
    """Return how sure a ranking is; one without candidates is the least sure."""
    if by == "prob":
        return query.prob
    scores = [score for _, score in query.candidates]
    if not scores:
        return -math.inf
    if by == "max":
        return max(scores)
    if by == "std":
        return float(np.std(scores))  # ddof 0, as MTEB has it
    first, *rest = sorted(scores, reverse=True)
    return first - rest[0] if rest else 0.0


def abstention_area(values: Sequence[float]) -> float:
    """Return the area over rates 0 to 0.9; values are in the order in which they are left out."""
    n = len(values)
    curve = [mean(values[min(round(step * 0.1 * n), n - 1) :]) for step in range(10)]
    return sum(0.1 * (left + right) / 2 for left, right in pairwise(curve))


def nauc(queries: Sequence[Query], d: Definition, case: Case) -> float:
    """Return MTEB's normalised area (arXiv 2402.12997); 0 where nothing can be gained."""
    of = parse(f"{d['of']}@{d.cut}" + (":denominator=R" if d["of"] == "map" else ""))
    values = [MEANS[of.name](query, of) for query in queries]
    order = sorted(range(len(queries)), key=lambda at: confidence(queries[at], d["by"]))
    flat = 0.9 * mean(values)
    best = abstention_area(sorted(values)) - flat
    return (abstention_area([values[at] for at in order]) - flat) / best if best > 1e-12 else 0.0
